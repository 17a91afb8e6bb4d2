//! The days of the journal: their summaries, and their indexes.
//!
//! The indexes bound the rows of a time range ([`bounds`](super::bounds)):
//!
//! - [`Family::ReceiptFrom`] has each day later than all days before it, with its first row. No
//!   earlier row is of this day or a later one.
//! - [`Family::ReceiptUpTo`] has each day whose last row is followed by rows of later days only. A
//!   late row removes the days after its own.

use chrono::NaiveDate;
use uuid::Uuid;

use crate::{
    auth::Access,
    engine::{Connect, Json, single},
    rules::zone,
    storage::{Key, Read, Value},
    transaction::{
        Error, Fault, Reads, UnitOfWork,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{DailySummary, Date, Single, Totals, Transaction, query::DailySummaryQuery},
};

/// The key of the summary of a day.
pub(crate) fn day_key(location: Uuid, day: Date) -> Key {
    key(
        location,
        Family::JournalDay,
        &[KeyPart::Number(day_number(day))],
    )
}

/// The number of a day in keys: days since 0000-01-01.
pub(crate) fn day_number(day: Date) -> u64 {
    const FIRST: NaiveDate = NaiveDate::from_ymd_opt(0, 1, 1).expect("a date");
    let days = day.naive().signed_duration_since(FIRST).num_days();
    // No time of the API is earlier.
    u64::try_from(days).unwrap_or_default()
}

/// Adds the reads for a row of this day.
pub(super) fn reads(location: Uuid, day: Date, reads: &mut Reads) {
    reads.shared_row(day_key(location, day));
}

/// Adds a row to its day.
pub(super) async fn add(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    row: &Transaction,
) -> Result<(), Fault> {
    let day = zone::day_of(row.created_at);
    let key = day_key(unit.partition(), day);
    let mut summary = match unit.get(&key).await? {
        Some(held) => parsed(&key, &held)?,
        None => empty(access, day),
    };
    let before = summary.last_receipt_number;
    if before.is_none_or(|before| before + 1 != row.receipt_number) {
        place(unit, day_number(day), before.is_none(), row.receipt_number).await?;
    }
    summary.totals.add(row);
    summary.last_receipt_number = Some(row.receipt_number);
    let summary = unit.json(&summary);
    unit.put(key, summary);
    Ok(())
}

/// Enters the day of a row in the indexes of days.
/// The previous row, if any, is of another day.
async fn place(
    unit: &mut UnitOfWork<'_>,
    day: u64,
    is_first: bool,
    receipt_number: u64,
) -> Result<(), Fault> {
    let location = unit.partition();
    let entry = |family, day| key(location, family, &[KeyPart::Number(day)]);
    let end = |family| after_prefix(&key(location, family, &[]));
    let (own, to) = (entry(Family::ReceiptUpTo, day), end(Family::ReceiptUpTo));
    let mut later = unit.scan_range(&own, &to, usize::MAX).await?;
    let has_own = later.first().is_some_and(|(first, _)| *first == own);
    if has_own {
        later.remove(0);
    }
    let is_late = !later.is_empty();
    for (later, _) in later {
        unit.delete(later);
    }
    if !has_own {
        unit.put_new(own, Value::default());
    }
    if is_late || !is_first {
        return Ok(());
    }
    let (from, to) = (entry(Family::ReceiptFrom, day), end(Family::ReceiptFrom));
    if unit.scan_range(&from, &to, 1).await?.is_empty() {
        unit.put_new(from, Value::from(receipt_number.to_be_bytes().as_slice()));
    }
    Ok(())
}

/// Returns the summary of a day, in its stored form.
pub(crate) async fn daily_summary(
    connect: &Connect,
    access: &Access,
    query: &DailySummaryQuery,
) -> Result<Json<Single<DailySummary>>, Error> {
    let today = || zone::day_of(connect.now());
    let day = query.date.unwrap_or_else(today);
    let held = connect
        .store()
        .get(&day_key(access.partition(), day))
        .await?;
    if let Some(held) = held {
        return Ok(single(&held));
    }
    let empty = serde_json::to_vec(&empty(access, day)).map_err(|e| Fault::corrupt(b"", e))?;
    Ok(single(&empty))
}

/// Returns the summaries of these days, in one round trip.
pub(crate) async fn daily_summaries(
    connect: &Connect,
    access: &Access,
    days: &[Date],
) -> Result<Vec<DailySummary>, Fault> {
    let location = access.partition();
    let keys: Vec<Key> = days.iter().map(|day| day_key(location, *day)).collect();
    let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
    let mut state = connect.store().read(&reads).await?;
    let summary = |(day, key): (&Date, &Key)| match state.value()? {
        Some(held) => parsed(key, &held),
        None => Ok(empty(access, *day)),
    };
    days.iter().zip(&keys).map(summary).collect()
}

/// The summary of a day without rows.
fn empty(access: &Access, day: Date) -> DailySummary {
    DailySummary {
        date: day,
        time_zone: zone::name().to_owned(),
        currency: access.location().currency.clone(),
        totals: Totals::default(),
        last_receipt_number: None,
    }
}

fn parsed(key: &Key, row: &Value) -> Result<DailySummary, Fault> {
    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
}
