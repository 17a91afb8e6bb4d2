//! Small words in which the checks are written.

use std::fmt;

use super::Fault;
use crate::storage::{Commit, CommitError, Entry, Expectation, Key, Range, Storage, Value};

/// The whole key space.
pub(super) const ALL: Range<'static> = Range {
    from: b"",
    to: None,
};

/// A commit; `None` means absent among the expectations, and removed among the writes.
pub(super) fn commit<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    expects: &[(K, Option<V>)],
    writes: &[(K, Option<V>)],
) -> Commit {
    let value = |value: &Option<V>| value.as_ref().map(|value| Value::from(value.as_ref()));
    let key = |key: &K| Key::from(key.as_ref());
    Commit {
        expects: expects
            .iter()
            .map(|(k, expected)| (key(k), Expectation::unchanged(value(expected))))
            .collect(),
        writes: writes
            .iter()
            .map(|(k, written)| (key(k), value(written)))
            .collect(),
    }
}

/// Writes rows without expecting anything.
pub(super) async fn put<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    store: &dyn Storage,
    rows: &[(K, V)],
) -> Result<(), Fault> {
    let rows: Vec<_> = rows.iter().map(|(key, value)| (key, Some(value))).collect();
    Ok(store.commit(commit(&[], &rows)).await?)
}

/// Removes keys without expecting anything.
pub(super) async fn remove(store: &dyn Storage, keys: &[&str]) -> Result<(), Fault> {
    let rows: Vec<(&str, Option<&str>)> = keys.iter().map(|key| (*key, None)).collect();
    Ok(store.commit(commit(&[], &rows)).await?)
}

/// Commits what has to be refused.
pub(super) async fn refused(what: &str, store: &dyn Storage, refused: Commit) -> Result<(), Fault> {
    match store.commit(refused).await {
        Err(CommitError::Conflict) => Ok(()),
        Err(error) => Err(Fault::new(format_args!(
            "{what}: wanted a conflict, got: {error}"
        ))),
        Ok(()) => Err(Fault::new(format_args!(
            "{what}: wanted a conflict, was acknowledged"
        ))),
    }
}

/// Compares rows with what they should be.
pub(super) fn same_rows<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    what: impl fmt::Display,
    found: &[Entry],
    wanted: &[(K, V)],
) -> Result<(), Fault> {
    let found: Vec<_> = found
        .iter()
        .map(|(key, value)| (Short(key), Short(value)))
        .collect();
    let wanted: Vec<_> = wanted
        .iter()
        .map(|(key, value)| (Short(key.as_ref()), Short(value.as_ref())))
        .collect();
    same(what, found, wanted)
}

/// Compares what was found for a key with what it should be.
pub(super) fn same_value(
    what: impl fmt::Display,
    found: Option<&Value>,
    wanted: Option<&[u8]>,
) -> Result<(), Fault> {
    same(what, found.map(|value| Short(value)), wanted.map(Short))
}

/// Compares anything that can be shown.
pub(super) fn same<T: PartialEq + fmt::Debug>(
    what: impl fmt::Display,
    found: T,
    wanted: T,
) -> Result<(), Fault> {
    if found == wanted {
        return Ok(());
    }
    Err(Fault::new(format_args!(
        "{what}: found {found:?}, wanted {wanted:?}"
    )))
}

/// Bytes that are shown in short.
#[derive(PartialEq)]
struct Short<'a>(&'a [u8]);

impl fmt::Debug for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        let Self(bytes) = self;
        match bytes.get(..SHOWN) {
            None => write!(f, "\"{}\"", bytes.escape_ascii()),
            Some(start) => write!(f, "\"{}…\" ({} bytes)", start.escape_ascii(), bytes.len()),
        }
    }
}
