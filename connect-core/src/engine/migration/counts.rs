//! Migration 3: every location with rows has counts in its clock.
//!
//! Programs before the counts left none, and version 2 counted in pieces between other writes.

use serde::Deserialize;
use uuid::Uuid;

use super::super::connect::Connect;
use crate::{
    storage::{Commit, Entry, Expectation, Range, Read, Write},
    transaction::{
        ChangeClock, Fault, ReadKey, Usage, UsageRule, clock_key, counted,
        keys::{Family, after_prefix},
    },
    wire::Timestamp,
};

/// The rows of one read.
const PAGE: usize = 500;

/// Counts the rows of a location, if its clock has no counts.
pub(super) async fn change(connect: &Connect, location: Uuid) -> Result<Option<Commit>, Fault> {
    let (store, key) = (connect.store(), clock_key(location));
    // Without a clock there are no rows.
    let Some(row) = store.get(&key).await? else {
        return Ok(None);
    };
    let mut clock = ChangeClock::read(&key, Some(&row))?;
    if clock.usage.is_some() {
        return Ok(None);
    }
    let mut usage = Usage::default();
    let (mut from, end) = (
        location.as_bytes().to_vec(),
        after_prefix(location.as_bytes()),
    );
    loop {
        let range = Range {
            from: &from,
            to: Some(&end),
        };
        let scan = Read::Scan {
            range,
            limit: PAGE,
            newest_first: false,
        };
        let rows = store.read(&[scan]).await?.entries()?;
        let trail_days = store.trail_days().into();
        rows.iter()
            .for_each(|row| add(&mut usage, row, trail_days, connect.now()));
        match rows.last() {
            Some((last, _)) if rows.len() == PAGE => from = [last, &[0][..]].concat(),
            _ => break,
        }
    }
    clock.usage = Some(usage);
    let counted = serde_json::to_vec(&clock).map_err(|e| Fault::corrupt(&key, e))?;
    // The last commits of an older program may still have been under way: each changes the clock.
    Ok(Some(Commit {
        expects: vec![(key.clone(), Expectation::Is(row))],
        writes: vec![(key, Write::Put(counted.into()))],
        ..Commit::default()
    }))
}

/// Adds a stored row.
fn add(usage: &mut Usage, (key, row): &Entry, trail_days: i64, now: Timestamp) {
    let Some(at) = ReadKey::of(key) else { return };
    let rule = match at.family {
        Family::Trail => Some(UsageRule::Days(trail_days)),
        family => counted(family),
    };
    match rule {
        None => {}
        Some(UsageRule::Always) => usage.add(key, at.family, row.len()),
        Some(UsageRule::Days(days)) => {
            let written = match at.family {
                Family::Event | Family::Trail => created_at(row),
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
        #[serde(alias = "at")]
        created_at: Timestamp,
    }
    let created = serde_json::from_slice(row).ok();
    created.map(|created: CreationTime| created.created_at)
}
