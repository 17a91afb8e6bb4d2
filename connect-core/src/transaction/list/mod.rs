//! Reading without a unit of work: one record, or a part of a list.
//! Each takes one round trip.

mod damage;
mod words;

use serde::Deserialize;
use uuid::Uuid;

use super::{
    Fault, IndexKind, Indexed, KeyRange, Row, SortKey,
    clock::{ChangeClock, clock_key},
    keys::{Family, KeyPart, after_prefix, key},
    row::ID_LEN,
    store::Store,
};
use crate::{
    storage::{Entry, Key, Range, Read, State, Value},
    wire::Timestamp,
};

pub(crate) use words::{MAX_WORD, SoughtWord, WordPlace};

/// A row with its place in the list.
pub(crate) type Keyed<K> = (K, Value);

/// The index to read a list through.
#[derive(Clone, Copy, Debug)]
pub enum AccessPath<'a> {
    /// All rows, in the order of the list.
    All,
    /// The records with a value, in the order of the list.
    ByChange(Family, Indexed<'a>),
    /// The one record with a value.
    Unique(Family, Indexed<'a>),
    /// The records with a value, in any order, and at most `limit` of them.
    Holders(Family, Indexed<'a>),
}

impl<'a> AccessPath<'a> {
    /// The records with a value in an index.
    pub(crate) fn index(kind: IndexKind, family: Family, value: Indexed<'a>) -> Self {
        match kind {
            IndexKind::ByChange => Self::ByChange(family, value),
            IndexKind::Unique => Self::Unique(family, value),
            IndexKind::Holders => Self::Holders(family, value),
        }
    }
}

/// The part of a list to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListRead<'a, K> {
    pub(crate) access_path: AccessPath<'a>,
    /// The range, for reads in the order of the list.
    pub(crate) key_range: KeyRange<K>,
    /// The most rows to return.
    pub(crate) limit: usize,
    /// The most tombstones to return; `None` for a read without them.
    pub(crate) tombstones: Option<usize>,
    /// The place of an extra row, for rows under their sort key.
    pub(crate) anchor: Option<K>,
}

/// The rows and tombstones of a read, in one state.
#[derive(Debug)]
pub(crate) struct ListPart<K> {
    /// The rows, in the order of reading.
    /// Rows read through [`AccessPath::Holders`] have any order.
    pub(crate) rows: Vec<Keyed<K>>,
    /// The tombstones, in the order of reading.
    pub(crate) tombstones: Vec<Keyed<K>>,
    /// The time since when the tombstones are complete; `None` without a purge.
    pub(crate) complete_since: Option<Timestamp>,
    /// The time of the partition's last change.
    pub(crate) changed_at: Timestamp,
    /// The highest event number of the partition.
    pub(crate) last_number: u64,
    /// The row at the anchor, if present.
    pub(crate) anchor: Option<Value>,
    /// The place before damage; no row behind it was returned.
    pub(crate) cut_at: Option<K>,
}

/// The time since when a location's tombstones are complete, as a row.
#[derive(serde::Serialize, Deserialize)]
pub(crate) struct CompleteSince {
    /// The time.
    pub(crate) since: Timestamp,
}

/// The key of the [`CompleteSince`] row.
pub(crate) fn tombstones_since_key(location: Uuid) -> Key {
    key(location, Family::TombstonesSince, &[])
}

impl Store {
    /// The bytes of the record, or the row, with this id.
    pub(crate) async fn row<T: Row>(
        &self,
        partition: Uuid,
        id: Uuid,
    ) -> Result<Option<Value>, Fault> {
        let row_key = key(partition, T::ROWS, &[KeyPart::Id(id)]);
        self.get(&row_key).await
    }

    /// The row with this id.
    /// `by_id` is the index from ids to rows, for rows stored under another key.
    pub(crate) async fn row_by_id<R: Row>(
        &self,
        partition: Uuid,
        id: Uuid,
        by_id: Option<Family>,
    ) -> Result<Option<Value>, Fault> {
        let Some(by_id) = by_id else {
            return self.row::<R>(partition, id).await;
        };
        let (entry, rows) = (
            key(partition, by_id, &[KeyPart::Id(id)]),
            key(partition, R::ROWS, &[]),
        );
        let follow = Read::Follow {
            key: &entry,
            rows: &rows,
        };
        match self.read(&[follow]).await?.followed()? {
            None => Ok(None),
            Some((_, Some(row))) => Ok(Some(row)),
            Some((_, None)) => Err(Fault::corrupt(&entry, "an index entry without its row")),
        }
    }

    /// Reads a part of a list.
    /// In the order of the list, it ends before an unreadable row.
    pub(crate) async fn list<T: Row>(
        &self,
        partition: Uuid,
        slice: ListRead<'_, T::Key>,
    ) -> Result<ListPart<T::Key>, Fault> {
        match self.list_whole::<T>(partition, slice).await {
            Err(fault)
                if matches!(
                    slice.access_path,
                    AccessPath::All | AccessPath::ByChange(..)
                ) =>
            {
                self.list_up_to_damage::<T>(partition, slice, fault).await
            }
            result => result,
        }
    }

    /// Reads a part of a list, or fails.
    async fn list_whole<T: Row>(
        &self,
        partition: Uuid,
        slice: ListRead<'_, T::Key>,
    ) -> Result<ListPart<T::Key>, Fault> {
        let rows = key(partition, T::ROWS, &[]);
        let prefix = match slice.access_path {
            AccessPath::All => key(partition, T::IN_ORDER.unwrap_or(T::ROWS), &[]),
            AccessPath::ByChange(family, value)
            | AccessPath::Unique(family, value)
            | AccessPath::Holders(family, value) => key(partition, family, &[value.part()]),
        };
        let (clock, since) = (clock_key(partition), tombstones_since_key(partition));
        let (from, end) = match slice.access_path {
            AccessPath::All | AccessPath::ByChange(..) => slice.key_range.keys(&prefix),
            AccessPath::Unique(..) | AccessPath::Holders(..) => {
                (prefix.clone(), after_prefix(&prefix))
            }
        };
        let range = Range {
            from: &from,
            to: Some(&end),
        };
        let newest_first = slice.key_range.newest_first;
        let are_the_rows = T::IN_ORDER.is_none() && matches!(slice.access_path, AccessPath::All);
        let mut reads = vec![Read::Get(&clock)];
        reads.push(match slice.access_path {
            AccessPath::Unique(..) => Read::Follow {
                key: &prefix,
                rows: &rows,
            },
            _ if are_the_rows => Read::Scan {
                range,
                limit: slice.limit,
                newest_first,
            },
            _ => Read::ScanFollow {
                range,
                limit: slice.limit,
                newest_first,
                rows: &rows,
                tail: T::IN_ORDER.map_or(T::Key::LEN, |_| ID_LEN),
            },
        });
        let tombstones = T::TOMBSTONES.map(|family| {
            let prefix = key(partition, family, &[]);
            slice.key_range.keys(&prefix)
        });
        let tombstones = tombstones.as_ref().zip(slice.tombstones);
        if let Some(((from, end), limit)) = tombstones {
            reads.push(Read::Get(&since));
            reads.push(Read::Scan {
                range: Range {
                    from,
                    to: Some(end),
                },
                limit,
                newest_first,
            });
        }
        let anchor = slice.anchor.map(|place| {
            let mut key = key(partition, T::ROWS, &[]).into_vec();
            place.write(&mut key);
            key
        });
        reads.extend(anchor.as_deref().map(Read::Get));
        let mut state = self.read(&reads).await?;
        let clock = ChangeClock::read(&clock, state.value()?.as_ref())?;
        let rows = if are_the_rows {
            by_key(state.entries()?)?
        } else {
            rows_of::<T>(slice.access_path, &prefix, &mut state)?
        };
        let mut listed = ListPart {
            rows,
            tombstones: Vec::new(),
            complete_since: None,
            changed_at: clock.updated_at,
            last_number: clock.sequence,
            anchor: None,
            cut_at: None,
        };
        if tombstones.is_some() {
            let row = state.value()?;
            listed.complete_since = row
                .map(|row| serde_json::from_slice::<CompleteSince>(&row))
                .transpose()
                .map_err(|e| Fault::corrupt(&since, e))?
                .map(|complete| complete.since);
            listed.tombstones = by_key(state.entries()?)?;
        }
        if anchor.is_some() {
            listed.anchor = state.value()?;
        }
        Ok(listed)
    }
}

/// The rows of index entries.
fn rows_of<T: Row>(
    access_path: AccessPath<'_>,
    prefix: &Key,
    state: &mut State,
) -> Result<Vec<Keyed<T::Key>>, Fault> {
    let found = |entry: &Key, row: Option<Value>| {
        row.ok_or_else(|| Fault::corrupt(entry, "an index entry without its row"))
    };
    let placed = |entry: &Key, row: Value| {
        let place = T::key_in(&row).map_err(|e| Fault::corrupt(entry, e))?;
        Ok((place, row))
    };
    match access_path {
        AccessPath::Unique(..) => {
            let Some((_, row)) = state.followed()? else {
                return Ok(Vec::new());
            };
            Ok(vec![placed(prefix, found(prefix, row)?)?])
        }
        AccessPath::Holders(..) => {
            let entries = state.joined()?.into_iter();
            entries
                .map(|((entry, _), row)| placed(&entry, found(&entry, row)?))
                .collect()
        }
        AccessPath::All | AccessPath::ByChange(..) => {
            let entries = state.joined()?.into_iter();
            let rows = entries.map(|((entry, _), row)| Ok((place(&entry)?, found(&entry, row)?)));
            rows.collect()
        }
    }
}

/// Entries with their places, from the ends of their keys.
fn by_key<K: SortKey>(entries: Vec<Entry>) -> Result<Vec<Keyed<K>>, Fault> {
    let placed = |(key, value): Entry| Ok((place(&key)?, value));
    entries.into_iter().map(placed).collect()
}

/// The place at the end of an entry's key.
fn place<K: SortKey>(key: &[u8]) -> Result<K, Fault> {
    K::at_end_of(key).ok_or_else(|| Fault::corrupt(key, "the key of no list"))
}
