//! The sums and bounds of days, recomputed from the rows of the journal.
//! Each row of the journal updates the stored ones.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::{Problem, ProblemKind};
use crate::{
    resources::{day_key, day_number},
    rules::zone,
    storage::{Key, Write},
    transaction::keys::{Family, KeyPart, key},
    wire::{DailySummary, Date, Totals, Transaction},
};

/// The facts computed from the rows of a location's journal.
/// They are compared with the stored facts.
#[derive(Clone, Default)]
pub(super) struct JournalSums {
    days: BTreeMap<Date, Day>,
    /// The days later than any before, with their first rows.
    /// An entry is removed once it is seen among the stored ones.
    from: BTreeMap<u64, u64>,
    latest: Option<u64>,
    /// The same for days followed only by later days.
    up_to: BTreeSet<u64>,
    /// The unexpected entries of days.
    stray: Vec<(Family, u64)>,
    /// The currency of the location.
    currency: String,
}

#[derive(Clone, Default)]
struct Day {
    rows: Totals,
    last: Option<u64>,
    /// The agreement of the summary with the rows; `None` without a summary.
    agrees: Option<bool>,
}

impl JournalSums {
    /// Adds a row. All rows come before the facts stored about them.
    pub(super) fn add_row(&mut self, day: Date, row: &Transaction) {
        let of_day = self.days.entry(day).or_default();
        of_day.rows.add(row);
        of_day.last = Some(row.receipt_number);
        self.currency.clone_from(&row.currency);
        let number = day_number(day);
        if self.latest < Some(number) {
            self.latest = Some(number);
            self.from.insert(number, row.receipt_number);
        }
        self.up_to.split_off(&number);
        self.up_to.insert(number);
    }

    /// Adds the summary of a day.
    pub(super) fn add_day(&mut self, summary: &DailySummary) {
        let day = self.days.entry(summary.date).or_default();
        day.agrees = Some(day.rows == summary.totals);
    }

    /// Adds the entry of a day later than any before.
    /// It has the day's first row.
    pub(super) fn add_from(&mut self, day: u64, receipt_number: u64) {
        if self.from.remove(&day) != Some(receipt_number) {
            self.stray.push((Family::ReceiptFrom, day));
        }
    }

    /// Adds the entry of a day followed only by later days.
    pub(super) fn add_up_to(&mut self, day: u64) {
        if !self.up_to.remove(&day) {
            self.stray.push((Family::ReceiptUpTo, day));
        }
    }

    /// Compares the facts, once all rows of the location are added.
    /// No write may have come in between.
    pub(super) fn compare(&self, location: Uuid) -> impl Iterator<Item = Problem> {
        let bad = |key: &[u8], message| Problem::new(ProblemKind::BadRow, key, message);
        let days = self.days.iter().filter(|(_, day)| day.agrees != Some(true));
        let days = days.map(move |(date, _)| {
            let message = format!("the summary of {date} is not the sum of its rows");
            bad(&day_key(location, *date), message)
        });
        let missing = self.from.keys().map(|day| (Family::ReceiptFrom, *day));
        let missing = missing.chain(self.up_to.iter().map(|day| (Family::ReceiptUpTo, *day)));
        let missing = missing.map(|entry| (ProblemKind::MissingEntry, entry));
        let stray = self.stray.iter();
        let stray = stray.map(|entry| (ProblemKind::StrayEntry, *entry));
        let entries = missing.chain(stray).map(move |(kind, (family, day))| {
            let message = "the rows of the journal do not lead to this entry, or it is not there";
            Problem::new(
                kind,
                &key(location, family, &[KeyPart::Number(day)]),
                message,
            )
        });
        days.chain(entries)
    }

    /// The writes to restore lost entries and summaries of days.
    /// Present ones are kept: they may count lost rows.
    pub(super) fn mends(&self, location: Uuid) -> Vec<(Key, Write)> {
        let entry = |family, day: &u64| key(location, family, &[KeyPart::Number(*day)]);
        let mut mends = Vec::new();
        for (day, first) in &self.from {
            let first = Write::Put(first.to_be_bytes().as_slice().into());
            mends.push((entry(Family::ReceiptFrom, day), first));
        }
        for day in &self.up_to {
            mends.push((entry(Family::ReceiptUpTo, day), Write::Put([].into())));
        }
        for (date, day) in self.days.iter().filter(|(_, day)| day.agrees.is_none()) {
            let summary = DailySummary {
                date: *date,
                time_zone: zone::name().to_owned(),
                currency: self.currency.clone(),
                totals: day.rows.clone(),
                last_receipt_number: day.last,
            };
            if let Ok(summary) = serde_json::to_vec(&summary) {
                mends.push((day_key(location, *date), Write::Put(summary.into())));
            }
        }
        mends
    }
}
