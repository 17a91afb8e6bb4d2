//! Two halves of a test that kills a process: what runs in it, and what is checked afterwards.
//!
//! A backend's test starts a child process that opens the store and calls [`work`], writing every
//! note it is given to a file; kills the child (SIGKILL) at any moment; opens the store again and
//! calls [`check`] with the notes. This can go on in one place for as many rounds as wanted.
//!
//! Several lanes of commits run beside each other. Each lane has a guard, which holds the number
//! of its last commit. A commit writes a few rows, one of them long now and then, with an entry of
//! an index, and removes those of an old commit; now and then it is a large one, which rewrites
//! thousands of rows. One more lane puts a single row again and again, without a guard. A reader
//! looks at all of that with reads of all kinds.

mod lane;
mod load;
mod reader;
mod verdict;

use std::sync::Arc;

use tokio::task::JoinSet;

pub use self::load::{Found, Load, Note};
use super::Fault;
use crate::storage::Storage;

/// Writes and reads until the process is killed; returns only on an error.
///
/// `note` is called after a commit was acknowledged, and after a read has shown one.
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

/// Checks that every noted commit is there, and that every commit that is there is whole.
///
/// # Errors
///
/// The first commit that is missing, or there in part.
pub async fn check(
    store: &dyn Storage,
    load: Load,
    notes: impl IntoIterator<Item = Note>,
) -> Result<Found, Fault> {
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
