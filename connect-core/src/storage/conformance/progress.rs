//! The progress of concurrent units of work.

use std::sync::Arc;

use tokio::task::yield_now;

use super::{
    Fault, Place,
    support::{TASKS, at_once, get, guarded, number, same, won},
};
use crate::storage::{Commit, CommitError, Read, State, Storage};

/// The units of work of each task, one after another.
const UNITS: u8 = 4;

pub(super) async fn two_runs(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    at_once(&store, |store, task| async move {
        for unit in 0..UNITS {
            work(&store, &[task, unit]).await?;
        }
        Ok(())
    })
    .await?;
    let sum = get(&*store, b"sum").await?.unwrap_or_default();
    let wanted = u64::from(TASKS) * u64::from(UNITS);
    same("the sum of all units of work", number(&sum)?, wanted)
}

const READS: [Read<'static>; 2] = [Read::Get(b"g"), Read::Get(b"sum")];

/// Adds one to a sum shared by all tasks.
/// Like every unit of work of the core, it runs first without a lock, and after a conflict under
/// one.
async fn work(store: &Arc<dyn Storage>, nonce: &[u8]) -> Result<(), Fault> {
    let first = one_more(&mut store.read(&READS).await?, nonce)?;
    yield_now().await;
    if won(store.commit(first).await)? {
        return Ok(());
    }
    let lock = store.lock(b"g").await?;
    let second = one_more(&mut lock.read(&READS).await?, nonce)?;
    // The work itself takes some time too.
    yield_now().await;
    lock.commit(second).await.map_err(|error| match error {
        CommitError::Conflict => Fault::new("a conflict under a lock"),
        error => error.into(),
    })
}

fn one_more(state: &mut State, nonce: &[u8]) -> Result<Commit, Fault> {
    let guard = state.value()?;
    let sum = state.value()?.as_deref().map_or(Ok(0), number)? + 1;
    let becomes = [&sum.to_be_bytes()[..], nonce].concat();
    Ok(guarded(
        b"g",
        guard.as_deref(),
        &becomes,
        b"sum",
        &sum.to_be_bytes(),
    ))
}
