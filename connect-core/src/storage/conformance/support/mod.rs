//! Helper functions for the checks.

mod compare;

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep, timeout};

pub(super) use self::compare::{ShortenedBytes, number, same, same_rows, same_value};
use super::{Fault, Place};
use crate::storage::{
    Commit, CommitError, Entry, Expectation, Guard, Key, Range, Read, Storage, Value, Write,
};

/// The whole key space.
pub(super) const ALL: Range<'static> = Range {
    from: b"",
    to: None,
};

/// The value of one key.
pub(super) async fn get(store: &dyn Storage, key: &[u8]) -> Result<Option<Value>, Fault> {
    Ok(store.read(&[Read::Get(key)]).await?.value()?)
}

/// A scan in ascending order.
pub(super) fn ascending(range: Range<'_>, limit: usize) -> Read<'_> {
    Read::Scan {
        range,
        limit,
        newest_first: false,
    }
}

/// The first entries of a range.
pub(super) async fn scan(
    store: &dyn Storage,
    range: Range<'_>,
    limit: usize,
) -> Result<Vec<Entry>, Fault> {
    Ok(store.read(&[ascending(range, limit)]).await?.entries()?)
}

/// Every entry of the store.
pub(super) async fn everything(store: &dyn Storage) -> Result<Vec<Entry>, Fault> {
    scan(store, ALL, usize::MAX).await
}

/// A commit without a guard.
/// `None` means absent among the expectations, and removed among the writes.
pub(super) fn commit<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    expects: &[(K, Option<V>)],
    writes: &[(K, Option<V>)],
) -> Commit {
    let value = |value: &Option<V>| value.as_ref().map(|value| Value::from(value.as_ref()));
    let key = |key: &K| Key::from(key.as_ref());
    Commit {
        guard: None,
        expects: expects
            .iter()
            .map(|(k, expected)| (key(k), Expectation::unchanged(value(expected))))
            .collect(),
        writes: writes
            .iter()
            .map(|(k, written)| (key(k), value(written).map_or(Write::Remove, Write::Put)))
            .collect(),
    }
}

/// A commit with a guard and one more row.
pub(super) fn guarded(
    guard: &[u8],
    was: Option<&[u8]>,
    becomes: &[u8],
    key: &[u8],
    value: &[u8],
) -> Commit {
    Commit {
        guard: Some(Guard {
            key: guard.into(),
            was: was.map(Value::from),
            becomes: becomes.into(),
        }),
        ..commit(&[], &[(key, Some(value))])
    }
}

/// Writes rows without expectations.
pub(super) async fn put<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    store: &dyn Storage,
    rows: &[(K, V)],
) -> Result<(), Fault> {
    let rows: Vec<_> = rows.iter().map(|(key, value)| (key, Some(value))).collect();
    Ok(store.commit(commit(&[], &rows)).await?)
}

/// Removes keys without expectations.
pub(super) async fn remove(store: &dyn Storage, keys: &[&str]) -> Result<(), Fault> {
    let rows: Vec<(&str, Option<&str>)> = keys.iter().map(|key| (*key, None)).collect();
    Ok(store.commit(commit(&[], &rows)).await?)
}

/// Makes a commit, and checks for its refusal.
pub(super) async fn refused(what: &str, store: &dyn Storage, refused: Commit) -> Result<(), Fault> {
    conflict(what, store.commit(refused).await)
}

/// Checks for a conflict as the result of a commit.
pub(super) fn conflict(what: &str, result: Result<(), CommitError>) -> Result<(), Fault> {
    match result {
        Err(CommitError::Conflict) => Ok(()),
        Err(error) => Err(Fault::new(format_args!(
            "{what}: wanted a conflict, got: {error}"
        ))),
        Ok(()) => Err(Fault::new(format_args!(
            "{what}: wanted a conflict, was acknowledged"
        ))),
    }
}

/// Returns `true` for an acknowledged commit, `false` for a refused one.
pub(super) fn won(result: Result<(), CommitError>) -> Result<bool, Fault> {
    match result {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The number of concurrent tasks.
pub(super) const TASKS: u8 = 8;

/// Runs the same work in several tasks at once.
pub(super) async fn at_once<T, F>(
    store: &Arc<dyn Storage>,
    work: impl Fn(Arc<dyn Storage>, u8) -> F,
) -> Result<Vec<T>, Fault>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Fault>> + Send + 'static,
{
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| tokio::spawn(work(store.clone(), task)))
        .collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await??);
    }
    Ok(results)
}

/// Waits for an event, for two leases and a second at most.
pub(super) async fn soon<T>(
    what: &str,
    place: &dyn Place,
    future: impl Future<Output = T>,
) -> Result<T, Fault> {
    let patience = 2 * place.lease() + Duration::from_secs(1);
    let late = |_| Fault::new(format_args!("{what}: still waited for after {patience:?}"));
    timeout(patience, future).await.map_err(late)
}

/// The number of runs of a slow body before its fault counts.
const TRIES: u8 = 3;

/// Runs a body within one lease, with an unused guard.
/// On a machine too busy for this, a fault says nothing, so the body runs again. A body without an
/// end means a caller waiting forever.
pub(super) async fn within_a_lease<F>(
    place: &dyn Place,
    body: impl Fn(Arc<dyn Storage>, Vec<u8>) -> F,
) -> Result<(), Fault>
where
    F: Future<Output = Result<(), Fault>> + Send,
{
    let store = place.open().await?;
    for attempt in 1.. {
        let start = Instant::now();
        let guard = format!("guard {attempt}").into_bytes();
        let mut result = soon("the check", place, body(store.clone(), guard)).await?;
        let taken = start.elapsed();
        if taken < place.lease() / 2 {
            return result;
        }
        if result.is_ok() && taken >= place.lease() {
            result = Err(Fault::new("it took until the lease of a lock was over"));
        }
        if result.is_ok() || attempt == TRIES {
            return result;
        }
    }
    Ok(())
}

/// Makes some trips to the store, so earlier requests have arrived.
/// It also leaves spawned tasks some time to send theirs.
pub(super) async fn some_trips(store: &dyn Storage) -> Result<(), Fault> {
    for _ in 0..3 {
        get(store, b"none").await?;
        sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}
