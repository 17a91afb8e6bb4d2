//! The free space on the database's disk, tested by writes.

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

/// The pause between two test writes.
const PAUSE: Duration = Duration::from_millis(500);

/// The rows of a test write, of one KiB each.
/// They exceed a large commit, and the space usually left at the end of a file.
const TRY_ROWS: usize = 256;

/// The key prefix of a test write.
/// No stored row has such a key.
const KEY: &[u8] = b"\xFFroom";

const INSERT: &str =
    "INSERT INTO connect_rows (key, value) SELECT key, $2 FROM unnest($1) AS t (key)";

/// Detects a full disk of the database.
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

    /// Returns true if a write found no room, and none has succeeded since.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Records the outcome of a commit.
    pub(super) fn note_commit(&self, ended: &Result<(), CommitError>) {
        if let Err(CommitError::NotApplied(error) | CommitError::Unknown(error)) = ended {
            self.note(error);
        }
    }

    /// Records a failure.
    /// If the disk is full, writes test rows until one attempt succeeds. A commit's success is no sign,
    /// since a small one may go through on a full disk.
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

    /// Writes test rows, and rolls them back.
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
        // The next caller must not get a connection with an open transaction.
        if connection.execute("ROLLBACK").await.is_err() {
            connection.close();
        }
        written.map(drop).map_err(|error| unreadable(&error))
    }
}
