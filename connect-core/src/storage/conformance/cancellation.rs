//! Cancelled commits.

use std::time::Duration;

use futures_util::future::poll_immediate;
use tokio::{task::yield_now, time::sleep};

use super::{
    Fault, Place,
    support::{commit, everything, get, guarded, put, same, some_trips, soon},
};
use crate::storage::{Commit, CommitError, Guard, Read, Storage, Value, Write};

/// The number of cancelled commits, each dropped a little later.
const ROUNDS: u32 = 60;

/// The rows of each cancelled commit.
const PARTS: u8 = 6;

pub(super) async fn whole_or_nothing(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for round in 0..ROUNDS {
        let given_up = Commit {
            writes: parts(round),
            ..Commit::default()
        };
        give_up(store.commit(given_up), round).await?;
        // Read at once, while it may still be under way.
        whole(&*store, round).await?;
    }
    // A store that still works, and nothing in part.
    put(&*store, &[("\u{ff}end", "")]).await?;
    let rows = everything(&*store).await?.len() - 1;
    same("rows left over", rows % usize::from(PARTS), 0)
}

pub(super) async fn holds_nobody_up(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for round in 0..ROUNDS / 3 {
        let was = get(&*store, b"g").await?;
        give_up(store.commit(large(was, round, 0)), round).await?;
        let next = async {
            // A cancelled commit may still be applied; it then refuses this one, once.
            for attempt in 1..=2 {
                let was = get(&*store, b"g").await?;
                match store.commit(large(was, round, attempt)).await {
                    Err(CommitError::Conflict) => {}
                    result => return Ok(result?),
                }
            }
            Err(Fault::new("refused, although no other commit runs"))
        };
        soon("a commit after one that was given up", place, next).await??;
    }
    Ok(())
}

pub(super) async fn over_before_a_lock(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for round in 0..ROUNDS / 3 {
        let was = get(&*store, b"g").await?;
        give_up(store.commit(large(was, round, 0)), round).await?;
        soon("a lock after a commit", place, under_lock(&*store, round)).await??;
    }
    Ok(())
}

pub(super) async fn under_a_lock(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for round in 0..ROUNDS / 3 {
        let was = get(&*store, b"g").await?;
        let lock = store.lock(b"g").await?;
        give_up(lock.commit(large(was, round, 0)), round).await?;
        soon("a lock after a lock", place, under_lock(&*store, round)).await??;
        whole(&*store, round).await?;
    }
    Ok(())
}

/// Makes a commit under a lock.
/// It meets no conflict: no other commit is under way by then.
async fn under_lock(store: &dyn Storage, round: u32) -> Result<(), Fault> {
    let lock = store.lock(b"g").await?;
    let was = lock.read(&[Read::Get(b"g")]).await?.value()?;
    // Leaves time for commits to end that wrongly still run.
    some_trips(store).await?;
    let becomes = [&round.to_be_bytes()[..], b"locked"].concat();
    let next = guarded(b"g", was.as_deref(), &becomes, b"last", b"");
    lock.commit(next).await.map_err(|error| match error {
        CommitError::Conflict => {
            Fault::new("a conflict under a lock, with a commit that was given up")
        }
        error => error.into(),
    })
}

/// A commit of all parts of a round with a guard.
fn large(was: Option<Value>, round: u32, attempt: u8) -> Commit {
    Commit {
        guard: Some(Guard {
            key: b"g"[..].into(),
            was,
            becomes: [&round.to_be_bytes()[..], &[attempt]].concat().into(),
        }),
        writes: parts(round),
        ..commit::<&str, &str>(&[], &[])
    }
}

fn part(round: u32, part: u8) -> Vec<u8> {
    [&round.to_be_bytes()[..], &[part]].concat()
}

fn parts(round: u32) -> Vec<(Box<[u8]>, Write)> {
    let len = if round.is_multiple_of(7) { 100_000 } else { 10 };
    let value = Value::from(vec![b'v'; len]);
    (0..PARTS)
        .map(|number| (part(round, number).into(), Write::Put(value.clone())))
        .collect()
}

/// Checks for all parts of a round, or none.
async fn whole(store: &dyn Storage, round: u32) -> Result<(), Fault> {
    let keys: Vec<_> = (0..PARTS).map(|number| part(round, number)).collect();
    let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
    let mut found = store.read(&reads).await?;
    let mut there = 0;
    for _ in &keys {
        there += u8::from(found.value()?.is_some());
    }
    if there == 0 || there == PARTS {
        return Ok(());
    }
    Err(Fault::new(format_args!(
        "{there} of {PARTS} rows of a commit are there"
    )))
}

/// Polls a commit a few times, with pauses, and drops it.
async fn give_up(
    commit: impl Future<Output = Result<(), CommitError>>,
    round: u32,
) -> Result<(), Fault> {
    let mut commit = Box::pin(commit);
    for poll in 0..=round % 12 {
        match poll_immediate(&mut commit).await {
            Some(acknowledged) => return Ok(acknowledged?),
            None if (round + poll).is_multiple_of(5) => sleep(Duration::from_millis(1)).await,
            None => yield_now().await,
        }
    }
    Ok(())
}
