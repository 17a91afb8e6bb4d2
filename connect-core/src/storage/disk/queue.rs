//! The write queue: commits on their way to the writer thread.

use std::sync::{Arc, mpsc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    damage::{DamagedRange, Pages},
    frozen::FrozenRows,
    verify::StoreCheck,
};
use crate::storage::{Commit, CommitError, StorageError};

/// The most commits in the queue.
/// Further callers wait for a place.
const PLACES: usize = 1024;

/// A task for the writer thread.
pub(super) enum Message {
    /// Apply this commit.
    Commit(CommitRequest),
    /// Check some more entries.
    Check(
        StoreCheck,
        mpsc::SyncSender<Result<StoreCheck, StorageError>>,
    ),
    /// Keep the current state readable while commits go on.
    Freeze(mpsc::SyncSender<Result<FrozenRows, StorageError>>),
    /// Return the engine's current pages.
    Pages(mpsc::SyncSender<Result<Option<Box<dyn Pages>>, StorageError>>),
    /// Check these pages once more, and keep reads away from damaged ones.
    Damaged(Vec<DamagedRange>),
    /// Reopen the engine: a read has failed.
    Reopen(StorageError),
    /// Finish the commits in the queue, and close the store.
    Close,
}

impl Message {
    /// Answers with an error, where an answer is awaited.
    pub(super) fn refuse(self, error: &StorageError) {
        let error = error.clone();
        match self {
            Self::Commit(request) => drop(request.reply.send(Err(CommitError::NotApplied(error)))),
            Self::Check(_, reply) => drop(reply.send(Err(error))),
            Self::Freeze(reply) => drop(reply.send(Err(error))),
            Self::Pages(reply) => drop(reply.send(Err(error))),
            Self::Damaged(_) | Self::Reopen(_) | Self::Close => {}
        }
    }
}

/// A commit, with the address for its answer.
/// The caller may be gone by then; its commit is done anyway.
pub(super) struct CommitRequest {
    pub(super) commit: Commit,
    pub(super) reply: Reply,
    /// A place in the queue, released once the commit has left it.
    _place: OwnedSemaphorePermit,
}

/// The address of an answer.
pub(super) type Reply = oneshot::Sender<Result<(), CommitError>>;

/// The sending end of the queue.
pub(super) struct CommitQueue {
    sender: mpsc::Sender<Message>,
    places: Arc<Semaphore>,
}

impl CommitQueue {
    pub(super) fn new() -> (Self, mpsc::Receiver<Message>) {
        let (sender, receiver) = mpsc::channel();
        let places = Arc::new(Semaphore::new(PLACES));
        (Self { sender, places }, receiver)
    }

    /// Hands a commit to the writer and waits for its answer.
    pub(super) async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let place = self.places.clone().acquire_owned().await;
        let (reply, answer) = oneshot::channel();
        let request = CommitRequest {
            // The guard is an ordinary row.
            commit: commit.with_guard_as_row(),
            reply,
            _place: place.map_err(|_| CommitError::NotApplied(stopped()))?,
        };
        self.send(Message::Commit(request))
            .map_err(CommitError::NotApplied)?;
        answer.await.map_err(|_| CommitError::Unknown(stopped()))?
    }

    /// Sends a message other than a commit.
    pub(super) fn send(&self, message: Message) -> Result<(), StorageError> {
        self.sender.send(message).map_err(|_| stopped())
    }

    /// Sends a message with the address for its answer, and waits for the answer.
    pub(super) fn ask<T>(
        &self,
        message: impl FnOnce(mpsc::SyncSender<Result<T, StorageError>>) -> Message,
    ) -> Result<T, StorageError> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.send(message(reply))?;
        answer.recv().map_err(|_| stopped())?
    }
}

fn stopped() -> StorageError {
    StorageError::new("the writer of the store has stopped")
}
