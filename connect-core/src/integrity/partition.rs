//! The rules for a whole location or account: clock, events and counts.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use uuid::Uuid;

use super::{
    Problem, ProblemKind, journal_sums::JournalSums, outstanding, registers::Registers,
    stock_sums::StockSums,
};
use crate::{
    storage::{Commit, Key, Range, Value},
    transaction::{
        ChangeClock, Fault, LenientReader, ReadKey, TrailHead, Usage, UsageRule, clock_key,
        counted,
        keys::{Family, GLOBAL, KeyPart, PartitionOwner, Relation, after_prefix, key},
    },
    wire::{Timestamp, limits::EVENT_DAYS},
};

/// The facts about a partition, from the rows so far.
#[derive(Clone, Default)]
pub(super) struct Partition {
    pub(super) id: Uuid,
    /// The row of the clock, the first row of the partition.
    pub(super) clock: Option<Value>,
    /// Set if each name has an index of its words, as after the migration for it.
    pub(super) has_words: bool,
    /// The number of rows of each family.
    pub(super) counts: BTreeMap<Family, u64>,
    /// The same for families unknown to this program.
    pub(super) newer: BTreeMap<u8, u64>,
    /// The latest time of a record, and the record's key.
    latest: Option<(Timestamp, Key)>,
    /// The sequence number and the time of the last event.
    /// The time is `None` if the event is unreadable.
    pub(super) last_event: Option<(u64, Option<Timestamp>)>,
    /// The last entry of the trail, or the last removed one.
    pub(super) trail: Option<TrailHead>,
    /// The number of the last journal row.
    pub(super) last_receipt: Option<u64>,
    /// The highest receipt number in index entries, daily summaries and Z reports.
    /// The receipt itself may be lost.
    pub(super) told_receipt: u64,
    /// The highest number of an order.
    pub(super) last_order: u64,
    /// The sums of the journal.
    pub(super) journal: Arc<JournalSums>,
    /// The Z reports, and the sums of the registers.
    pub(super) registers: Registers,
    /// The sums of the stock.
    pub(super) stock: StockSums,
    /// The usage, counted from the rows.
    pub(super) stored: Usage,
    /// Set if rows have problems or are unreadable.
    pub(super) has_problems: bool,
    /// Set if rows are unreadable.
    is_unreadable: bool,
    /// The number of sales with an order.
    pub(super) sales_of_orders: u64,
    /// The number of orders with a sale.
    pub(super) paid_orders: u64,
}

impl Partition {
    pub(super) fn new(id: Uuid, has_words: bool) -> Self {
        Self {
            id,
            has_words,
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, family: Family) {
        *self.counts.entry(family).or_default() += 1;
    }

    pub(super) fn newer(&mut self, family: u8) {
        *self.newer.entry(family).or_default() += 1;
    }

    /// Adds a row to the usage.
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

    /// Records an unreadable row.
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

    /// Returns true if the partition is a location's.
    pub(super) fn is_location(&self) -> bool {
        (self.counts.keys()).any(|family| family.owner() == PartitionOwner::Location)
    }

    fn number_of(&self, family: Family) -> u64 {
        self.counts.get(&family).copied().unwrap_or_default()
    }

    /// Checks the partition as a whole, after all its rows.
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
        // Unreadable rows were reported at their own keys.
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
        // With no event left, all were purged, unless the last change is too recent for that.
        let is_recent = !clock.retained.is_quiet && clock.updated_at >= now.plus_days(-EVENT_DAYS);
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
            // No write has come since the first row was read.
            problems.extend(self.compare_counts());
            problems.extend(self.compare_numbers(&clock));
            problems.extend(self.journal.compare(self.id));
            problems.extend(self.registers.compare(self.id));
            problems.extend(self.stock.compare(self.id));
            problems.extend(self.compare_orders());
            // Problems of rows say more than wrong counts.
            if problems.is_empty() && !self.has_problems {
                problems.extend(self.compare_stored(&clock));
            }
        }
        Ok(problems)
    }

    /// Compares the numbers given out by the clock with the rows.
    /// A clock behind its rows gives the number of a row again, and the new row overwrites it.
    fn compare_numbers(&self, clock: &ChangeClock) -> impl Iterator<Item = Problem> {
        let numbered = |rows: &&Family| rows.relation() == Relation::Numbered;
        Family::ALL.iter().filter(numbered).filter_map(|rows| {
            let (counted, there) = (clock.last_number(*rows), self.number_of(*rows));
            let kind = match counted.cmp(&there) {
                Ordering::Less => ProblemKind::ClockBehind,
                Ordering::Equal => return None,
                // Old ones are gone.
                Ordering::Greater if *rows == Family::Order && self.purges_orders() => return None,
                Ordering::Greater => ProblemKind::Count,
            };
            let name = rows.name();
            let message = format!("the clock has counted {counted} {name} rows, there are {there}");
            Some(Problem::new(kind, &clock_key(self.id), message))
        })
    }

    /// Compares the usage counted by the clock with the rows.
    fn compare_stored(&self, clock: &ChangeClock) -> Option<Problem> {
        let counted = clock.usage.as_ref()?;
        let stored = &self.stored;
        let text = |usage: &Usage| {
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
        let (counted, stored) = (text(counted), text(stored));
        (counted != stored).then(|| {
            let message = format!("the clock has counted {counted}, there are {stored}");
            Problem::new(ProblemKind::Count, &clock_key(self.id), message)
        })
    }

    /// The stored clock; `None` if it is missing or unparsable.
    fn read_clock(&self) -> Option<ChangeClock> {
        serde_json::from_slice(self.clock.as_ref()?).ok()
    }

    /// The clock, moved up to its rows; `None` if it is unparsable.
    fn clock_of_rows(&self) -> Option<ChangeClock> {
        let mut clock = ChangeClock::read(&clock_key(self.id), self.clock.as_ref()).ok()?;
        let latest = self.latest.as_ref().map(|(time, _)| *time);
        clock.updated_at = latest.map_or(clock.updated_at, |time| time.max(clock.updated_at));
        let last_event = self.last_event.map_or(0, |(number, _)| number);
        clock.raise(Family::Event, last_event);
        let last_entry = clock.trail.map_or(0, |last| last.number);
        let trail = self.trail.filter(|found| found.number > last_entry);
        clock.trail = trail.or(clock.trail);
        let receipt = self.last_receipt.unwrap_or_default();
        clock.raise(Family::Transaction, receipt.max(self.told_receipt));
        // Orders are numbered without gaps, and lost ones still have index entries.
        let orders = self.number_of(Family::OrderByCreation);
        clock.raise(Family::Order, orders.max(self.last_order));
        Some(clock)
    }

    /// Returns true if the clock is missing, or behind its rows.
    /// The next event would then overwrite another.
    pub(super) fn is_behind(&self) -> bool {
        self.clock_of_rows() != self.read_clock()
    }

    /// Makes the commit for the clock, and for lost indexes and sums.
    /// The indexes and sums are those of the journal and the registers. The commit expects the clock as read
    /// before the other rows.
    pub(super) fn mend(&self, nonce: u64) -> Result<Option<Commit>, Fault> {
        let has_clock = self.is_location() || self.number_of(Family::Account) > 0;
        let clock = self
            .clock_of_rows()
            .filter(|_| has_clock && !self.is_unreadable);
        let Some(mut clock) = clock else {
            return Ok(None);
        };
        if let Some(usage) = &mut clock.usage {
            let passing = std::mem::take(&mut usage.passing);
            *usage = self.stored.clone();
            usage.passing = passing;
        }
        let writes = [self.journal.mends(self.id), self.registers.mends(self.id)].concat();
        if writes.is_empty() && self.read_clock().as_ref() == Some(&clock) {
            return Ok(None);
        }
        let (time, row) = (clock.updated_at, (clock_key(self.id), self.clock.clone()));
        let commit = clock.moving_to(time, nonce, row)?;
        Ok(Some(Commit { writes, ..commit }))
    }

    /// Returns true if old orders are removed by a setting of the account.
    pub(super) fn purges_orders(&self) -> bool {
        let clock = self.read_clock();
        clock.is_some_and(|clock| clock.retained.orders_from.is_some())
    }

    fn compare_orders(&self) -> Option<Problem> {
        let (sales, orders) = (self.sales_of_orders, self.paid_orders);
        let is_less = sales > orders && self.purges_orders();
        (sales != orders && !is_less).then(|| {
            let message = format!("{sales} sales name an order, and {orders} orders a sale");
            let orders = key(self.id, Family::Order, &[]);
            Problem::new(ProblemKind::Count, &orders, message)
        })
    }

    fn compare_counts(&self) -> impl Iterator<Item = Problem> {
        Family::complete_indexes().filter_map(|(rows, index)| {
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

/// Returns the message about missing events, from `first` to `last`.
pub(super) fn missing_events(first: u64, last: u64) -> String {
    if first == last {
        format!("event {first} is missing")
    } else {
        format!("events {first} to {last} are missing")
    }
}
