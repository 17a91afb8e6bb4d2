//! The first and the last receipt number of a time range.
//!
//! Rows are stored in order of arrival, and a register delivers late after being offline. The days
//! of the journal still bound the rows of a time range, so few rows outside it are read:
//!
//! - The first row is the one of the first entry of [`Family::ReceiptFrom`] from the first day on.
//!   A late row is never in this index.
//! - The last row of a short range is the last row of its days, found in their summaries. Late rows
//!   of other days do not move it, however old they are.
//! - The last row of a longer range, or of one without a beginning, is the last row of a day: the
//!   day of the last entry of [`Family::ReceiptUpTo`] up to the end. A late row of long ago moves
//!   this bound to itself.

use std::ops::Bound;

use serde::Deserialize;
use uuid::Uuid;

use super::days::day_number;
use crate::{
    engine::Connect,
    rules::zone,
    storage::{Key, Range, Read, State, Value},
    transaction::{
        Fault,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::Timestamp,
};

/// The longest short range in days: a quarter.
/// Its summaries are about as long as a page of rows.
const MOST_DAYS: u64 = 92;

/// Returns the receipt numbers around a time range, in one round trip.
/// Without a time bound it reads nothing.
pub(super) async fn bounds(
    connect: &Connect,
    location: Uuid,
    (from, to): (Option<Timestamp>, Option<Timestamp>),
) -> Result<(Bound<u64>, Bound<u64>), Fault> {
    let day = |time| day_number(zone::day_of(time));
    let from = from.map(day);
    // The first day after the range.
    let to = to.map(|to| day(to.plus_micros(-1)) + 1);
    let first = from.map(|from| First::of(location, from));
    let last = to.map(|to| Last::of(location, from, to));
    let reads = first.iter().map(First::read);
    let reads: Vec<_> = reads.chain(last.iter().map(Last::read)).collect();
    if reads.is_empty() {
        return Ok((Bound::Unbounded, Bound::Unbounded));
    }
    let mut state = connect.store().read(&reads).await?;
    let first = first.map_or(Ok(Bound::Unbounded), |_| First::found(&mut state))?;
    let last = last.map_or(Ok(Bound::Unbounded), |last| last.found(&mut state))?;
    Ok((first, last))
}

/// The read of the first row of a time range.
struct First {
    from: Key,
    to: Key,
}

impl First {
    fn of(location: Uuid, day: u64) -> Self {
        Self {
            from: key(location, Family::ReceiptFrom, &[KeyPart::Number(day)]),
            to: after_prefix(&key(location, Family::ReceiptFrom, &[])),
        }
    }

    fn read(&self) -> Read<'_> {
        Read::Scan {
            range: Range {
                from: &self.from,
                to: Some(&self.to),
            },
            limit: 1,
            newest_first: false,
        }
    }

    fn found(state: &mut State) -> Result<Bound<u64>, Fault> {
        let entries = state.entries()?;
        let Some((key, held)) = entries.first() else {
            return Ok(Bound::Excluded(u64::MAX));
        };
        let number = <[u8; 8]>::try_from(&**held);
        let number = number.map_err(|_| Fault::corrupt(key, "not a receipt number"))?;
        Ok(Bound::Included(u64::from_be_bytes(number)))
    }
}

/// The read of the last row of a time range.
enum Last {
    /// The summaries of its days.
    Days { from: Key, to: Key },
    /// The last entry of the index, with the summary of its day.
    UpTo { from: Key, to: Key, summaries: Key },
}

impl Last {
    /// The read for the days before `to`.
    /// They start at `from`, if the range has a beginning.
    fn of(location: Uuid, from: Option<u64>, to: u64) -> Self {
        let at = |family, day| key(location, family, &[KeyPart::Number(day)]);
        match from {
            Some(from) if to.saturating_sub(from) <= MOST_DAYS => Self::Days {
                from: at(Family::JournalDay, from),
                to: at(Family::JournalDay, to),
            },
            _ => Self::UpTo {
                from: key(location, Family::ReceiptUpTo, &[]),
                to: at(Family::ReceiptUpTo, to),
                summaries: key(location, Family::JournalDay, &[]),
            },
        }
    }

    fn read(&self) -> Read<'_> {
        match self {
            Self::Days { from, to } => Read::Scan {
                range: Range { from, to: Some(to) },
                limit: usize::MAX,
                newest_first: false,
            },
            Self::UpTo {
                from,
                to,
                summaries,
            } => Read::ScanFollow {
                range: Range { from, to: Some(to) },
                limit: 1,
                newest_first: true,
                rows: summaries,
                tail: 8,
            },
        }
    }

    fn found(&self, state: &mut State) -> Result<Bound<u64>, Fault> {
        let numbers: Result<Vec<u64>, Fault> = match self {
            Self::Days { .. } => {
                let summaries = state.entries()?;
                summaries
                    .iter()
                    .map(|(key, row)| of_day(key, row))
                    .collect()
            }
            Self::UpTo { .. } => {
                let entries = state.joined()?;
                let followed = entries.iter().map(|((key, _), row)| {
                    let row = row.as_ref();
                    let row = row.ok_or_else(|| Fault::corrupt(key, "a day without its summary"));
                    of_day(key, row?)
                });
                followed.collect()
            }
        };
        let last = numbers?.into_iter().max();
        Ok(last.map_or(Bound::Excluded(0), Bound::Included))
    }
}

/// Returns the last row of a day, given its summary.
fn of_day(key: &Key, summary: &Value) -> Result<u64, Fault> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Last {
        last_receipt_number: Option<u64>,
    }
    let last: Last = serde_json::from_slice(summary).map_err(|e| Fault::corrupt(key, e))?;
    Ok(last.last_receipt_number.unwrap_or_default())
}
