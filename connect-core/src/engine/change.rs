//! A write as a value, to be queued, and rerun after a conflict.

use std::sync::Arc;

use async_trait::async_trait;

use super::{answer::Answer, request::Idempotency, room::Room};
use crate::{
    auth::Access,
    transaction::{Authorship, Error, Reads, UnitOfWork},
};

/// The most records in a shared commit.
/// It is large enough to share a flush, and small enough to keep waits short.
pub(crate) const MOST_RECORDS: usize = 1000;

/// Yields the thread now and then during work on many records.
/// `done` of them are done.
pub(crate) async fn yield_periodically(done: usize) {
    const EVERY: usize = 200;
    if (done + 1).is_multiple_of(EVERY) {
        tokio::task::yield_now().await;
    }
}

/// A change to the records of a location.
#[async_trait]
pub(crate) trait Change: Send + Sync {
    /// Adds the lookups of the write, to share one round trip.
    fn reads(&self, at: &Access, reads: &mut Reads);

    /// Adds lookups depending on the first reads.
    fn more_reads(&self, _at: &Access, _unit: &UnitOfWork<'_>, _reads: &mut Reads) {}

    /// Applies the write.
    /// On `Err` the caller rolls back all of its changes.
    async fn apply(&self, unit: &mut UnitOfWork<'_>, at: &Access) -> Result<Answer, Error>;

    /// The number of records changed, to limit the size of a commit.
    fn weight(&self) -> usize {
        1
    }

    /// Returns the way to check the storage limits for the write.
    fn room(&self) -> Room {
        Room::Whole
    }

    /// Returns true for a dry run: nothing is kept, not even the answer.
    fn is_dry_run(&self) -> bool {
        false
    }
}

/// A queued write.
pub(crate) struct Job {
    pub(crate) change: Box<dyn Change>,
    pub(crate) at: Access,
    /// The author, for the trail.
    pub(crate) authorship: Arc<Authorship>,
    pub(crate) idempotency: Option<Idempotency>,
}
