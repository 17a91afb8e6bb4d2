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
mod reader;
mod verdict;

use std::sync::Arc;

use tokio::task::JoinSet;

use super::Fault;
use crate::storage::Storage;

/// The work of the lanes. The same for every round in one place.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The number of lanes that commit under a guard of their own: up to 200.
    pub lanes: u8,
    /// The number of commits of which a lane keeps the rows.
    pub kept: u64,
    /// The number of commits of a lane from one large commit to the next.
    pub large_every: u64,
    /// The number of rows that a large commit rewrites.
    pub large_rows: u32,
}

/// Eight lanes; every 200th commit of a lane rewrites 5000 rows.
impl Default for Load {
    fn default() -> Self {
        Self {
            lanes: 8,
            kept: 600,
            large_every: 200,
            large_rows: 5000,
        }
    }
}

/// A commit that was acknowledged to its writer, or seen by a reader: it has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The lane; the one of single rows is numbered after those with a guard.
    pub lane: u8,
    /// The commit's number in the lane.
    pub number: u64,
}

/// The contents of the store, as [`check`] found them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of commits so far, over all lanes and rounds.
    pub commits: u64,
    /// The number of rows that the store holds, entries and guards included.
    pub rows: usize,
}

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
