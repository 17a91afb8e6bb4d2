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
mod outstanding;
mod owners;
mod partition;
mod registers;
mod repair;
mod report;
mod rows;
mod sign_in;
mod stock;
mod stock_sums;
mod walk;
mod webhooks;

pub use report::{CheckProgress, CheckReport, Problem, ProblemKind};

use std::collections::BTreeMap;

use self::repair::Repairs;
use super::Connect;

use crate::{transaction::Error, wire::Timestamp};

/// The most walks of a repair. One repair may bring another to light, and few do.
const MOST_WALKS: usize = 10;

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
        Ok(walk::walk(self.store(), self.check_time().await, progress, None).await?)
    }

    /// Checks a store, and makes its rows agree where they tell how: index entries that lead to no row are
    /// removed, and missing ones written; a record that is lost is deleted, as by a client, with a
    /// tombstone and an event. `tell` takes each problem that is no more, and what was done. What is lost
    /// otherwise is in the report, that of a check at the end.
    ///
    /// Does nothing to a store that a newer program has written to, or whose import did not finish.
    ///
    /// # Errors
    /// The storage does not answer, or takes no writes.
    pub async fn repair(
        &self,
        progress: &mut (dyn FnMut(CheckProgress) + Send),
        tell: &mut (dyn FnMut(&str, &str) + Send),
    ) -> Result<CheckReport, Error> {
        let mut report = self.check(progress).await?;
        let is_import = |problem: &Problem| problem.kind == ProblemKind::UnfinishedImport;
        let is_other = !report.newer_kinds.is_empty() || report.problems.iter().any(is_import);
        if report.is_clean() || is_other {
            return Ok(report);
        }
        let mut repairs = Repairs {
            store: self.store(),
            tell,
            count: 0,
            is_refused: false,
            records: BTreeMap::new(),
        };
        for _ in 0..MOST_WALKS {
            let (before, now) = (repairs.count, self.check_time().await);
            repairs.is_refused = false;
            report = walk::walk(self.store(), now, progress, Some(&mut repairs)).await?;
            if repairs.count == before && !repairs.is_refused {
                break;
            }
        }
        Ok(report)
    }

    /// The time of a check. A clock that is behind would take what was purged for lost.
    async fn check_time(&self) -> Timestamp {
        let last = self.last_maintenance().await.ok().flatten();
        self.now().max(last.unwrap_or(Timestamp::EPOCH))
    }
}
