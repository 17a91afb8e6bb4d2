//! Reads that a unit of work will need, collected so that they are made in one round trip.

use rustc_hash::FxHashSet;
use uuid::Uuid;

use super::{
    Indexed, Record, Row,
    keys::{Family, Part, after_prefix, key},
};
use crate::storage::{Key, Range, Read};

/// A read that owns its keys.
#[derive(Debug)]
pub(super) enum Wanted {
    Get(Key),
    Follow {
        key: Key,
        rows: Key,
    },
    Holders {
        prefix: Key,
        end: Key,
        rows: Key,
        limit: usize,
    },
}

impl Wanted {
    pub(super) fn as_read(&self) -> Read<'_> {
        match self {
            Self::Get(key) => Read::Get(key),
            Self::Follow { key, rows } => Read::Follow { key, rows },
            Self::Holders {
                prefix,
                end,
                rows,
                limit,
            } => Read::ScanFollow {
                range: Range {
                    from: prefix,
                    to: Some(end),
                },
                limit: *limit,
                newest_first: false,
                rows,
                tail: 16,
            },
        }
    }
}

/// The reads of one or several operations on a partition.
#[derive(Debug)]
pub struct Reads {
    partition: Uuid,
    pub(super) wanted: Vec<Wanted>,
    /// The rows that several operations share.
    shared: FxHashSet<Key>,
}

impl Reads {
    pub(crate) fn of(partition: Uuid) -> Self {
        Self {
            partition,
            wanted: Vec::new(),
            shared: FxHashSet::default(),
        }
    }

    /// The location or account whose records these are.
    pub(crate) fn partition(&self) -> Uuid {
        self.partition
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The row with this key.
    pub(crate) fn row(&mut self, key: Key) {
        self.wanted.push(Wanted::Get(key));
    }

    /// A row that most operations look up, such as that of their token: it is read once.
    pub(crate) fn shared_row(&mut self, key: Key) {
        if self.shared.insert(key.clone()) {
            self.row(key);
        }
    }

    /// The record, or the row, with this id.
    pub(crate) fn record<T: Row>(&mut self, id: Uuid) {
        self.row(key(self.partition, T::ROWS, &[Part::Id(id)]));
    }

    /// As [`record`](Self::record), for one that several operations look up: it is read once.
    pub(crate) fn shared_record<T: Row>(&mut self, id: Uuid) {
        self.shared_row(key(self.partition, T::ROWS, &[Part::Id(id)]));
    }

    /// The entry of a unique index, without the record that it leads to.
    pub(crate) fn entry(&mut self, family: Family, text: &str) {
        self.row(key(self.partition, family, &[Part::Text(text)]));
    }

    /// The row that `entry` leads to, an entry that holds an id of the family `rows`.
    pub(crate) fn followed(&mut self, entry: Key, rows: Family) {
        let rows = key(self.partition, rows, &[]);
        self.wanted.push(Wanted::Follow { key: entry, rows });
    }

    /// The record that a unique index holds for a value.
    pub(crate) fn unique<T: Record>(&mut self, family: Family, value: Indexed<'_>) {
        let entry = key(self.partition, family, &[value.part()]);
        self.followed(entry, T::ROWS);
    }

    /// As [`unique`](Self::unique), for one that many items of a batch look up: it is read once.
    pub(crate) fn shared_unique<T: Record>(&mut self, family: Family, value: Indexed<'_>) {
        let entry = key(self.partition, family, &[value.part()]);
        if self.shared.insert(entry.clone()) {
            self.followed(entry, T::ROWS);
        }
    }

    /// At most `limit` records that an index lists under a value.
    pub(crate) fn holders<T: Record>(&mut self, family: Family, value: Indexed<'_>, limit: usize) {
        let prefix = key(self.partition, family, &[value.part()]);
        self.wanted.push(Wanted::Holders {
            end: after_prefix(&prefix),
            prefix,
            rows: key(self.partition, T::ROWS, &[]),
            limit,
        });
    }
}
