//! The integrity check of a store: rows, index entries, counts and events.
//!
//! [`walk`] goes through the whole key space in pieces, so it also finds rows without a reference to them.
//! [`rows`] has the rules for each row, as [`claim`]s on other rows: a product claims its index entries,
//! and an entry claims the product. [`partition`] has the rules for a whole location (its clock, its
//! events, its counts), checked after all its rows.
//!
//! The service may run during the check. The claimed rows of a piece are read after the piece itself, so a
//! problem may be one of timing. Then the piece is read again. A problem is confirmed if two readings in a
//! row show it, and the clock of the location did not move during the second. From the third reading on,
//! the check holds the lock of the location: its writers wait for the few milliseconds of a piece.

mod catalog;
mod claim;
mod declared;
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
mod trail;
mod walk;
mod webhooks;

pub use report::{CheckProgress, CheckReport, Problem, ProblemKind};
pub use trail::{TrailEnd, TrailFault, TrailReport};

use std::collections::BTreeMap;

use self::repair::Repairs;
use crate::{Connect, transaction::Error, wire::Timestamp};

/// The most walks of a repair.
/// A repair may reveal another problem, but seldom does.
const MOST_WALKS: usize = 10;

impl Connect {
    /// Checks every row of the store, and the agreement of the rows.
    /// `progress` is called after every piece of about 500 rows. Changes nothing.
    ///
    /// Rows that the storage cannot return are reported as well, and the check continues after them.
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

    /// Checks a store, and repairs it as far as its rows allow.
    /// Index entries without a row are removed, and missing ones written. A lost record is deleted, as by a
    /// client, with a tombstone and an event. `tell` is called with each repaired problem and its repair. The
    /// report is that of the last walk, and lists all problems without a repair.
    ///
    /// Changes nothing in a store with rows of a newer program, or with an unfinished import.
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

    /// The time of a check: now, or the last maintenance if later.
    /// With a clock behind the last maintenance, purged rows would count as lost.
    async fn check_time(&self) -> Timestamp {
        let last = self.last_maintenance().await.ok().flatten();
        self.now().max(last.unwrap_or(Timestamp::EPOCH))
    }
}
