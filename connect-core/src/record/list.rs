//! Reading without a unit of work: one record, or the records after a point in change order. Each
//! takes one round trip.

mod damage;

use serde::Deserialize;
use uuid::Uuid;

use super::{
    Fault, Record,
    clock::{ChangeClock, clock_key},
    index::{IndexKind, Indexed},
    keys::{self, Family, Part, after_prefix, change_of, key},
    store::Store,
};
use crate::{
    storage::{Entry, Key, Range, Read, State, Value},
    wire::Timestamp,
};

/// The point at which a list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// At this time, inclusive.
    From(Timestamp),
    /// After this record.
    After(Timestamp, Uuid),
}

/// A record's place in change order.
pub(crate) type Change = (Timestamp, Uuid);

/// A row with its place in change order.
pub(crate) type Row = (Change, Value);

/// The index that a list is read through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Through<'a> {
    /// All records, in change order.
    All,
    /// The records with a value, in change order.
    ByChange(Family, Indexed<'a>),
    /// The one record with a value.
    Unique(Family, Indexed<'a>),
    /// The records with a value, in any order. More than `limit` of them are not all returned.
    Holders(Family, Indexed<'a>),
}

impl<'a> Through<'a> {
    /// The records that an index has under a value.
    pub(crate) fn index(kind: IndexKind, family: Family, value: Indexed<'a>) -> Self {
        match kind {
            IndexKind::ByChange => Self::ByChange(family, value),
            IndexKind::Unique => Self::Unique(family, value),
            IndexKind::Holders => Self::Holders(family, value),
        }
    }
}

/// Which part of a list to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice<'a> {
    pub(crate) through: Through<'a>,
    pub(crate) position: Position,
    /// The most records to return.
    pub(crate) limit: usize,
    /// The most tombstones to return, if any are wanted.
    pub(crate) tombstones: Option<usize>,
    /// The last place to return, for lists in change order.
    pub(crate) until: Option<Change>,
}

/// The part of a list that was found, all in one state.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The records. In change order, unless they were read through [`Through::Holders`].
    pub(crate) rows: Vec<Row>,
    /// The tombstones, in change order.
    pub(crate) tombstones: Vec<Row>,
    /// Since when the tombstones are complete; `None` when none was ever purged.
    pub(crate) complete_since: Option<Timestamp>,
    /// The time of the last change of the partition.
    pub(crate) changed_at: Timestamp,
    /// The place behind which something cannot be read; nothing behind it was returned.
    pub(crate) cut_at: Option<Change>,
}

/// The row that says since when the tombstones of a location are complete.
#[derive(serde::Serialize, Deserialize)]
pub(crate) struct CompleteSince {
    /// The time.
    pub(crate) since: Timestamp,
}

/// The key of that row.
pub(crate) fn tombstones_since_key(location: Uuid) -> Key {
    key(location, Family::TombstonesSince, &[])
}

impl Store {
    /// The row of the record with this id.
    pub(crate) async fn row<T: Record>(
        &self,
        partition: Uuid,
        id: Uuid,
    ) -> Result<Option<Value>, Fault> {
        self.get(&key(partition, T::ROWS, &[Part::Id(id)])).await
    }

    /// Reads a part of a list. One in change order ends before a row that cannot be read.
    pub(crate) async fn list<T: Record>(
        &self,
        partition: Uuid,
        slice: Slice<'_>,
    ) -> Result<Listed, Fault> {
        match self.list_whole::<T>(partition, slice).await {
            Err(fault) if matches!(slice.through, Through::All | Through::ByChange(..)) => {
                self.list_up_to_damage::<T>(partition, slice, fault).await
            }
            result => result,
        }
    }

    /// Reads a part of a list, or fails.
    async fn list_whole<T: Record>(
        &self,
        partition: Uuid,
        slice: Slice<'_>,
    ) -> Result<Listed, Fault> {
        let rows = key(partition, T::ROWS, &[]);
        let prefix = match slice.through {
            Through::All => key(partition, T::BY_CHANGE, &[]),
            Through::ByChange(family, value)
            | Through::Unique(family, value)
            | Through::Holders(family, value) => key(partition, family, &[value.part()]),
        };
        let (clock, since) = (clock_key(partition), tombstones_since_key(partition));
        let (from, end) = (start(&prefix, slice.position), end_of(&prefix, slice.until));
        let mut reads = vec![Read::Get(&clock)];
        reads.push(match slice.through {
            Through::Unique(..) => Read::Follow {
                key: &prefix,
                rows: &rows,
            },
            Through::Holders(..) => joined(&prefix, &end, slice.limit, &rows),
            _ => joined(&from, &end, slice.limit, &rows),
        });
        let tombstones = key(partition, T::TOMBSTONES, &[]);
        let tombstones_end = end_of(&tombstones, slice.until);
        let tombstones = start(&tombstones, slice.position);
        if let Some(limit) = slice.tombstones {
            reads.push(Read::Get(&since));
            reads.push(Read::Scan {
                range: Range {
                    from: &tombstones,
                    to: Some(&tombstones_end),
                },
                limit,
                newest_first: false,
            });
        }
        let mut state = self.read(&reads).await?;
        let clock = ChangeClock::read(&clock, state.value()?.as_ref())?;
        let mut listed = Listed {
            rows: rows_of(slice.through, &prefix, &mut state)?,
            tombstones: Vec::new(),
            complete_since: None,
            changed_at: clock.updated_at,
            cut_at: None,
        };
        if slice.tombstones.is_some() {
            let row = state.value()?;
            listed.complete_since = row
                .map(|row| serde_json::from_slice::<CompleteSince>(&row))
                .transpose()
                .map_err(|e| Fault::corrupt(&since, e))?
                .map(|complete| complete.since);
            let entries = state.entries()?;
            listed.tombstones = entries.into_iter().map(by_key).collect::<Result<_, _>>()?;
        }
        Ok(listed)
    }
}

fn rows_of(through: Through<'_>, prefix: &Key, state: &mut State) -> Result<Vec<Row>, Fault> {
    let found = |entry: &Key, row: Option<Value>| {
        row.ok_or_else(|| Fault::corrupt(entry, "an index entry without its row"))
    };
    match through {
        Through::Unique(..) => {
            let Some((_, row)) = state.followed()? else {
                return Ok(Vec::new());
            };
            let row = found(prefix, row)?;
            Ok(vec![(change_in(prefix, &row)?, row)])
        }
        Through::Holders(..) => {
            let entries = state.joined()?.into_iter();
            entries
                .map(|((entry, _), row)| {
                    let row = found(&entry, row)?;
                    Ok((change_in(&entry, &row)?, row))
                })
                .collect()
        }
        Through::All | Through::ByChange(..) => {
            let entries = state.joined()?.into_iter();
            entries
                .map(|((entry, _), row)| {
                    let row = found(&entry, row)?;
                    by_key((entry, row))
                })
                .collect()
        }
    }
}

/// An entry whose key ends with its place in change order.
fn by_key((key, value): Entry) -> Result<Row, Fault> {
    let change = change_of(&key).ok_or_else(|| Fault::corrupt(&key, "not a change key"))?;
    Ok((change, value))
}

/// A record's place in change order, as the record itself tells it.
fn change_in(key: &[u8], row: &[u8]) -> Result<Change, Fault> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Changed {
        id: Uuid,
        updated_at: Timestamp,
    }
    let changed: Changed = serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
    Ok((changed.updated_at, changed.id))
}

/// Index entries with their rows.
fn joined<'a>(from: &'a [u8], to: &'a [u8], limit: usize, rows: &'a [u8]) -> Read<'a> {
    Read::ScanFollow {
        range: Range { from, to: Some(to) },
        limit,
        newest_first: false,
        rows,
        tail: 16,
    }
}

/// The first key behind `prefix` that lies at a position.
fn start(prefix: &[u8], position: Position) -> Vec<u8> {
    let mut from = prefix.to_vec();
    match position {
        Position::From(time) => from.extend_from_slice(&keys::time_bytes(time)),
        Position::After(time, id) => {
            from.extend_from_slice(&keys::time_bytes(time));
            from.extend_from_slice(id.as_bytes());
            // The next key in order: this one with a zero byte behind it.
            from.push(0);
        }
    }
    from
}

/// The first key behind `prefix` that lies behind a place, or behind all that start with it.
fn end_of(prefix: &[u8], until: Option<Change>) -> Key {
    match until {
        Some((time, id)) => start(prefix, Position::After(time, id)).into(),
        None => after_prefix(prefix),
    }
}
