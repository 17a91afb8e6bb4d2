//! The first count of locations in a store written by an older version.
//!
//! The rows of a location are counted in pieces, each with a commit recording the progress. Writes go on
//! meanwhile: they count their changes to rows already covered, and leave the rest to this count.

use serde::Deserialize;
use uuid::Uuid;

use super::super::connect::Connect;
use crate::{
    storage::{Entry, Range, Read},
    transaction::{
        ChangeClock, Fault, ReadKey, Usage, UsageRule, clock_key, committed, counted,
        keys::{Family, after_prefix},
    },
    wire::Timestamp,
};

/// The rows counted per commit: few enough to hardly delay writers.
const PIECE: usize = 500;

/// The outcome of counting a piece.
enum CountingStep {
    More,
    /// A concurrent write came first.
    Conflict,
    Done,
}

impl Connect {
    /// Counts the rows of a location, unless already counted.
    pub(super) async fn count_rows(&self, at: Uuid, now: Timestamp) -> Result<(), Fault> {
        let mut is_contended = false;
        loop {
            match self.count_piece(at, now, is_contended).await? {
                CountingStep::More => is_contended = false,
                CountingStep::Conflict => is_contended = true,
                CountingStep::Done => return Ok(()),
            }
        }
    }

    async fn count_piece(
        &self,
        at: Uuid,
        now: Timestamp,
        locks: bool,
    ) -> Result<CountingStep, Fault> {
        let (storage, key) = (self.store().storage(), clock_key(at));
        let lock = match locks {
            true => Some(storage.lock(&key).await?),
            false => None,
        };
        let clock = [Read::Get(&key)];
        let mut row = match &lock {
            Some(lock) => lock.read(&clock).await?,
            None => self.store().read(&clock).await?,
        };
        // Without a clock there are no rows: the first write starts the count.
        let Some(row) = row.value()? else {
            return Ok(CountingStep::Done);
        };
        let mut clock = ChangeClock::read(&key, Some(&row))?;
        let mut usage = match clock.usage.take() {
            Some(usage) if usage.is_complete() => return Ok(CountingStep::Done),
            Some(usage) => usage,
            None => Usage::default(),
        };
        let from = usage
            .counted_to
            .as_ref()
            .and_then(|to| hex::decode(to).ok());
        let from = from.map_or_else(|| at.as_bytes().to_vec(), |to| [&to[..], &[0]].concat());
        let range = Range {
            from: &from,
            to: Some(&after_prefix(at.as_bytes())),
        };
        let scan = [Read::Scan {
            range,
            limit: PIECE,
            newest_first: false,
        }];
        // The commit expects an unchanged clock, so it detects any write meanwhile.
        let mut rows = match &lock {
            Some(lock) => lock.read(&scan).await?,
            None => self.store().read(&scan).await?,
        };
        let rows = rows.entries()?;
        rows.iter().for_each(|row| add(&mut usage, row, now));
        let last = rows.last().filter(|_| rows.len() == PIECE);
        usage.counted_to = last.map(|(key, _)| hex::encode(key));
        let is_done = usage.is_complete();
        clock.usage = Some(usage);
        let time = clock.updated_at;
        let commit = clock.moving_to(time, self.store().nonce(), (key, Some(row)))?;
        let is_committed = match lock {
            Some(lock) => committed(lock.commit(commit).await)?,
            None => self.store().commit(commit).await?,
        };
        Ok(match (is_committed, is_done) {
            (false, _) => CountingStep::Conflict,
            (true, false) => CountingStep::More,
            (true, true) => CountingStep::Done,
        })
    }
}

/// Adds a stored row.
fn add(usage: &mut Usage, (key, row): &Entry, now: Timestamp) {
    let Some(at) = ReadKey::of(key) else { return };
    match counted(at.family) {
        None => {}
        Some(UsageRule::Always) => usage.add(key, at.family, row.len()),
        Some(UsageRule::Days(days)) => {
            let written = match at.family {
                Family::Event => created_at(row),
                _ => at.time(),
            };
            let until = written.unwrap_or(now).plus_days(days);
            usage.add_until((key.len() + row.len()) as u64, until, now);
        }
    }
}

/// Returns the creation time of a row, without parsing the rest of it.
fn created_at(row: &[u8]) -> Option<Timestamp> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CreationTime {
        created_at: Timestamp,
    }
    let created = serde_json::from_slice(row).ok();
    created.map(|created: CreationTime| created.created_at)
}
