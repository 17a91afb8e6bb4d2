//! The store on PostgreSQL: any number of server processes on one database.
//!
//! All rows are in one table of keys and values. A [`read`](Storage::read) is one statement, and its
//! snapshot is one state. A [`commit`](Storage::commit) is one call of a function; it locks the row of the
//! guard first. A [lock](Storage::lock) is a transaction with that row locked. Each takes one trip, a
//! lock's commit another, and a lock on a missing row one more. Concurrent small reads and commits share a
//! trip.
//!
//! The database needs only plain tables, row locks, `LATERAL` and a PL/pgSQL function that catches an
//! error: no advisory locks, no `LISTEN`, no triggers. So the store also works behind a pooler with another
//! connection for each transaction; such a pooler may not support prepared statements
//! ([`PostgresOptions::prepares`]).

mod address;
mod batched_lookups;
mod batcher;
mod clocks;
mod commits;
mod committer;
mod connections;
mod fault;
mod lock;
mod open_error;
mod options;
mod reader;
mod reads;
mod room;
mod schema;
#[cfg(feature = "conformance")]
pub mod testing;
mod version;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::task::JoinSet;

pub use self::{
    address::{AddressError, DatabaseAddress, Encryption},
    open_error::OpenError,
    options::PostgresOptions,
};
use self::{
    batcher::Batcher,
    committer::{Committer, Unsent},
    connections::Connections,
    lock::GuardLock,
    reader::Reader,
    reads::Question,
    room::RoomProbe,
    schema::Schema,
};
use super::{
    Commit, CommitError, Locked, MAX_KEY_LEN, NewerRows, Read, State, Storage, StorageError,
    in_process::GuardLocks,
};

/// A [`Storage`] on PostgreSQL.
/// Cheap to clone; all clones share their connections. It needs a tokio runtime with timers and sockets.
#[derive(Clone)]
pub struct PostgresStorage {
    reads: Batcher<Reader>,
    commits: Batcher<Committer>,
    writers: Connections,
    locks: Arc<GuardLocks>,
    lease: Duration,
    schema: Schema,
    room: RoomProbe,
    /// The hourly comparison of clocks, ended with the last clone.
    _clocks: Arc<JoinSet<()>>,
}

impl PostgresStorage {
    /// Opens the store in a database, and creates missing tables.
    /// An address is, for example, `postgres://user:password@host:5432/database?sslmode=require`. Several
    /// processes may open a new database at once.
    ///
    /// A database on another machine is used over TLS, unless the address has `sslmode=disable`. Its
    /// certificate must be valid for the host, and from an authority trusted by this system (or one in the
    /// file named by `SSL_CERT_FILE`). On this machine, TLS is used if the server offers it, and the same
    /// holds for its certificate.
    ///
    /// # Errors
    /// See [`OpenError`]. None shows the password.
    pub async fn open(address: &str, options: PostgresOptions) -> Result<Self, OpenError> {
        Self::open_at(&address.parse()?, options).await
    }

    /// Opens the store at a parsed address.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_at(
        address: &DatabaseAddress,
        options: PostgresOptions,
    ) -> Result<Self, OpenError> {
        let config = address.config();
        let schema = Schema::default();
        let readers = Connections::new(config, options.readers, &options, &schema.version)?;
        let writers = Connections::new(config, options.writers, &options, &schema.version)?;
        let committer = Committer::new(writers.clone(), schema.version.clone());
        let mut clocks = JoinSet::new();
        clocks.spawn(clocks::watch(writers.clone()));
        let storage = Self {
            reads: Batcher::new(Reader(readers), reader::UNDER_WAY),
            commits: Batcher::new(committer, committer::UNDER_WAY),
            room: RoomProbe::new(writers.clone()),
            writers,
            locks: Arc::default(),
            lease: options.lease,
            schema,
            _clocks: Arc::new(clocks),
        };
        let connection = match storage.writers.try_get().await {
            Ok(connection) => connection,
            Err(reason) => {
                storage.schema.version.check()?;
                return Err(OpenError::Away(address.explained(reason)));
            }
        };
        schema::check_durability(&connection).await?;
        if !schema::has_checksums(&connection).await? {
            tracing::warn!(
                "the database keeps no checksums of its pages: damage on its disk stays undetected"
            );
        }
        clocks::compare(&connection).await;
        storage.schema.open(&connection).await?;
        drop(connection);
        Ok(storage)
    }

    /// Returns true if the disk of the database is full.
    /// A write found no room, and no attempt to write has succeeded since.
    pub fn is_full(&self) -> bool {
        self.room.is_full()
    }

    /// Checks for writes by a newer program.
    /// Each new connection looks at the version. After such a write, the store refuses all reads and
    /// writes.
    ///
    /// # Errors
    /// A newer program has written to the database.
    pub fn check_version(&self) -> Result<(), NewerRows> {
        self.schema.version.check()
    }
}

#[async_trait]
impl Storage for PostgresStorage {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.schema.version.is_known()?;
        let answer = self.reads.send(Question::of(reads)).await;
        answer.unwrap_or_else(|| Err(unanswered()))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        check_keys(&commit)?;
        let prepared = self.schema.prepare(&self.writers).await;
        let prepared = prepared.inspect_err(|error| self.room.note(error));
        prepared.map_err(CommitError::NotApplied)?;
        let entered = match &commit.guard {
            Some(guard) => Some(self.locks.enter(&guard.key).await),
            None => None,
        };
        let answer = self.commits.send(Unsent { commit, entered }).await;
        let ended = answer.unwrap_or_else(|| Err(CommitError::Unknown(unanswered())));
        self.room.note_commit(&ended);
        ended
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.schema.version.is_known()?;
        let turn = self.locks.lock(guard).await;
        let (writers, schema) = (self.writers.clone(), self.schema.clone());
        let place = (writers, schema, self.room.clone());
        let lock = GuardLock::take(place, guard.into(), self.lease, turn).await;
        let lock = lock.inspect_err(|error| self.room.note(error))?;
        Ok(Box::new(lock))
    }

    fn is_shared(&self) -> bool {
        true
    }
}

/// The error of an item whose batch got no answer.
fn unanswered() -> StorageError {
    StorageError::new("the runtime shuts down")
}

/// Checks the length of every key against the limit of the index.
fn check_keys(commit: &Commit) -> Result<(), CommitError> {
    let guard = commit.guard.iter().map(|guard| &guard.key);
    let written = commit.writes.iter().map(|(key, _)| key);
    let expected = commit.expects.iter().map(|(key, _)| key);
    if guard
        .chain(written)
        .chain(expected)
        .all(|key| key.len() <= MAX_KEY_LEN)
    {
        return Ok(());
    }
    let reason = format_args!("a key is longer than {MAX_KEY_LEN} bytes");
    Err(CommitError::NotApplied(StorageError::new(reason)))
}
