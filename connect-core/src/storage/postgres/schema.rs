//! The tables and functions in the database, created by any server if missing.
//!
//! `connect_schema` has the [version of the rows](RowsVersion). Its column `version` is the number of the
//! oldest program able to work with the database; the programs from before `written_by` read it that way.
//!
//! A program raises the database to its own version before its first write, not when it opens it: a command
//! with reads only does not lock out the running servers.
//!
//! Servers too old to write beside this program commit with a function of their own version. Raising the
//! database removes this function. A commit already under way may still succeed. As always, it fails if
//! another commit has changed its guard meanwhile.

use std::{
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use tokio::sync::Mutex;
use tokio_postgres::Error;

use super::{
    connections::{Connection, Connections},
    fault::{in_words, is_beside_others, unreadable},
    open_error::OpenError,
    version::Version,
};
use crate::storage::{RowsVersion, StorageError};

/// The version written by this program.
const THIS: RowsVersion = RowsVersion::THIS;

/// The statements to raise a database to this version.
/// They are one transaction, and may run several times, also concurrently.
static RAISE: LazyLock<String> = LazyLock::new(|| {
    let RowsVersion {
        written_by,
        oldest_reader,
    } = THIS;
    let tables = include_str!("schema.sql").replace("{oldest}", &oldest_reader.to_string());
    let former = (1..oldest_reader).map(|number| {
        // Some were never made.
        format!("DROP FUNCTION IF EXISTS connect_commit_{number};")
    });
    let former: String = former.collect();
    format!(
        "CREATE TABLE IF NOT EXISTS connect_schema (version int4 PRIMARY KEY); \
         ALTER TABLE connect_schema ADD COLUMN IF NOT EXISTS written_by int4; \
         INSERT INTO connect_schema AS s (version, written_by) VALUES ({oldest_reader}, {written_by}) \
         ON CONFLICT (version) DO UPDATE SET written_by = greatest(s.written_by, excluded.written_by); \
         {tables} {former}"
    )
});

/// The pauses between retries after a concurrent change by another server, in milliseconds.
/// `IF NOT EXISTS` and `OR REPLACE` do not wait for each other.
const PAUSES: [u64; 6] = [10, 30, 100, 300, 1000, 3000];

/// The time without a retry after a failure.
/// Waiting tasks fail with the same error.
const FAILED_FOR: Duration = Duration::from_secs(1);

/// The tables of a database, raised to this program's version for its writes.
#[derive(Clone, Default)]
pub(super) struct Schema {
    pub(super) version: Version,
    /// Locked by the task changing the tables. Has the last failure, and its time.
    turn: Arc<Mutex<Option<(Instant, StorageError)>>>,
}

impl Schema {
    /// Finds out the version of the database. A new one gets its tables.
    ///
    /// # Errors
    /// A newer program has written to it, or it refuses.
    pub(super) async fn open(&self, connection: &Connection) -> Result<(), OpenError> {
        let away = |error: Error| OpenError::Away(in_words(&error));
        let found = self.version.look(connection.client()).await;
        if found.map_err(away)?.is_none() {
            self.raise(connection).await.map_err(away)?;
        }
        Ok(self.version.check()?)
    }

    /// Raises the database to this program's version, if necessary.
    /// Called before every write.
    ///
    /// # Errors
    /// The version cannot be raised now. The caller must not write.
    pub(super) async fn prepare(&self, connections: &Connections) -> Result<(), StorageError> {
        self.version.is_known()?;
        if self.version.is_raised() {
            return Ok(());
        }
        let mut failure = self.turn.lock().await;
        if !self.version.is_raised() {
            if let Some((at, error)) = &*failure
                && at.elapsed() < FAILED_FOR
            {
                return Err(error.clone());
            }
            let raised = async {
                let connection = connections.get().await?;
                let raised = self.raise(&connection).await;
                raised.map_err(|error| unreadable(&error))
            };
            if let Err(error) = raised.await {
                *failure = Some((Instant::now(), error.clone()));
                return Err(error);
            }
        }
        self.version.is_known()
    }

    async fn raise(&self, connection: &Connection) -> Result<(), Error> {
        let mut pauses = PAUSES.iter();
        loop {
            // Another server may have been faster, or a newer program.
            let found = self.version.look(connection.client()).await?;
            if self.version.check().is_err() || self.version.is_raised() {
                return Ok(());
            }
            let Err(error) = connection.execute(&RAISE).await else {
                self.version.note(THIS);
                let version = THIS.written_by;
                if found.is_some() {
                    tracing::warn!(version, "older programs refuse this database from now on");
                }
                return Ok(());
            };
            // A pause does not help if rights or room are missing.
            let Some(pause) = pauses.next().filter(|_| is_beside_others(&error)) else {
                return Err(error);
            };
            tokio::time::sleep(Duration::from_millis(*pause)).await;
        }
    }
}

/// Checks whether acknowledged commits survive a crash of the database.
///
/// # Errors
/// [`OpenError::NotDurable`], or the database gives no answer.
pub(super) async fn check_durability(connection: &Connection) -> Result<(), OpenError> {
    match setting(connection, "SHOW synchronous_commit").await {
        Ok(value) if value.as_deref() == Some("off") => Err(OpenError::NotDurable),
        Ok(_) => Ok(()),
        Err(error) => Err(OpenError::Away(in_words(&error))),
    }
}

/// Returns whether the database keeps checksums of its pages.
///
/// # Errors
/// The database gives no answer.
pub(super) async fn has_checksums(connection: &Connection) -> Result<bool, OpenError> {
    match setting(connection, "SHOW data_checksums").await {
        Ok(value) => Ok(value.as_deref() != Some("off")),
        // A database of another kind, which speaks the same protocol, may not know the setting.
        Err(error) if error.as_db_error().is_some() => Ok(true),
        Err(error) => Err(OpenError::Away(in_words(&error))),
    }
}

/// Returns the value of a setting, if the database shows one.
async fn setting(connection: &Connection, show: &str) -> Result<Option<String>, Error> {
    let shown = connection.query_once(show, &[]).await?;
    Ok(shown.first().and_then(|row| row.try_get(0).ok()))
}

#[cfg(feature = "conformance")]
#[cfg(test)]
mod tests {
    use super::{
        super::{
            PostgresOptions,
            testing::{Cluster, TestDatabase},
        },
        *,
    };

    #[tokio::test]
    async fn a_database_tells_whether_it_keeps_checksums() {
        for does in [false, true] {
            let Some(cluster) = Cluster::start(does) else {
                return;
            };
            let database = TestDatabase::on(cluster.config());
            let (config, options) = (
                database.address().parse().unwrap(),
                PostgresOptions::default(),
            );
            let connections = Connections::new(&config, 1, &options, &Version::default()).unwrap();
            let connection = connections.get().await.unwrap();
            assert_eq!(has_checksums(&connection).await.unwrap(), does);
        }
    }
}
