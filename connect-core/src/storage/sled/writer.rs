//! The one thread that writes.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use tokio::sync::{mpsc, oneshot};

use super::{
    durable::Durable,
    group::{Group, Joined},
    view::View,
};
use crate::storage::{Commit, CommitError, StorageError};

/// How many commits may wait before further callers wait for a place in the queue.
const QUEUE_LEN: usize = 1024;

/// A commit and where its answer goes. The answer may find nobody: a caller that went away does
/// not take back its commit.
pub(super) struct Request {
    pub(super) commit: Commit,
    pub(super) reply: oneshot::Sender<Result<(), CommitError>>,
}

/// Starts the thread. It ends when every sender is gone and the queue is empty.
pub(super) fn start(
    view: Arc<View>,
    durable: Durable,
) -> io::Result<(mpsc::Sender<Request>, JoinHandle<()>)> {
    let (sender, queue) = mpsc::channel(QUEUE_LEN);
    let writer = Writer {
        view,
        durable,
        queue,
    };
    let thread = thread::Builder::new()
        .name("sled-writer".into())
        .spawn(|| writer.run())?;
    Ok((sender, thread))
}

struct Writer {
    view: Arc<View>,
    durable: Durable,
    queue: mpsc::Receiver<Request>,
}

type Answers = Vec<(oneshot::Sender<Result<(), CommitError>>, Joined)>;

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.queue.blocking_recv() {
            let mut answers = Answers::new();
            let result = catch_unwind(AssertUnwindSafe(|| self.write_group(first, &mut answers)))
                .unwrap_or_else(|_| Err(StorageError::new("sled panicked while writing")));
            for (reply, joined) in answers {
                let answer = match (&result, joined) {
                    (Ok(()), Joined::Yes) => Ok(()),
                    (Ok(()), Joined::Conflict) => Err(CommitError::Conflict),
                    (Err(error), _) => Err(error.clone().into()),
                };
                let _ = reply.send(answer);
            }
            if let Err(error) = result {
                return self.refuse_all(&error);
            }
        }
    }

    /// Writes one group: `first` and whatever waits behind it. Conflicts are told apart in
    /// `answers`, and are answered with the rest: they may rest on writes of this group.
    fn write_group(&mut self, first: Request, answers: &mut Answers) -> Result<(), StorageError> {
        let view = self.view.clone();
        let mut group = Group::new(view.rows());
        let mut next = Some(first);
        while let Some(Request { commit, reply }) = next {
            // Noted before it is tried, so that it gets its answer whatever happens.
            answers.push((reply, Joined::Conflict));
            let joined = group.join(commit)?;
            if let Some(answer) = answers.last_mut() {
                answer.1 = joined;
            }
            next = if group.is_full() {
                None
            } else {
                self.queue.try_recv().ok()
            };
        }
        let Some((batch, before)) = group.finish() else {
            return Ok(());
        };
        view.hide(before);
        let db = &view.rows().db;
        db.apply_batch(batch).map_err(StorageError::new)?;
        // On this thread: sled's own asynchronous flush can hang.
        db.flush().map_err(StorageError::new)?;
        self.durable.sync().map_err(StorageError::new)?;
        view.show();
        Ok(())
    }

    /// After a failure it is unknown what is on the disk. The overlay of the failed group stays,
    /// so readers keep the last durable state; nothing more is written.
    fn refuse_all(mut self, error: &StorageError) {
        tracing::error!(%error, "the sled database takes no more commits");
        let reason = format!("an earlier write failed ({error}); open the database again");
        let error = StorageError::new(reason);
        while let Some(request) = self.queue.blocking_recv() {
            let _ = request.reply.send(Err(error.clone().into()));
        }
    }
}
