//! The rules that a location or an account keeps as a whole: its clock, its events, its counts.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use uuid::Uuid;

use super::{
    Problem, ProblemKind, journal_sums::JournalSums, outstanding, registers::Registers,
    stock_sums::StockSums,
};
use crate::{
    storage::{Commit, Key, Range, Value},
    transaction::{
        ChangeClock, Fault, LenientReader, ReadKey, Usage, UsageRule, clock_key, counted,
        keys::{Family, GLOBAL, KeyPart, PartitionOwner, after_prefix, key},
    },
    wire::{Timestamp, limits::EVENT_DAYS},
};

/// The facts of a partition that were seen so far.
#[derive(Clone, Default)]
pub(super) struct Partition {
    pub(super) id: Uuid,
    /// The row of the clock, which is the first of the partition.
    pub(super) clock: Option<Value>,
    /// The number of rows of each family.
    pub(super) counts: BTreeMap<Family, u64>,
    /// The same of the families that this program does not know.
    pub(super) newer: BTreeMap<u8, u64>,
    /// The latest time of a record, and the record's key.
    latest: Option<(Timestamp, Key)>,
    /// The sequence number and the time of the last event; no time when it cannot be read.
    pub(super) last_event: Option<(u64, Option<Timestamp>)>,
    /// The number of the last journal row.
    pub(super) last_receipt: Option<u64>,
    /// The highest number of a receipt of which something tells: it may be lost itself.
    pub(super) told_receipt: u64,
    /// The highest number of an order.
    pub(super) last_order: u64,
    /// The sums of the journal.
    pub(super) journal: Arc<JournalSums>,
    /// The Z reports, and the sums of the registers.
    pub(super) registers: Registers,
    /// The sums of the stock.
    pub(super) stock: StockSums,
    /// The counts of the rows.
    pub(super) stored: Usage,
    /// Set when rows have problems, or cannot be read.
    pub(super) has_problems: bool,
    /// Set when rows cannot be read.
    is_unreadable: bool,
    /// The number of sales that name an order.
    pub(super) sales_of_orders: u64,
    /// The number of orders that name a sale.
    pub(super) paid_orders: u64,
}

/// The families that have as many rows as each other, besides the rows of a kind and their index by
/// change ([`Family::by_change`]).
const SAME_COUNTS: [(Family, Family); 11] = [
    (Family::Category, Family::CategoryByName),
    (Family::Category, Family::CategoryFoldedName),
    (Family::ImageJob, Family::ImageJobByProduct),
    (Family::ImageJob, Family::ImageJobByCreation),
    (Family::StockMovement, Family::StockMovementByCreation),
    (Family::StockMovement, Family::StockMovementByProduct),
    (Family::Transaction, Family::TransactionById),
    (Family::ZReport, Family::ZReportByClosing),
    (Family::Order, Family::OrderByCreation),
    (Family::Order, Family::OrderByUpdate),
    (Family::Order, Family::OrderByScreen),
];

/// The families whose rows are numbered from 1 without gaps, besides events, and are never deleted.
const NUMBERED: [Family; 2] = [Family::Transaction, Family::Order];

impl Partition {
    pub(super) fn new(id: Uuid) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, family: Family) {
        *self.counts.entry(family).or_default() += 1;
    }

    pub(super) fn newer(&mut self, family: u8) {
        *self.newer.entry(family).or_default() += 1;
    }

    /// Adds a row to what is stored.
    pub(super) fn store(&mut self, key: &Key, family: Family, row: &Value) {
        if counted(family) == Some(UsageRule::Always) {
            self.stored.add(key, family, row.len());
        }
    }

    pub(super) fn changed(&mut self, time: Timestamp, key: &Key) {
        if self
            .latest
            .as_ref()
            .is_none_or(|(latest, _)| time > *latest)
        {
            self.latest = Some((time, key.clone()));
        }
    }

    /// Notes a row that cannot be read.
    pub(super) fn unreadable(&mut self, key: &[u8]) {
        (self.has_problems, self.is_unreadable) = (true, true);
        let Some(at) = ReadKey::of(key) else { return };
        self.count(at.family);
        if let (Family::Event, Some(sequence)) = (at.family, at.number()) {
            self.last_event = Some((sequence, None));
        }
        if let (Family::Transaction, Some(number)) = (at.family, at.number()) {
            self.last_receipt = Some(number);
        }
    }

    /// Returns whether the rows are those of a location.
    pub(super) fn is_location(&self) -> bool {
        (self.counts.keys()).any(|family| family.owner() == PartitionOwner::Location)
    }

    fn number_of(&self, family: Family) -> u64 {
        self.counts.get(&family).copied().unwrap_or_default()
    }

    /// Checks the partition once all its rows were seen.
    pub(super) async fn finish(
        &self,
        reader: &LenientReader<'_>,
        now: Timestamp,
    ) -> Result<Vec<Problem>, Fault> {
        if self.id == GLOBAL {
            return Ok(Vec::new());
        }
        let events = key(self.id, Family::Event, &[]);
        let range = Range {
            from: &events,
            to: Some(&after_prefix(&events)),
        };
        // Rows that cannot be read were reported where they are.
        let Ok((clock_row, newest)) = reader.clock_and_last(self.id, range).await else {
            return Ok(Vec::new());
        };
        let clock_key = clock_key(self.id);
        let behind = |message| Problem::new(ProblemKind::ClockBehind, &clock_key, message);
        let mut problems = Vec::new();
        let Ok(clock) = ChangeClock::read(&clock_key, clock_row.as_ref()) else {
            return Ok(problems);
        };
        if let Some((latest, record)) = &self.latest
            && *latest > clock.updated_at
        {
            let (clock, record) = (clock.updated_at, hex::encode(record));
            problems.push(behind(format!(
                "the clock stands at {clock}, and row {record} changed at {latest}"
            )));
        }
        let newest = newest.and_then(|(key, _)| ReadKey::of(&key)?.number());
        if let Some(newest) = newest
            && newest > clock.sequence
        {
            let counted = clock.sequence;
            problems.push(behind(format!(
                "the clock has counted {counted} events, and there is one with number {newest}"
            )));
        }
        // Where none is left, all were purged, unless the last change is too young for that.
        let is_recent = clock.updated_at >= now.plus_seconds(-EVENT_DAYS * 24 * 3600);
        let first_missing = newest.map_or(clock.sequence, |newest| newest + 1);
        if first_missing <= clock.sequence && (newest.is_some() || is_recent) && clock.sequence > 0
        {
            let missing = [KeyPart::Number(first_missing)];
            problems.push(Problem::new(
                ProblemKind::BrokenEvents,
                &key(self.id, Family::Event, &missing),
                missing_events(first_missing, clock.sequence),
            ));
        }
        let outstanding =
            self.number_of(Family::DeliveryByDue) + self.number_of(Family::WaitingStock);
        if outstanding > 0 {
            let clock = self.clock.as_ref();
            problems.extend(outstanding::are_looked_at(reader, self.id, outstanding, clock).await?);
        }
        if clock_row == self.clock {
            // Nobody has written since the first row was read.
            problems.extend(self.compare_counts());
            problems.extend(self.compare_numbers(&clock));
            problems.extend(self.journal.compare(self.id));
            problems.extend(self.registers.compare(self.id));
            problems.extend(self.stock.compare(self.id));
            problems.extend(self.compare_orders());
            // What is wrong with rows says more than that they are counted wrong.
            if problems.is_empty() && !self.has_problems {
                problems.extend(self.compare_stored(&clock));
            }
        }
        Ok(problems)
    }

    /// Holds the numbers that the clock has given out against the rows. A clock that is behind gives
    /// the number of a row once more, to one that is then written over it.
    fn compare_numbers(&self, clock: &ChangeClock) -> impl Iterator<Item = Problem> {
        NUMBERED.iter().filter_map(|rows| {
            let (counted, there) = (clock.last_number(*rows), self.number_of(*rows));
            let kind = match counted.cmp(&there) {
                Ordering::Less => ProblemKind::ClockBehind,
                Ordering::Equal => return None,
                Ordering::Greater => ProblemKind::Count,
            };
            let name = rows.name();
            let message = format!("the clock has counted {counted} {name} rows, there are {there}");
            Some(Problem::new(kind, &clock_key(self.id), message))
        })
    }

    /// Holds what the clock has counted as stored against the rows.
    fn compare_stored(&self, clock: &ChangeClock) -> Option<Problem> {
        let counted = clock.usage.as_ref().filter(|usage| usage.is_complete())?;
        let stored = &self.stored;
        let metrics = |usage: &Usage| {
            let Usage {
                products,
                categories,
                option_groups,
                bytes,
                ..
            } = usage;
            format!(
                "{products} products, {categories} categories, {option_groups} option groups and {bytes} bytes"
            )
        };
        let (counted, stored) = (metrics(counted), metrics(stored));
        (counted != stored).then(|| {
            let message = format!("the clock has counted {counted}, there are {stored}");
            Problem::new(ProblemKind::Count, &clock_key(self.id), message)
        })
    }

    /// The clock as it was read; `None` when it is lost.
    fn read_clock(&self) -> Option<ChangeClock> {
        serde_json::from_slice(self.clock.as_ref()?).ok()
    }

    /// The clock, moved up to its rows; `None` when it cannot be parsed.
    fn clock_of_rows(&self) -> Option<ChangeClock> {
        let mut clock = ChangeClock::read(&clock_key(self.id), self.clock.as_ref()).ok()?;
        let latest = self.latest.as_ref().map(|(time, _)| *time);
        clock.updated_at = latest.map_or(clock.updated_at, |time| time.max(clock.updated_at));
        let last_event = self.last_event.map_or(0, |(number, _)| number);
        clock.raise(Family::Event, last_event);
        let receipt = self.last_receipt.unwrap_or_default();
        clock.raise(Family::Transaction, receipt.max(self.told_receipt));
        // Orders are numbered without gaps: lost ones have left their entries.
        let orders = self.number_of(Family::OrderByCreation);
        clock.raise(Family::Order, orders.max(self.last_order));
        Some(clock)
    }

    /// Returns whether the clock is lost, or behind: the next event would be written over another.
    pub(super) fn is_behind(&self) -> bool {
        self.clock_of_rows() != self.read_clock()
    }

    /// The commit for the clock, and for lost indexes and sums of the journal. It expects the clock as it
    /// was before the rows were read.
    pub(super) fn mend(&self, nonce: u64) -> Result<Option<Commit>, Fault> {
        let has_clock = self.is_location() || self.number_of(Family::Account) > 0;
        let clock = self
            .clock_of_rows()
            .filter(|_| has_clock && !self.is_unreadable);
        let Some(mut clock) = clock else {
            return Ok(None);
        };
        if let Some(usage) = clock.usage.as_mut().filter(|usage| usage.is_complete()) {
            let passing = std::mem::take(&mut usage.passing);
            *usage = Usage {
                passing,
                ..self.stored.clone()
            };
        }
        let writes = [self.journal.mends(self.id), self.registers.mends(self.id)].concat();
        if writes.is_empty() && self.read_clock().as_ref() == Some(&clock) {
            return Ok(None);
        }
        let (time, row) = (clock.updated_at, (clock_key(self.id), self.clock.clone()));
        let commit = clock.moving_to(time, nonce, row)?;
        Ok(Some(Commit { writes, ..commit }))
    }

    fn compare_orders(&self) -> Option<Problem> {
        let (sales, orders) = (self.sales_of_orders, self.paid_orders);
        (sales != orders).then(|| {
            let message = format!("{sales} sales name an order, and {orders} orders a sale");
            let orders = key(self.id, Family::Order, &[]);
            Problem::new(ProblemKind::Count, &orders, message)
        })
    }

    fn compare_counts(&self) -> impl Iterator<Item = Problem> {
        let pairs = Family::by_change().chain(SAME_COUNTS);
        pairs.filter_map(|(rows, index)| {
            let (row_count, entries) = (self.number_of(rows), self.number_of(index));
            (row_count != entries).then(|| {
                let (rows, of) = (rows.name(), index.name());
                let message =
                    format!("there are {row_count} {rows} rows and {entries} {of} entries");
                Problem::new(ProblemKind::Count, &key(self.id, index, &[]), message)
            })
        })
    }
}

/// Says that events are missing, given the numbers of the first and the last of them.
pub(super) fn missing_events(first: u64, last: u64) -> String {
    if first == last {
        format!("event {first} is missing")
    } else {
        format!("events {first} to {last} are missing")
    }
}
