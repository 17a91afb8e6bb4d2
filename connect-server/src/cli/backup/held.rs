//! The backup made by a running server: at most one at a time.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use connect_core::{
    storage::StorageError,
    transfer::{Pieces, TransferError},
};
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};
use uuid::Uuid;

/// The longest pause between requests before a backup is given up.
const QUIET: Duration = Duration::from_secs(60);

/// The time between two looks for an idle backup.
const LOOK: Duration = Duration::from_secs(1);

/// The reason for a missing backup, or a missing piece of one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBackup {
    /// A store in memory has no backups.
    #[error("a store in memory cannot be backed up: it is gone with its server")]
    InMemory,
    /// The database has its own backups.
    #[error("a database is backed up by its own means: pg_dump, or a snapshot")]
    Database,
    /// The backup has ended.
    #[error(
        "the server cancelled the backup: its next part was not requested for a minute, or \
         another backup was begun"
    )]
    GivenUp,
    /// The store does not answer.
    #[error("the store cannot be read: {0}")]
    Store(#[from] StorageError),
    /// A row cannot be transferred.
    #[error("the store cannot be backed up: {0}")]
    Row(#[from] TransferError),
    /// Reading panicked.
    #[error("the store could not be read; see the log of the server")]
    Panicked,
}

/// Takes a snapshot of all rows.
type Freeze = dyn Fn() -> Result<Pieces, NoBackup> + Send + Sync;

/// The backups of a running server.
#[derive(Clone)]
pub(crate) struct Backups(Arc<BackupState>);

struct BackupState {
    freeze: Box<Freeze>,
    held: Mutex<Option<HeldBackup>>,
}

/// A backup in progress.
struct HeldBackup {
    id: Uuid,
    /// `None` during a read of rows.
    pieces: Option<Pieces>,
    /// The time of the last request.
    asked: Instant,
}

impl Backups {
    /// Starts without a backup. `freeze` takes the snapshot for one.
    pub(crate) fn new(
        freeze: impl Fn() -> Result<Pieces, NoBackup> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(BackupState {
            freeze: Box::new(freeze),
            held: Mutex::new(None),
        }))
    }

    /// Begins a backup with all acknowledged writes. Returns its id.
    ///
    /// It takes the place of the one before: its command has ended, as a command holds the lock of the
    /// store's backups for as long as it runs.
    ///
    /// # Errors
    /// See [`NoBackup`].
    pub(crate) async fn begin(&self) -> Result<Uuid, NoBackup> {
        let id = Uuid::new_v4();
        let former = self.0.held().replace(HeldBackup::reading(id));
        // Before the first await: this future may be dropped there.
        tokio::spawn(give_up(Arc::downgrade(&self.0), id));
        let inner = self.0.clone();
        let frozen = spawn_blocking(move || {
            drop(former);
            let frozen = (inner.freeze)();
            inner.keep(id, frozen.map(Some))
        });
        let panicked = |_| self.0.keep(id, Err(NoBackup::Panicked));
        frozen.await.unwrap_or_else(panicked)?;
        Ok(id)
    }

    /// The next piece of the file; an empty one ends the backup.
    ///
    /// # Errors
    /// See [`NoBackup`]. An error ends the backup.
    pub(crate) async fn next(&self, id: Uuid) -> Result<Vec<u8>, NoBackup> {
        let pieces = match self.0.held().as_mut() {
            Some(held) if held.id == id => held.pieces.take(),
            _ => None,
        };
        let mut pieces = pieces.ok_or(NoBackup::GivenUp)?;
        let inner = self.0.clone();
        let read = spawn_blocking(move || {
            let piece = pieces.next_piece().map_err(NoBackup::from);
            let (piece, left) = match piece {
                Ok(Some(piece)) => (piece, Ok(Some(pieces))),
                Ok(None) => (Vec::new(), Ok(None)),
                Err(error) => (Vec::new(), Err(error)),
            };
            // Also when the request for the piece was dropped.
            inner.keep(id, left).map(|()| piece)
        });
        let panicked = |_| {
            self.0
                .keep(id, Err(NoBackup::Panicked))
                .map(|()| Vec::new())
        };
        read.await.unwrap_or_else(panicked)
    }
}

impl BackupState {
    fn held(&self) -> MutexGuard<'_, Option<HeldBackup>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the rest of a backup, unless another has taken its place.
    fn keep(&self, id: Uuid, left: Result<Option<Pieces>, NoBackup>) -> Result<(), NoBackup> {
        let (left, outcome) = match left {
            Ok(left) => (left, Ok(())),
            Err(error) => (None, Err(error)),
        };
        let mut held = self.held();
        if held.as_ref().is_none_or(|held| held.id != id) {
            return Err(NoBackup::GivenUp);
        }
        *held = left.map(|pieces| HeldBackup {
            pieces: Some(pieces),
            ..HeldBackup::reading(id)
        });
        outcome
    }

    /// Drops an idle backup. Returns whether it is still held.
    fn look(&self, id: Uuid) -> bool {
        let mut held = self.held();
        let Some(of) = held.as_ref().filter(|held| held.id == id) else {
            return false;
        };
        let is_idle = of.pieces.is_some() && of.asked.elapsed() >= QUIET;
        if is_idle {
            tracing::warn!("a backup was cancelled: its next part was not requested for a minute");
            *held = None;
        }
        !is_idle
    }
}

impl HeldBackup {
    fn reading(id: Uuid) -> Self {
        Self {
            id,
            pieces: None,
            asked: Instant::now(),
        }
    }
}

/// Drops an interrupted backup.
/// Until then the store keeps former rows for it.
async fn give_up(backups: Weak<BackupState>, id: Uuid) {
    while backups.upgrade().is_some_and(|backups| backups.look(id)) {
        sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, sync::mpsc};

    use super::*;

    /// A store of three pages, one piece each.
    fn backups() -> Backups {
        Backups::new(|| {
            let row = |n: u8| vec![(Box::from([n]), vec![n; 5 << 20].into())];
            let mut pages = VecDeque::from([row(1), row(2), row(3)]);
            Ok(Pieces::of(move || {
                Ok(pages.pop_front().unwrap_or_default())
            }))
        })
    }

    #[tokio::test]
    async fn a_backup_is_read_to_its_end_once() {
        let backups = backups();
        let id = backups.begin().await.unwrap();
        let other = backups.next(Uuid::new_v4()).await;
        assert!(matches!(other, Err(NoBackup::GivenUp)));
        let mut pieces = 0;
        while !backups.next(id).await.unwrap().is_empty() {
            pieces += 1;
        }
        assert!(pieces >= 3, "{pieces}");
        assert!(matches!(backups.next(id).await, Err(NoBackup::GivenUp)));
        backups.begin().await.unwrap();
    }

    /// A piece read for the killed command comes later.
    #[tokio::test]
    async fn a_backup_takes_the_place_of_the_one_before() {
        let (release, released) = mpsc::channel();
        let released = Arc::new(Mutex::new(released));
        let (tell, mut reading) = tokio::sync::mpsc::unbounded_channel();
        let backups = Backups::new(move || {
            let (released, tell) = (released.clone(), tell.clone());
            let mut rows = (1..=3).map(|n: u8| (Box::from([n]), vec![n; 5 << 20].into()));
            Ok(Pieces::of(move || {
                tell.send(()).unwrap();
                released.lock().unwrap().recv().unwrap();
                Ok(rows.next().into_iter().collect())
            }))
        });
        let killed = backups.begin().await.unwrap();
        let late = tokio::spawn({
            let backups = backups.clone();
            async move { backups.next(killed).await }
        });
        reading.recv().await.unwrap();
        let id = backups.begin().await.unwrap();
        (0..100).for_each(|_| release.send(()).unwrap());
        assert!(matches!(late.await.unwrap(), Err(NoBackup::GivenUp)));
        let killed = backups.next(killed).await;
        assert!(matches!(killed, Err(NoBackup::GivenUp)));
        let mut bytes = 0;
        while let piece @ [_, ..] = &backups.next(id).await.unwrap()[..] {
            bytes += piece.len();
        }
        assert!(bytes > 3 * (5 << 20), "{bytes}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_backup_that_was_interrupted_is_given_up_after_a_minute() {
        let backups = backups();
        let id = backups.begin().await.unwrap();
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            assert!(!backups.next(id).await.unwrap().is_empty());
        }
        tokio::time::sleep(Duration::from_secs(62)).await;
        assert!(matches!(backups.next(id).await, Err(NoBackup::GivenUp)));
        backups.begin().await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_backup_whose_command_ends_while_it_begins_is_given_up_too() {
        let (release, released) = mpsc::channel();
        let released = Mutex::new(released);
        let (tell, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let rows = Arc::new(());
        let kept = Arc::downgrade(&rows);
        let backups = Backups::new(move || {
            tell.send(()).unwrap();
            released.lock().unwrap().recv().unwrap();
            let rows = rows.clone();
            Ok(Pieces::of(move || {
                let _rows = &rows;
                Ok(Vec::new())
            }))
        });
        let begun = tokio::spawn({
            let backups = backups.clone();
            async move { backups.begin().await }
        });
        begins.recv().await.unwrap();
        begun.abort();
        release.send(()).unwrap();
        tokio::time::sleep(Duration::from_secs(62)).await;
        assert_eq!(kept.strong_count(), 1);
    }

    #[tokio::test]
    async fn a_store_that_cannot_be_read_has_no_backup() {
        let backups = Backups::new(|| Err(StorageError::new("gone").into()));
        for _ in 0..2 {
            let refused = backups.begin().await.unwrap_err();
            let why = "the store cannot be read: storage is unavailable: gone";
            assert_eq!(refused.to_string(), why);
        }
    }
}
