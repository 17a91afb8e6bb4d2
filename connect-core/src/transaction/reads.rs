//! The reads of a unit of work, collected for one round trip.

use rustc_hash::FxHashSet;
use uuid::Uuid;

use super::{
    Indexed, Record, Row,
    keys::{Family, KeyPart, after_prefix, key},
};
use crate::storage::{Key, Range, Read};

/// A read with owned keys.
#[derive(Debug)]
pub(super) enum QueuedRead {
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

impl QueuedRead {
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
    pub(super) wanted: Vec<QueuedRead>,
    /// The rows shared by several operations.
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

    /// The location or account of the records.
    pub(crate) fn partition(&self) -> Uuid {
        self.partition
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The row with this key.
    pub(crate) fn row(&mut self, key: Key) {
        self.wanted.push(QueuedRead::Get(key));
    }

    /// A row looked up by most operations (their token): read once.
    pub(crate) fn shared_row(&mut self, key: Key) {
        if self.shared.insert(key.clone()) {
            self.row(key);
        }
    }

    /// The record, or the row, with this id.
    pub(crate) fn record<T: Row>(&mut self, id: Uuid) {
        self.row(key(self.partition, T::ROWS, &[KeyPart::Id(id)]));
    }

    /// As [`record`](Self::record), for a record shared by operations: read once.
    pub(crate) fn shared_record<T: Row>(&mut self, id: Uuid) {
        self.shared_row(key(self.partition, T::ROWS, &[KeyPart::Id(id)]));
    }

    /// The entry of a unique index, without its record.
    pub(crate) fn entry(&mut self, family: Family, text: &str) {
        self.row(key(self.partition, family, &[KeyPart::Text(text)]));
    }

    /// The row behind `entry`, by an id of the family `rows`.
    pub(crate) fn followed(&mut self, entry: Key, rows: Family) {
        let rows = key(self.partition, rows, &[]);
        self.wanted.push(QueuedRead::Follow { key: entry, rows });
    }

    /// The record with a value in a unique index.
    pub(crate) fn unique<T: Record>(&mut self, family: Family, value: Indexed<'_>) {
        let entry = key(self.partition, family, &[value.part()]);
        self.followed(entry, T::ROWS);
    }

    /// As [`unique`](Self::unique), for a record shared by items: read once.
    pub(crate) fn shared_unique<T: Record>(&mut self, family: Family, value: Indexed<'_>) {
        let entry = key(self.partition, family, &[value.part()]);
        if self.shared.insert(entry.clone()) {
            self.followed(entry, T::ROWS);
        }
    }

    /// At most `limit` records with a value in an index.
    pub(crate) fn holders<T: Record>(&mut self, family: Family, value: Indexed<'_>, limit: usize) {
        let prefix = key(self.partition, family, &[value.part()]);
        self.wanted.push(QueuedRead::Holders {
            end: after_prefix(&prefix),
            prefix,
            rows: key(self.partition, T::ROWS, &[]),
            limit,
        });
    }
}
