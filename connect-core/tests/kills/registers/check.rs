//! Holds a store that was opened again against what has to be so.

use connect_core::wire::{Field, ZReportInput};

use super::{facts::Facts, history, journal, op::What, orders, place::Place, seen::Seen, stock};

/// What was seen over all kills.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) checks: usize,
    /// Kills before the process had noted that the store is open.
    pub(super) kills_while_opening: usize,
    /// Acknowledged journal rows.
    pub(super) rows: usize,
    pub(super) z_reports: usize,
    /// Acknowledged counts and adjustments.
    pub(super) stock: usize,
    /// Acknowledged orders and changes of them.
    pub(super) orders: usize,
    /// Acknowledged rows that belong to an order.
    pub(super) rows_of_orders: usize,
    /// Rows that the reader was shown.
    pub(super) shown: usize,
    /// Writes without an answer that were sent again: done before, or done only now.
    pub(super) retried_and_done_before: usize,
    pub(super) retried_and_done_now: usize,
    pub(super) longest_journal: usize,
    pub(super) most_movements: usize,
}

impl Totals {
    pub(super) fn acknowledge(&mut self, what: &What) {
        match what {
            What::Sale { order, .. } | What::Refund { order, .. } => {
                self.rows += 1;
                self.rows_of_orders += usize::from(order.is_some());
            }
            What::Cash { .. } => self.rows += 1,
            What::Close { .. } => self.z_reports += 1,
            What::Order | What::Move { .. } => self.orders += 1,
            What::Count | What::CountMany | What::Adjust => self.stock += 1,
        }
    }
}

/// Checks everything.
pub(super) async fn all(place: &Place, facts: &Facts, totals: &mut Totals) {
    let seen = Seen::of(place).await;
    facts.check(&seen);
    journal::rows_are_whole(place, &seen).await;
    journal::days_are_sums(place, &seen).await;
    journal::reports_partition(place, &seen);
    stock::agrees(place, &seen).await;
    orders::are_linked(&seen);
    history::tells_all(&seen);
    let report = place.shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    totals.checks += 1;
    totals.longest_journal = totals.longest_journal.max(seen.rows.len());
    totals.most_movements = totals.most_movements.max(seen.movements.len());
}

/// Closes every register.
pub(super) async fn close_all(place: &Place, run: u32) {
    for (number, register) in (0..).zip(&place.registers) {
        // No write of a process has counted so little.
        let input = ZReportInput {
            counted_cents: Field::Value(i64::from(run) * 10 + number),
        };
        let reports = place.shop.connect.location(register).z_reports();
        reports.close(input).await.unwrap();
    }
}
