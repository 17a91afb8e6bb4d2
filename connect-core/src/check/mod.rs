//! Checking a store: every row, every index entry, every count, every sequence of events.
//!
//! [`walk`] goes through the whole key space in pieces, so it also comes upon rows that nothing
//! leads to. [`rows`] says what must hold for each row, as [`claim`]s on other rows: a product
//! claims its index entries, and an entry claims the product. What holds for a location as a whole
//! (its clock, its events, its counts) is checked by [`partition`] when all its rows were seen.
//!
//! The service may go on meanwhile. The rows that a piece claims are read after the piece itself,
//! so a problem that shows may be one of timing; then the piece is read again. What shows twice in
//! a row, while the clock of the location stood still, is a problem. Where the clock does not stand
//! still, the third reading is made under the lock of the location, which keeps its writers waiting
//! for the few milliseconds that a piece takes.

mod catalog;
mod claim;
mod events;
mod findings;
mod journal;
mod journal_sums;
mod orders;
mod owners;
mod partition;
mod registers;
mod report;
mod rows;
mod sign_in;
mod stock;
mod stock_sums;
mod walk;
mod webhooks;

pub use report::{CheckProgress, CheckReport, Problem, ProblemKind};

use super::Connect;

use crate::{error::Error, wire::Timestamp};

impl Connect {
    /// Checks every row of the store, and that they agree with each other. `progress` is called
    /// after every piece of about 500 rows. Changes nothing.
    ///
    /// Rows that the storage cannot return are reported like everything else, and the check goes on
    /// behind them.
    ///
    /// # Errors
    /// The storage does not answer at all. Problems in the store are no error; they are in the
    /// report.
    pub async fn check(
        &self,
        progress: &mut (dyn FnMut(CheckProgress) + Send),
    ) -> Result<CheckReport, Error> {
        // A clock that is behind would take what was purged for lost.
        let last = self.last_maintenance().await.ok().flatten();
        let now = self.now().max(last.unwrap_or(Timestamp::EPOCH));
        Ok(walk::walk(self.store(), now, progress).await?)
    }
}
