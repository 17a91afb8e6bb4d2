//! The checks of a store after a kill.

use std::collections::BTreeMap;

use super::{
    lane::{
        INDEX, LARGE, ROW, SINGLE, TAIL, entry_key, guard_key, guard_number, rows, single_number,
    },
    load::{Load, StoreContents},
    reader::{bounds, starting},
};
use crate::storage::{
    Read, Storage,
    conformance::{
        Fault,
        support::{everything, get, number, same, same_rows, scan},
    },
};

/// The number of the last commit of each lane.
pub(super) async fn last_commits(
    store: &dyn Storage,
    load: Load,
) -> Result<BTreeMap<u8, u64>, Fault> {
    let mut last = BTreeMap::new();
    for lane in 0..load.lanes {
        if let Some(guard) = get(store, &guard_key(lane)).await? {
            last.insert(lane, guard_number(&guard)?);
        }
    }
    if let Some(single) = get(store, SINGLE).await? {
        last.insert(load.lanes, single_number(&single)?);
    }
    Ok(last)
}

/// Checks the store for exactly the rows expected after the last commits.
pub(super) async fn whole(
    store: &dyn Storage,
    load: Load,
    last: &BTreeMap<u8, u64>,
) -> Result<StoreContents, Fault> {
    let mut rows = last.len();
    for lane in 0..load.lanes {
        let last = last.get(&lane).copied().unwrap_or_default();
        rows += small(store, load, lane, last).await?;
        rows += large(store, load, lane, last).await?;
    }
    let all = everything(store).await?.len();
    same("rows in all", all, rows)?;
    let commits = last.values().sum();
    Ok(StoreContents { commits, rows })
}

/// Checks the kept rows of a lane, and their index entries.
async fn small(store: &dyn Storage, load: Load, lane: u8, last: u64) -> Result<usize, Fault> {
    let first = (last + 1).saturating_sub(load.kept).max(1);
    let wanted: Vec<_> = (first..=last)
        .flat_map(|number| rows(lane, number))
        .collect();
    let what = format!("lane {lane} up to {last}");
    let [from, to] = bounds(ROW, lane);
    let found = scan(store, starting(&from, &to), usize::MAX).await?;
    same_rows(format_args!("the rows of {what}"), &found, &wanted)?;
    let [from, to] = bounds(INDEX, lane);
    let join = Read::ScanFollow {
        range: starting(&from, &to),
        limit: usize::MAX,
        newest_first: false,
        rows: &[ROW],
        tail: TAIL,
    };
    let joined = store.read(&[join]).await?.joined()?;
    let mut found = Vec::new();
    for ((key, _), row) in joined {
        let missing = || Fault::new(format_args!("the entry {key:?} of {what} has no row"));
        let row = row.ok_or_else(missing)?;
        found.push((key, row));
    }
    let wanted: Vec<_> = wanted
        .iter()
        .map(|(key, row)| (entry_key(key), row))
        .collect();
    same_rows(format_args!("the entries of {what}"), &found, &wanted)?;
    Ok(2 * wanted.len())
}

/// Checks the rows of a lane's large commits: all are of the last.
async fn large(store: &dyn Storage, load: Load, lane: u8, last: u64) -> Result<usize, Fault> {
    let large = last - last % load.large_every;
    let [from, to] = bounds(LARGE, lane);
    let found = scan(store, starting(&from, &to), usize::MAX).await?;
    let wanted = if large == 0 { 0 } else { load.large_rows };
    let what = format!("lane {lane}, whose last large commit is {large}");
    same(format_args!("rows of {what}"), found.len(), wanted as usize)?;
    for (_, value) in &found {
        same(format_args!("a row of {what}"), number(value)?, large)?;
    }
    Ok(found.len())
}
