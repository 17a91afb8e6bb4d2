//! Two halves of a kill test: the work, and the check afterwards.
//!
//! A backend's test starts a child process to open the store and call [`work`], writing every note
//! to a file. It kills the child (SIGKILL) at any moment, opens the store again and calls [`check`]
//! with the notes. It can repeat this in one place for any number of rounds.
//!
//! Several lanes of commits run concurrently. Each lane has a guard with the number of its last
//! commit. A commit writes a few rows, occasionally a long one, each with an index entry, and
//! removes the rows of an old commit; a large commit now and then rewrites thousands of rows. One
//! more lane puts a single row again and again, without a guard. A reader looks at all of this with
//! reads of all kinds.

mod lane;
mod load;
mod reader;
mod verdict;

use std::sync::Arc;

use tokio::task::JoinSet;

pub use self::load::{Load, Note, StoreContents};
use super::Fault;
use crate::storage::Storage;

/// Writes and reads until the process is killed; returns only on an error.
///
/// `note` is called after a commit is acknowledged, and after a read shows one.
///
/// # Errors
///
/// The first fault of a writer or of the reader.
pub async fn work(
    store: Arc<dyn Storage>,
    load: Load,
    note: impl Fn(Note) + Clone + Send + 'static,
) -> Result<(), Fault> {
    // Dropping the set ends its tasks.
    let mut tasks = JoinSet::new();
    for lane in 0..load.lanes {
        let (store, note) = (store.clone(), note.clone());
        tasks.spawn(async move { lane::write(&*store, load, lane, note).await });
    }
    tasks.spawn({
        let (store, note) = (store.clone(), note.clone());
        async move { lane::write_single(&*store, load.lanes, note).await }
    });
    tasks.spawn(async move { reader::read(&*store, load, note).await });
    match tasks.join_next().await {
        Some(first) => first?,
        None => Ok(()),
    }
}

/// Checks for all noted commits, and against partial ones.
///
/// # Errors
///
/// The first commit missing, or there in part.
pub async fn check(
    store: &dyn Storage,
    load: Load,
    notes: impl IntoIterator<Item = Note>,
) -> Result<StoreContents, Fault> {
    let last = verdict::last_commits(store, load).await?;
    for note in notes {
        if last.get(&note.lane).is_none_or(|last| *last < note.number) {
            return Err(Fault::new(format_args!(
                "{note:?} is lost; the last ones are {last:?}"
            )));
        }
    }
    verdict::whole(store, load, &last).await
}
