//! A write as a value: it can be queued, and run again after a conflict.

use async_trait::async_trait;

use super::{answer::Answer, request::Idempotency, room::Room};
use crate::{
    auth::Access,
    transaction::{Error, Reads, Unit},
};

/// The most records that share a commit: enough to share a flush, few enough that nobody waits
/// long for others.
pub(crate) const MOST_RECORDS: usize = 1000;

/// Lets others have the thread now and then, for work on many records. `done` of them are done.
pub(crate) async fn give_way(done: usize) {
    const EVERY: usize = 200;
    if (done + 1).is_multiple_of(EVERY) {
        tokio::task::yield_now().await;
    }
}

/// The change that a write makes to the records of a location.
#[async_trait]
pub(crate) trait Change: Send + Sync {
    /// Adds what the write will look up, so that it is read in one round trip with the rest.
    fn reads(&self, at: &Access, reads: &mut Reads);

    /// Adds what the write will look up besides, now that the first reads are known.
    fn more_reads(&self, _at: &Access, _unit: &Unit<'_>, _reads: &mut Reads) {}

    /// Does the write. On `Err` the caller rolls back whatever was written.
    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Error>;

    /// The number of records that it is about, which bounds what goes into one commit.
    fn weight(&self) -> usize {
        1
    }

    /// Returns how it is judged whether there is room for what it adds.
    fn room(&self) -> Room {
        Room::Whole
    }

    /// Returns whether nothing of it is to be kept, not even the answer.
    fn is_dry_run(&self) -> bool {
        false
    }
}

/// A write that waits in a queue.
pub(crate) struct Job {
    pub(crate) change: Box<dyn Change>,
    pub(crate) at: Access,
    pub(crate) idempotency: Option<Idempotency>,
}
