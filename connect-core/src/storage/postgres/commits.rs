//! Commits: one call of a function in the database.

use std::collections::HashMap;

use tokio_postgres::{
    Error,
    types::{ToSql, Type},
};

use super::connections::Connection;
use crate::storage::{Commit, Expectation, Guard, Write};

/// The function is in `schema_1.sql`.
const CALL: &str = "SELECT connect_commit_1(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

/// The types of its parameters: the guard's, then arrays.
fn types() -> Vec<Type> {
    let guard = [Type::BYTEA, Type::BYTEA, Type::BYTEA];
    guard
        .into_iter()
        .chain(vec![Type::BYTEA_ARRAY; 12])
        .collect()
}

/// Has a connection know the call, so that [`apply`] sends it when it is first polled.
///
/// # Errors
/// The database gave no answer.
pub(super) async fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.know(CALL, &types()).await
}

/// Keys with values, as two arrays.
#[derive(Default)]
struct Rows<'c> {
    keys: Vec<&'c [u8]>,
    values: Vec<&'c [u8]>,
}

impl<'c> Rows<'c> {
    fn add(&mut self, key: &'c [u8], value: &'c [u8]) {
        self.keys.push(key);
        self.values.push(value);
    }
}

/// The arguments of the function: what becomes of each key.
#[derive(Default)]
struct Changes<'c> {
    /// Expected, and not written.
    kept: Rows<'c>,
    /// Expected as they are in `were`, and put.
    replaced: Rows<'c>,
    were: Vec<&'c [u8]>,
    /// Expected, and removed.
    taken: Rows<'c>,
    /// Expected to be absent, and put.
    created: Rows<'c>,
    /// Put, whatever there was.
    put: Rows<'c>,
    /// Removed, whatever there was.
    removed: Vec<&'c [u8]>,
}

impl<'c> Changes<'c> {
    fn of(commit: &'c Commit) -> Self {
        let expects = commit.expects.iter();
        let mut expects: HashMap<&[u8], &Expectation> =
            expects.map(|(key, expected)| (&**key, expected)).collect();
        let mut writes: Vec<_> = commit.writes.iter().collect();
        writes.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut changes = Self::default();
        for (key, write) in writes {
            changes.write(key, expects.remove(&**key), write);
        }
        let mut kept: Vec<_> = expects.into_iter().collect();
        kept.sort_by_key(|(key, _)| *key);
        for (key, expected) in kept {
            match expected {
                Expectation::Is(value) => changes.kept.add(key, value),
                Expectation::Absent => changes.leave_absent(key),
            }
        }
        changes
    }

    fn write(&mut self, key: &'c [u8], expected: Option<&'c Expectation>, write: &'c Write) {
        match (expected, write.value()) {
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

    /// Makes a row and removes it: meanwhile nobody else can make it.
    fn leave_absent(&mut self, key: &'c [u8]) {
        self.created.add(key, &[]);
        self.removed.push(key);
    }
}

/// Checks all that a commit expects, and writes all. Returns whether its guard was as expected.
///
/// # Errors
/// See [`Failed`](super::fault::Failed).
pub(super) async fn apply(connection: &Connection, commit: &Commit) -> Result<bool, Error> {
    let changes = Changes::of(commit);
    let guard = commit.guard.as_ref();
    let key = guard.map(|guard| &*guard.key);
    let was = guard.and_then(|guard| guard.was.as_deref());
    let becomes = guard.map(|Guard { becomes, .. }| &**becomes);
    let one = |value| (value as &(dyn ToSql + Sync), Type::BYTEA);
    let many = |values| (values as &(dyn ToSql + Sync), Type::BYTEA_ARRAY);
    let parameters = [
        one(&key),
        one(&was),
        one(&becomes),
        many(&changes.kept.keys),
        many(&changes.kept.values),
        many(&changes.replaced.keys),
        many(&changes.were),
        many(&changes.replaced.values),
        many(&changes.taken.keys),
        many(&changes.taken.values),
        many(&changes.created.keys),
        many(&changes.created.values),
        many(&changes.put.keys),
        many(&changes.put.values),
        many(&changes.removed),
    ];
    let rows = connection.query(CALL, &parameters).await?;
    rows.first().map_or(Ok(false), |row| row.try_get(0))
}
