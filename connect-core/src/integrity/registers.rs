//! The Z reports of registers, compared with the rows between them.
//!
//! The numbers of all Z reports of a location are read before its journal. The rows then come in the
//! order of receipts, so the sum of a report's rows is complete when its turn comes. Memory holds the
//! numbers and one open sum for each register.

use std::{collections::BTreeMap, sync::Arc};

use uuid::Uuid;

use super::{Problem, ProblemKind, claim::Claim};
use crate::{
    resources::RegisterPeriod,
    storage::{Key, Write},
    transaction::{
        Fault, LenientReader,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Cash, Timestamp, Transaction, ZReport},
};

/// The number of Z reports read at a time.
const PIECE: usize = 500;

/// The registers of a location.
#[derive(Clone, Default)]
pub(super) struct Registers {
    /// The Z reports of each register, in the order of their numbers.
    reports: Arc<BTreeMap<Uuid, Vec<CheckedReport>>>,
    open: BTreeMap<Uuid, Open>,
}

/// A Z report.
struct CheckedReport {
    number: u64,
    /// The receipt number of its last row; `None` for a report without rows.
    last: Option<u64>,
    closed_at: Timestamp,
    key: Key,
}

/// A register, after the rows so far.
#[derive(Clone, Default)]
struct Open {
    /// The number of its Z reports ending before the last row.
    passed: usize,
    /// The rows since the last of these reports.
    rows: RegisterPeriod,
    /// The agreement of the stored sums with the rows; `None` without stored sums.
    agrees: Option<bool>,
}

impl Registers {
    /// Reads the Z reports of a location.
    /// An unreadable one is reported at its own key.
    pub(super) async fn read(reader: &LenientReader<'_>, location: Uuid) -> Result<Self, Fault> {
        let prefix = key(location, Family::ZReport, &[]);
        let end = after_prefix(&prefix);
        let mut reports = BTreeMap::<Uuid, Vec<CheckedReport>>::new();
        let mut from = Some(prefix);
        while let Some(start) = from {
            let piece = reader.piece(&start, Some(&end), PIECE).await?;
            for (key, row) in piece.entries {
                let Ok(report) = serde_json::from_slice::<ZReport>(&row) else {
                    continue;
                };
                let of_register = reports.entry(report.register.id.uuid()).or_default();
                of_register.push(CheckedReport {
                    number: report.number,
                    last: report.last_receipt_number,
                    closed_at: report.closed_at,
                    key,
                });
            }
            from = piece.next;
        }
        for of_register in reports.values_mut() {
            of_register.sort_by_key(|report| report.number);
        }
        Ok(Self {
            open: (reports.keys())
                .map(|register| (*register, Open::default()))
                .collect(),
            reports: Arc::new(reports),
        })
    }

    /// Adds the next row of the journal.
    /// Returns claims on the Z reports that end before it.
    pub(super) fn add_row(&mut self, row: &Transaction) -> Vec<Claim> {
        let register = row.register.id.uuid();
        let claims = self.pass(register, Some(row.receipt_number));
        self.open.entry(register).or_default().rows.add(row);
        claims
    }

    /// Adds a register's sums since its last Z report, after all rows.
    /// Returns claims on the remaining Z reports.
    pub(super) fn add_period(&mut self, register: Uuid, period: &RegisterPeriod) -> Vec<Claim> {
        let claims = self.pass(register, None);
        let open = self.open.entry(register).or_default();
        let expected = RegisterPeriod {
            last_z_report: open.passed as u64,
            closed_at: period.closed_at,
            ..open.rows.clone()
        };
        open.agrees = Some(expected == *period);
        claims
    }

    /// Passes a register's Z reports ending before a row, or all.
    fn pass(&mut self, register: Uuid, before: Option<u64>) -> Vec<Claim> {
        let open = self.open.entry(register).or_default();
        let reports = self.reports.get(&register).map_or(&[][..], Vec::as_slice);
        let left = reports[open.passed..].iter();
        let ended = left.take_while(|report| match (report.last, before) {
            (Some(last), Some(before)) => last < before,
            _ => true,
        });
        let mut claims = Vec::new();
        for report in ended {
            open.passed += 1;
            let rows = std::mem::take(&mut open.rows);
            claims.push(is_of(report, open.passed as u64, rows));
        }
        claims
    }

    /// Returns the registers with wrong sums.
    /// All rows of the location must be added, and no write may have come in between.
    pub(super) fn compare(&self, location: Uuid) -> impl Iterator<Item = Problem> {
        let all = self.open.iter();
        let wrong = all.filter(|(_, open)| open.agrees != Some(true));
        wrong.map(move |(register, open)| {
            let message = format!(
                "the sums of register {register} since its last Z report, of which there are {}, \
                 are not those of its rows",
                open.passed
            );
            let period = key(location, Family::RegisterPeriod, &[KeyPart::Id(*register)]);
            Problem::new(ProblemKind::BadRow, &period, message)
        })
    }

    /// The writes to restore lost sums, added up again.
    /// Present ones are kept: they may count lost rows.
    pub(super) fn mends(&self, location: Uuid) -> Vec<(Key, Write)> {
        let mut mends = Vec::new();
        for (register, _) in self.open.iter().filter(|(_, open)| open.agrees.is_none()) {
            let mut passed = self.clone();
            passed.pass(*register, None);
            let last = self.reports.get(register).and_then(|all| all.last());
            let period = RegisterPeriod {
                last_z_report: last.map_or(0, |report| report.number),
                closed_at: last.map(|report| report.closed_at),
                ..passed.open.remove(register).unwrap_or_default().rows
            };
            if let Ok(period) = serde_json::to_vec(&period) {
                let key = key(location, Family::RegisterPeriod, &[KeyPart::Id(*register)]);
                mends.push((key, Write::Put(period.into())));
            }
        }
        mends
    }
}

/// Claims: a Z report has this number, and covers these rows.
fn is_of(report: &CheckedReport, number: u64, rows: RegisterPeriod) -> Claim {
    Claim::on(report.key.clone(), ProblemKind::BadRow, move |found| {
        let report: ZReport = serde_json::from_slice(found?).ok()?;
        let cash = Cash {
            counted_cents: None,
            difference_cents: None,
            ..report.cash
        };
        let is_it = report.number == number
            && report.first_receipt_number == rows.first_receipt_number
            && report.last_receipt_number == rows.last_receipt_number
            && report.totals == rows.totals
            && cash == rows.cash;
        let range = match (rows.first_receipt_number, rows.last_receipt_number) {
            (Some(first), Some(last)) => format!("are from receipt {first} to {last}"),
            _ => "are none".to_owned(),
        };
        (!is_it).then(|| {
            format!(
                "Z report {} of register {} should be number {number} and the sum of the rows since \
                 the one before, which {range}",
                report.number, report.register.id
            )
        })
    })
}
