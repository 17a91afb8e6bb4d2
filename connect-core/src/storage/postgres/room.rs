//! The room on the database's disk, of which only writes can tell.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio_postgres::types::Type;

use super::{
    connections::{Connections, Parameter},
    fault::unreadable,
};
use crate::storage::{CommitError, StorageError};

/// The pause between two tries to write.
const PAUSE: Duration = Duration::from_millis(500);

/// The rows of a try, of a kibibyte each: more than a large commit makes, and than a file has left over at its end.
const TRY_ROWS: usize = 256;

/// The beginning of the keys of a try. No row has such a key.
const KEY: &[u8] = b"\xFFroom";

const INSERT: &str =
    "INSERT INTO connect_rows (key, value) SELECT key, $2 FROM unnest($1) AS t (key)";

/// Tells whether the database has room on its disk.
#[derive(Clone)]
pub(super) struct RoomProbe {
    connections: Connections,
    is_full: Arc<AtomicBool>,
}

impl RoomProbe {
    pub(super) fn new(connections: Connections) -> Self {
        Self {
            connections,
            is_full: Arc::default(),
        }
    }

    /// Returns whether a write found no room, and none has gone well since.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Takes note of how a commit ended.
    pub(super) fn note_commit(&self, ended: &Result<(), CommitError>) {
        if let Err(CommitError::NotApplied(error) | CommitError::Unknown(error)) = ended {
            self.note(error);
        }
    }

    /// Takes note of a failure. After one for want of room, tries to write until there is some: other commits say
    /// nothing, since a small one may go through on a full disk.
    pub(super) fn note(&self, error: &StorageError) {
        if !error.is_full() || self.is_full.swap(true, Ordering::Relaxed) {
            return;
        }
        tracing::warn!("the disk has no room left; commits are refused");
        let probe = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PAUSE).await;
                match probe.try_to_write().await {
                    Ok(()) => break,
                    Err(error) => tracing::debug!(%error, "a try to write failed"),
                }
            }
            probe.is_full.store(false, Ordering::Relaxed);
            tracing::info!("the store works again");
        });
    }

    /// Writes rows, and takes them back.
    async fn try_to_write(&self) -> Result<(), StorageError> {
        let connection = self.connections.get().await?;
        let key = |row: usize| [KEY, &row.to_be_bytes()].concat();
        let keys: Vec<_> = (0..TRY_ROWS).map(key).collect();
        let value: &[u8] = &[0; 1024];
        let rows: [Parameter<'_>; 2] = [(&keys, Type::BYTEA_ARRAY), (&value, Type::BYTEA)];
        let written = async {
            connection.execute("BEGIN").await?;
            connection.query_once(INSERT, &rows).await
        };
        let written = written.await;
        // Others must not have a connection with a transaction that is still open.
        if connection.execute("ROLLBACK").await.is_err() {
            connection.close();
        }
        written.map(drop).map_err(|error| unreadable(&error))
    }
}
