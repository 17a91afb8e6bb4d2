//! Commits: one call of a function in the database.

use std::{
    collections::{HashMap, hash_map::Entry},
    iter,
    sync::LazyLock,
};

use tokio_postgres::{
    Error,
    types::{ToSql, Type},
};

use super::connections::Connection;
use crate::storage::{Commit, Expectation, Guard, Key, RowsVersion, Write};

/// The call of the function in `schema.sql`.
static CALL: LazyLock<String> = LazyLock::new(|| {
    let oldest = RowsVersion::THIS.oldest_reader;
    format!(
        "SELECT connect_commit_{oldest}(\
         $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
    )
});

/// The types of the parameters of [`CALL`].
fn types() -> Vec<Type> {
    let arrays = [const { Type::BYTEA_ARRAY }; 17];
    iter::once(Type::BOOL).chain(arrays).collect()
}

/// Prepares the call on a connection.
/// Afterwards [`apply`] sends it as soon as it is polled.
///
/// # Errors
/// The database gave no answer.
pub(super) async fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.know(&CALL, &types()).await
}

/// Keys with values, as two arrays.
#[derive(Default)]
struct RowArrays<'c> {
    keys: Vec<&'c [u8]>,
    values: Vec<&'c [u8]>,
}

impl<'c> RowArrays<'c> {
    fn add(&mut self, key: &'c [u8], value: &'c [u8]) {
        self.keys.push(key);
        self.values.push(value);
    }
}

/// An expectation, and the number of its commit.
/// The number is `None` if several commits have the same expectation.
struct Expected<'c> {
    expectation: &'c Expectation,
    of: Option<usize>,
}

/// The arguments of the function: the change of each key.
#[derive(Default)]
pub(super) struct Changes<'c> {
    /// Set if several commits share the call.
    are_shared: bool,
    guards: RowArrays<'c>,
    /// The guards before; `None` for a missing one.
    guards_were: Vec<Option<&'c [u8]>>,
    /// Expected, and not written.
    kept: RowArrays<'c>,
    /// Expected with the value in `were`, and put.
    replaced: RowArrays<'c>,
    were: Vec<&'c [u8]>,
    /// Expected, and removed.
    taken: RowArrays<'c>,
    /// Expected to be absent, and put.
    created: RowArrays<'c>,
    /// Put, and probably new.
    new: RowArrays<'c>,
    /// Put, whether present or not.
    put: RowArrays<'c>,
    /// Removed, whether present or not.
    removed: Vec<&'c [u8]>,
}

impl<'c> Changes<'c> {
    /// Combines the changes of several commits.
    /// Returns `None` if two have the same guard, if one writes a row another expects or writes, or if
    /// expectations contradict each other.
    pub(super) fn of(commits: &[&'c Commit]) -> Option<Self> {
        let mut changes = Self {
            are_shared: commits.len() > 1,
            ..Self::default()
        };
        changes.add_guards(commits)?;
        let mut expects = expectations(commits)?;
        let mut writes: Vec<(&Key, usize, &Write)> = Vec::new();
        for (of, commit) in commits.iter().enumerate() {
            writes.extend(commit.writes.iter().map(|(key, write)| (key, of, write)));
        }
        writes.sort_by_key(|(key, ..)| *key);
        if changes.are_shared && writes.windows(2).any(|two| two[0].0 == two[1].0) {
            return None;
        }
        for (key, of, write) in writes {
            let expected = expects.remove(&**key);
            if expected
                .as_ref()
                .is_some_and(|expected| expected.of != Some(of))
            {
                return None;
            }
            changes.write(key, expected.map(|expected| expected.expectation), write);
        }
        let mut kept: Vec<_> = expects.into_iter().collect();
        kept.sort_by_key(|(key, _)| *key);
        for (key, expected) in kept {
            match expected.expectation {
                Expectation::Is(value) => changes.kept.add(key, value),
                Expectation::Absent => changes.leave_absent(key),
            }
        }
        Some(changes)
    }

    fn add_guards(&mut self, commits: &[&'c Commit]) -> Option<()> {
        let guards = commits.iter().filter_map(|commit| commit.guard.as_ref());
        let mut guards: Vec<&Guard> = guards.collect();
        guards.sort_by_key(|guard| &guard.key);
        if guards.windows(2).any(|two| two[0].key == two[1].key) {
            return None;
        }
        for Guard { key, was, becomes } in guards {
            self.guards.add(key, becomes);
            self.guards_were.push(was.as_deref());
        }
        Some(())
    }

    fn write(&mut self, key: &'c [u8], expected: Option<&'c Expectation>, write: &'c Write) {
        match (expected, write.value()) {
            (None, Some(value)) if write.is_new() => self.new.add(key, value),
            (None, Some(value)) => self.put.add(key, value),
            (None, None) => self.removed.push(key),
            (Some(Expectation::Is(was)), Some(value)) => {
                self.replaced.add(key, value);
                self.were.push(was);
            }
            (Some(Expectation::Is(was)), None) => self.taken.add(key, was),
            (Some(Expectation::Absent), Some(value)) => self.created.add(key, value),
            (Some(Expectation::Absent), None) => self.leave_absent(key),
        }
    }

    /// Makes a row and removes it, to block other transactions from making it.
    fn leave_absent(&mut self, key: &'c [u8]) {
        self.created.add(key, &[]);
        self.removed.push(key);
    }
}

/// All expectations of several commits; `None` if two contradict each other.
fn expectations<'c>(commits: &[&'c Commit]) -> Option<HashMap<&'c [u8], Expected<'c>>> {
    let mut all = HashMap::new();
    for (of, commit) in commits.iter().enumerate() {
        for (key, expectation) in &commit.expects {
            match all.entry(&**key) {
                Entry::Vacant(place) => {
                    let of = Some(of);
                    place.insert(Expected { expectation, of });
                }
                Entry::Occupied(mut place) if place.get().expectation == expectation => {
                    let expected = place.get_mut();
                    expected.of = expected.of.filter(|first| *first == of);
                }
                Entry::Occupied(_) => return None,
            }
        }
    }
    Some(all)
}

/// Checks all expectations, and writes all rows.
/// Returns the guards with an unexpected value: if there are any, nothing was written. For several commits,
/// this includes guards locked by other transactions.
///
/// # Errors
/// See [`CommitFailure`](super::fault::CommitFailure).
pub(super) async fn apply<'a>(
    connection: &Connection,
    changes: &'a Changes<'_>,
) -> Result<Vec<Vec<u8>>, Error> {
    let many = |values: &'a (dyn ToSql + Sync)| (values, Type::BYTEA_ARRAY);
    let parameters = [
        (&changes.are_shared as &(dyn ToSql + Sync), Type::BOOL),
        many(&changes.guards.keys),
        many(&changes.guards_were),
        many(&changes.guards.values),
        many(&changes.kept.keys),
        many(&changes.kept.values),
        many(&changes.replaced.keys),
        many(&changes.were),
        many(&changes.replaced.values),
        many(&changes.taken.keys),
        many(&changes.taken.values),
        many(&changes.created.keys),
        many(&changes.created.values),
        many(&changes.new.keys),
        many(&changes.new.values),
        many(&changes.put.keys),
        many(&changes.put.values),
        many(&changes.removed),
    ];
    connection.query_one(&CALL, &parameters).await?.try_get(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Value;

    fn commit(guard: &str, expects: &[(&str, Option<&str>)], writes: &[&str]) -> Commit {
        let bytes = |text: &str| text.as_bytes().into();
        let expectation = |value: Option<&str>| Expectation::unchanged(value.map(bytes));
        Commit {
            guard: Some(Guard {
                key: guard.as_bytes().into(),
                was: None,
                becomes: bytes("1"),
            }),
            expects: expects
                .iter()
                .map(|(key, value)| (key.as_bytes().into(), expectation(*value)))
                .collect(),
            writes: writes
                .iter()
                .map(|key| (key.as_bytes().into(), Write::Put(bytes("new"))))
                .collect(),
        }
    }

    #[test]
    fn commits_go_together_that_touch_different_rows() {
        let account = ("account", Some("1"));
        for (other, do_they) in [
            (commit("g2", &[], &["b"]), true),
            (commit("g2", &[account], &["b"]), true),
            (commit("g2", &[("b", None)], &["b"]), true),
            (commit("g1", &[], &["b"]), false),
            (commit("g2", &[], &["a"]), false),
            (commit("g2", &[("a", None)], &["b"]), false),
            (commit("g2", &[("account", Some("2"))], &["b"]), false),
            (commit("g2", &[account], &["account"]), false),
            (commit("g2", &[("c", None)], &["b"]), true),
        ] {
            let one = commit("g1", &[account], &["a"]);
            for commits in [[&one, &other], [&other, &one]] {
                assert_eq!(Changes::of(&commits).is_some(), do_they, "{other:?}");
            }
        }
    }

    /// An expectation of a row takes precedence over the hint of a new row.
    #[test]
    fn a_row_is_inserted_that_is_most_likely_new() {
        let value = || Value::from(*b"value");
        let mut commit = commit("g1", &[("b", None), ("c", Some("1"))], &["a"]);
        let more = [
            ("b", Write::New(value())),
            ("c", Write::New(value())),
            ("d", Write::New(value())),
            ("e", Write::NewIndex(value())),
            ("f", Write::Index(value())),
        ];
        let more = more.map(|(key, write)| (key.as_bytes().into(), write));
        commit.writes.extend(more);
        let changes = Changes::of(&[&commit]).unwrap();
        assert_eq!(changes.created.keys, [b"b"]);
        assert_eq!(changes.replaced.keys, [b"c"]);
        assert_eq!(changes.new.keys, [b"d", b"e"]);
        assert_eq!(changes.new.values, [&b"value"[..], b""]);
        assert_eq!(changes.put.keys, [b"a", b"f"]);
    }

    /// A row expected by many commits is locked once.
    #[test]
    fn what_several_expect_is_checked_once() {
        let guards = ["g1", "g2", "g3"];
        let account = ("account", Some("1"));
        let commits = guards.map(|guard| commit(guard, &[account, (guard, None)], &[guard]));
        let changes = Changes::of(&commits.each_ref()).unwrap();
        assert_eq!(changes.kept.keys, [b"account"]);
        assert_eq!(changes.created.keys, [b"g1", b"g2", b"g3"]);
        assert_eq!(changes.guards.keys, [b"g1", b"g2", b"g3"]);
        assert!(changes.put.keys.is_empty() && changes.removed.is_empty());
    }
}
