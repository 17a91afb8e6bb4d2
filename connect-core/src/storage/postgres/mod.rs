//! The store on PostgreSQL: any number of server processes on one database.
//!
//! All rows are in one table of keys and values. A [`read`](Storage::read) is one statement, whose
//! snapshot is one state; a [`commit`](Storage::commit) is one call of a function, which takes the row
//! of the guard first; a [lock](Storage::lock) is a transaction that has that row locked. Each takes
//! one trip, and a lock's commit another.
//!
//! Nothing here needs more of the database than plain tables, row locks, `LATERAL` and a PL/pgSQL
//! function: no advisory lock, no listening, no trigger. So it also works behind a pooler that gives
//! each transaction another connection; such a pooler may not know prepared statements
//! ([`PostgresOptions::prepares`]).

mod commits;
mod connections;
mod fault;
mod lock;
mod open_error;
mod options;
mod reads;
mod schema;
#[cfg(feature = "conformance")]
pub mod testing;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio_postgres::Config;

use self::{connections::Connections, fault::Failed, lock::Lock};
pub use self::{open_error::OpenError, options::PostgresOptions};
use super::{
    Commit, CommitError, Locked, MAX_KEY_LEN, Read, State, Storage, StorageError,
    in_process::{Finishing, GuardLocks},
};

/// A [`Storage`] on PostgreSQL. Cheap to clone; all clones share their connections. It needs a tokio
/// runtime with timers and sockets.
#[derive(Clone)]
pub struct PostgresStorage {
    readers: Connections,
    writers: Connections,
    locks: Arc<GuardLocks>,
    lease: Duration,
}

impl PostgresStorage {
    /// Opens the store in the database at an address such as
    /// `postgres://user:password@host:5432/database?sslmode=require`. What is missing there is made;
    /// several processes may do so at once.
    ///
    /// With `sslmode=require`, and where the server offers TLS, its certificate has to be of an
    /// authority that this system trusts (or one in the file that `SSL_CERT_FILE` names).
    ///
    /// # Errors
    /// See [`OpenError`]. None shows the password.
    pub async fn open(address: &str, options: PostgresOptions) -> Result<Self, OpenError> {
        let config: Config = address.parse().map_err(address_error)?;
        let storage = Self {
            readers: Connections::new(&config, options.readers, &options)?,
            writers: Connections::new(&config, options.writers, &options)?,
            locks: Arc::default(),
            lease: options.lease,
        };
        let connection = storage.writers.try_get().await.map_err(OpenError::Away)?;
        schema::check_durability(&connection).await?;
        schema::bring_up_to_date(&connection).await?;
        drop(connection);
        Ok(storage)
    }
}

fn address_error(error: tokio_postgres::Error) -> OpenError {
    let source = std::error::Error::source(&error);
    OpenError::Address(source.map_or_else(|| error.to_string(), ToString::to_string))
}

/// The pauses, in milliseconds, after which a commit is tried again that others have got in the way of.
const PAUSES: [u64; 5] = [1, 5, 20, 50, 100];

#[async_trait]
impl Storage for PostgresStorage {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let connection = self.readers.get().await?;
        match reads::answer(&connection, reads).await {
            // The database was restarted, or a pooler: another connection may be better.
            Err(_) if connection.is_closed() => {
                drop(connection);
                reads::answer(&self.readers.get().await?, reads).await
            }
            answer => answer,
        }
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        check_keys(&commit)?;
        let entered = match &commit.guard {
            Some(guard) => Some(self.locks.enter(&guard.key).await),
            None => None,
        };
        let writers = self.writers.clone();
        Finishing::new(async move {
            let result = commit_by(&writers, &commit).await;
            // Until here no lock is granted, so whoever gets one sees how this commit ended.
            drop(entered);
            result
        })
        .await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let turn = self.locks.lock(guard).await;
        let lock = Lock::take(self.writers.clone(), guard.into(), self.lease, turn).await?;
        Ok(Box::new(lock))
    }
}

async fn commit_by(writers: &Connections, commit: &Commit) -> Result<(), CommitError> {
    let mut pauses = PAUSES.iter();
    loop {
        let connection = writers.get().await.map_err(CommitError::NotApplied)?;
        let failed = match commits::apply(&connection, commit).await {
            Ok(true) => return Ok(()),
            Ok(false) => return Err(CommitError::Conflict),
            Err(error) => Failed::of(&error),
        };
        drop(connection);
        match (failed, pauses.next()) {
            (Failed::Serialization, Some(pause)) => {
                tokio::time::sleep(Duration::from_millis(*pause)).await;
            }
            (failed, _) => return Err(failed.into_error()),
        }
    }
}

/// Says that every key has a length that the index of the table takes.
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
