//! The version of the rows in the database, as this process has seen it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use tokio_postgres::{Client, Error, Row, error::SqlState};

use crate::storage::{NewerRows, RowsVersion, StorageError};

/// The version that the database has; none in a new one. The column is not there in one of the first version.
const FIND: &str =
    "SELECT max(version), max((to_jsonb(s) ->> 'written_by')::int4) FROM connect_schema s";

/// The version of a database, which is looked at with each new connection.
#[derive(Clone, Default)]
pub(super) struct Version(Arc<Seen>);

#[derive(Default)]
struct Seen {
    /// The database is of the version of this program, or of a newer one beside which it may write.
    is_raised: AtomicBool,
    /// A newer program has written since.
    newer: OnceLock<NewerRows>,
}

impl Version {
    /// Looks at the version. Returns none when there are no tables.
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

    /// Notes that the database is of this version.
    pub(super) fn note(&self, found: RowsVersion) {
        if let Err(newer) = found.check()
            && self.0.newer.set(newer).is_ok()
        {
            tracing::error!(reason = %newer, "this server reads and writes no more");
        }
        if found.written_to() == found {
            self.0.is_raised.store(true, Ordering::Release);
        }
    }

    /// Returns whether this program may write without raising the version first.
    pub(super) fn is_raised(&self) -> bool {
        self.0.is_raised.load(Ordering::Acquire)
    }

    /// Checks that no newer program has written, as far as this process has seen.
    ///
    /// # Errors
    /// One has.
    pub(super) fn check(&self) -> Result<(), NewerRows> {
        self.0.newer.get().map_or(Ok(()), |newer| Err(*newer))
    }

    /// The same for who asks something of the store.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(super) fn is_known(&self) -> Result<(), StorageError> {
        self.check().map_err(StorageError::new)
    }
}

/// The version in a row; none when the table is empty.
fn version(row: &Row) -> Result<Option<RowsVersion>, Error> {
    let [oldest_reader, written_by]: [Option<i32>; 2] = [row.try_get(0)?, row.try_get(1)?];
    let number = |found: i32| u32::try_from(found).unwrap_or(u32::MAX);
    Ok(oldest_reader.map(number).map(|oldest_reader| RowsVersion {
        written_by: written_by.map_or(oldest_reader, number),
        oldest_reader,
    }))
}
