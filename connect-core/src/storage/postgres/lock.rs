//! Locks: a transaction holding the guard's row locked.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::{join, join3};
use tokio::{runtime::Handle, sync::OwnedRwLockWriteGuard};
use tokio_postgres::{Error, types::Type};

use super::{
    commits::{self, Changes},
    connections::{Connection, Connections, Parameter},
    fault::{CommitFailure, unreadable},
    reads::{self, Question},
    room::RoomProbe,
    schema::Schema,
};
use crate::storage::{
    Commit, CommitError, Key, Locked, Read, State, StorageError, in_process::Finishing,
    lease::Lease,
};

const LOCK: &str = "SELECT 1 FROM connect_rows WHERE key = $1 FOR UPDATE";

/// Makes a row to lock if there is none.
/// No other transaction sees it, and without a commit it disappears.
const MAKE: &str = "INSERT INTO connect_rows (key) VALUES ($1) ON CONFLICT (key) DO NOTHING";

/// Removes a row made for the lock.
/// Readers treat a key without a value as missing, but the row would stay for good.
const UNMAKE: &str = "DELETE FROM connect_rows WHERE key = $1 AND value IS NULL";

/// The longest wait for a lock, including the turns of other holders.
const PATIENCE: Duration = Duration::from_secs(60);

/// A lock on a guard.
pub(super) struct GuardLock {
    guard: Key,
    /// The open transaction, until the commit or the end of the lease.
    lease: Lease<LockTransaction>,
    /// For reads after the end of the lock.
    connections: Connections,
    schema: Schema,
    room: RoomProbe,
}

impl GuardLock {
    /// Waits for the lock of a guard, and takes it.
    /// `turn` is this guard's lock within the process: only one holder at a time asks the database.
    ///
    /// # Errors
    /// The database is away, or other holders kept the lock for too long.
    pub(super) async fn take(
        (connections, schema, room): (Connections, Schema, RoomProbe),
        guard: Key,
        lease: Duration,
        turn: OwnedRwLockWriteGuard<()>,
    ) -> Result<Self, StorageError> {
        let transaction = {
            let (connections, guard) = (connections.clone(), guard.clone());
            // If the caller stops waiting, no connection may stay behind with a pending lock request.
            Finishing::new(async move {
                let connection = connections.get().await?;
                let begun = LockTransaction::begin(connection, &guard, lease, turn).await;
                begun.map_err(|error| unreadable(&error))
            })
            .await?
        };
        Ok(Self {
            guard,
            lease: Lease::new(transaction, lease),
            connections,
            schema,
            room,
        })
    }
}

#[async_trait]
impl Locked for GuardLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let held = self.lease.held().await;
        let question = Question::of(reads);
        let found = match held.as_ref().and_then(|held| held.connection.as_ref()) {
            Some(connection) => reads::answer(connection, &question).await,
            None => reads::answer(&self.connections.get().await?, &question).await,
        };
        found.map(State::new)
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        commit.check_guard(&self.guard)?;
        let prepared = self.schema.prepare(&self.connections).await;
        let prepared = prepared.inspect_err(|error| self.room.note(error));
        prepared.map_err(CommitError::NotApplied)?;
        let Some(transaction) = self.lease.held().await.take() else {
            return Err(CommitError::Conflict);
        };
        let (guard, room) = (self.guard.clone(), self.room.clone());
        Finishing::new(async move {
            let result = transaction.commit(&commit, &guard).await;
            room.note_commit(&result);
            result
        })
        .await
    }
}

/// A transaction holding a guard's row locked.
/// It is rolled back if dropped without a commit.
struct LockTransaction {
    /// Set if a row had to be made for the lock.
    has_made_row: bool,
    /// `None` once the transaction is over.
    connection: Option<Connection>,
    /// Held to the end, against other lock requests of this process.
    turn: Option<OwnedRwLockWriteGuard<()>>,
}

impl LockTransaction {
    async fn begin(
        connection: Connection,
        guard: &[u8],
        lease: Duration,
        turn: OwnedRwLockWriteGuard<()>,
    ) -> Result<Self, Error> {
        let mut transaction = Self {
            has_made_row: false,
            connection: Some(connection),
            turn: Some(turn),
        };
        if let Some(connection) = &transaction.connection {
            // The database ends the transaction of a holder whose machine is gone.
            let begin = format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED; \
                 SET LOCAL idle_in_transaction_session_timeout = {}; \
                 SET LOCAL lock_timeout = {}",
                lease.as_millis().max(1),
                PATIENCE.as_millis(),
            );
            let key: [Parameter<'_>; 1] = [(&guard, Type::BYTEA)];
            connection.know(LOCK, &[Type::BYTEA]).await?;
            let lock = connection.query(LOCK, &key);
            let (begun, mut locked) = join(connection.execute(&begin), lock).await;
            begun?;
            // The row of a guard nearly always exists. One removed meanwhile is made again.
            while locked?.is_empty() {
                let make = connection.query_once(MAKE, &key);
                let lock = connection.query(LOCK, &key);
                let made;
                (made, locked) = join(make, lock).await;
                made?;
                transaction.has_made_row = true;
            }
        }
        Ok(transaction)
    }

    async fn commit(mut self, commit: &Commit, guard: &[u8]) -> Result<(), CommitError> {
        let changes = Changes::of(&[commit]).ok_or(CommitError::Conflict)?;
        let Some(connection) = self.connection.take() else {
            return Err(CommitError::Conflict);
        };
        let made = self.has_made_row.then_some(guard);
        match Self::end(&connection, &changes, made).await {
            Ok(others) if others.is_empty() => Ok(()),
            Ok(_) => Err(CommitError::Conflict),
            Err(error) => Err(CommitFailure::of(&error).into_error()),
        }
    }

    /// Commits in one trip.
    /// After a failure the database treats its `COMMIT` as a rollback. A row `made` for the lock is
    /// removed, unless the commit has filled it.
    async fn end(
        connection: &Connection,
        changes: &Changes<'_>,
        made: Option<&[u8]>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        commits::prepare(connection).await?;
        let call = commits::apply(connection, changes);
        let unmake = async {
            let Some(guard) = made else { return Ok(()) };
            let key: [Parameter<'_>; 1] = [(&guard, Type::BYTEA)];
            connection.query_once(UNMAKE, &key).await.map(drop)
        };
        let (applied, unmade, committed) = join3(call, unmake, connection.execute("COMMIT")).await;
        let applied = applied?;
        unmade.and(committed).and(Ok(applied))
    }
}

impl Drop for LockTransaction {
    fn drop(&mut self) {
        let (Some(connection), turn) = (self.connection.take(), self.turn.take()) else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            return connection.close();
        };
        runtime.spawn(async move {
            if connection.execute("ROLLBACK").await.is_err() {
                connection.close();
            }
            drop(turn);
        });
    }
}
