//! The version of the database's rows, as seen by this process.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use tokio_postgres::{Client, Error, Row, error::SqlState};

use crate::storage::{NewerRows, RowsVersion, StorageError};

/// Selects the version of the database; none in a new one.
/// The first version lacks the column `written_by`.
const FIND: &str =
    "SELECT max(version), max((to_jsonb(s) ->> 'written_by')::int4) FROM connect_schema s";

/// The version of a database, read on each new connection.
#[derive(Clone, Default)]
pub(super) struct Version(Arc<SeenVersions>);

#[derive(Default)]
struct SeenVersions {
    /// Set once the database's version permits writes of this program.
    /// It is the version of this program, or a newer one that accepts its writes.
    is_raised: AtomicBool,
    /// The version of a newer program's writes since.
    newer: OnceLock<NewerRows>,
}

impl Version {
    /// Reads the version; `None` if there are no tables.
    ///
    /// # Errors
    /// The database gives no answer, or refuses.
    pub(super) async fn look(&self, client: &Client) -> Result<Option<RowsVersion>, Error> {
        let rows = match client.query_typed(FIND, &[]).await {
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(None),
            found => found?,
        };
        let found = rows.first().map(version).transpose()?.flatten();
        if let Some(found) = found {
            self.note(found);
        }
        Ok(found)
    }

    /// Records the version of the database.
    pub(super) fn note(&self, found: RowsVersion) {
        if let Err(newer) = found.check()
            && self.0.newer.set(newer).is_ok()
        {
            tracing::error!(
                reason = %newer,
                "a newer program has written to this database: this server no longer uses it"
            );
        }
        if found.written_to() == found {
            self.0.is_raised.store(true, Ordering::Release);
        }
    }

    /// Returns true if this program may write without raising the version first.
    pub(super) fn is_raised(&self) -> bool {
        self.0.is_raised.load(Ordering::Acquire)
    }

    /// Checks for writes by a newer program, as seen by this process.
    ///
    /// # Errors
    /// A newer program has written to the database.
    pub(super) fn check(&self) -> Result<(), NewerRows> {
        self.0.newer.get().map_or(Ok(()), |newer| Err(*newer))
    }

    /// Checks for writes by a newer program, with an error of the store.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(super) fn is_known(&self) -> Result<(), StorageError> {
        self.check().map_err(StorageError::new)
    }
}

/// The version in a row; `None` if the table is empty.
fn version(row: &Row) -> Result<Option<RowsVersion>, Error> {
    let [oldest_reader, written_by]: [Option<i32>; 2] = [row.try_get(0)?, row.try_get(1)?];
    let number = |found: i32| u32::try_from(found).unwrap_or(u32::MAX);
    Ok(oldest_reader.map(number).map(|oldest_reader| RowsVersion {
        written_by: written_by.map_or(oldest_reader, number),
        oldest_reader,
    }))
}
