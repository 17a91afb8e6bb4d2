//! Bursts of `stock.changed`: of a product at most one a minute is delivered, the latest.
//!
//! A writer puts the event of a product in the one place that the product has, over the one before.
//! A session moves it into the queue, once a minute has passed since the last one.

use uuid::Uuid;

use super::rounds;
use crate::{
    record::{
        Attempt, Fault, ReadKey, Reads, Store, Unit, Webhook,
        keys::{Family, Part, after_prefix, key},
    },
    storage::{Key, Value},
    wire::{Id, Timestamp, limits::STOCK_CHANGED_SECONDS},
};

/// The products that are looked at by one commit.
const CHUNK: usize = 500;

/// Moves what may be delivered into the queue. Returns when the next of the others may be.
pub(super) async fn release(
    store: &Store,
    webhook: Id<Webhook>,
    session: Uuid,
) -> Result<Option<Timestamp>, Fault> {
    let mut next: Option<Timestamp> = None;
    for family in [Family::WaitingStock, Family::SentStock] {
        let all = key(webhook.uuid(), family, &[]);
        let end = after_prefix(&all);
        let mut from = Some(all);
        while let Some(start) = from {
            let mut attempts = store.attempts(webhook.uuid());
            from = loop {
                let mut unit = attempts.begin();
                let state = rounds::load(&mut unit, Reads::of(webhook.uuid())).await?;
                if !state.is_leased_to(session) {
                    return Ok(None);
                }
                let rows = unit.scan_range(&start, &end, CHUNK).await?;
                if rows.is_empty() {
                    break None;
                }
                let go_on = rows.last().filter(|_| rows.len() == CHUNK);
                let go_on = go_on.map(|(last, _)| Key::from([&last[..], &[0]].concat()));
                let soonest = match family {
                    Family::WaitingStock => waiting(&mut unit, rows).await?,
                    _ => {
                        forget(&mut unit, rows);
                        None
                    }
                };
                if attempts.commit(unit).await? == Attempt::Done {
                    next = next.into_iter().chain(soonest).min();
                    break go_on;
                }
            };
        }
    }
    Ok(next)
}

/// Moves those of the waiting events into the queue that may be delivered now. Returns when the
/// first of the others may be.
async fn waiting(unit: &mut Unit<'_>, rows: Vec<(Key, Value)>) -> Result<Option<Timestamp>, Fault> {
    let webhook = unit.partition();
    let sent_key = |place: &Key| {
        let product = ReadKey::of(place)?.id()?;
        Some(key(webhook, Family::SentStock, &[Part::Id(product)]))
    };
    let mut reads = Reads::of(webhook);
    let sent_keys: Vec<_> = rows.iter().map(|(place, _)| sent_key(place)).collect();
    for sent in sent_keys.iter().flatten() {
        reads.row(sent.clone());
    }
    unit.load(reads).await?;
    let now = unit.now();
    let mut soonest: Option<Timestamp> = None;
    for ((place, row), sent_key) in rows.into_iter().zip(sent_keys) {
        let Some(sent_key) = sent_key else { continue };
        let sent = unit.get(&sent_key).await?;
        let sent = sent.and_then(|sent| serde_json::from_slice::<Timestamp>(&sent).ok());
        // A time ahead is of a clock that was set back since.
        let sent = sent.filter(|sent| *sent <= now);
        let free_at = sent.map(|sent| sent.plus_seconds(STOCK_CHANGED_SECONDS));
        if let Some(free_at) = free_at.filter(|free_at| *free_at > now) {
            soonest = soonest.into_iter().chain([free_at]).min();
            continue;
        }
        // A writer may put a newer one in its place.
        unit.expect(&place, &row);
        unit.delete(place.clone());
        let Some(mut delivery) = rounds::read_delivery(&place, &row) else {
            continue;
        };
        delivery.next_attempt_at = Some(now);
        if let Some(queued) = delivery.queue_key() {
            let row = unit.json(&delivery);
            unit.put(queued, row);
        }
        let sent = unit.json(&now);
        unit.put(sent_key, sent);
    }
    Ok(soonest)
}

/// Removes the notes of products that are free again.
fn forget(unit: &mut Unit<'_>, rows: Vec<(Key, Value)>) {
    let oldest = unit.now().plus_seconds(-STOCK_CHANGED_SECONDS);
    for (place, row) in rows {
        let sent = serde_json::from_slice::<Timestamp>(&row).ok();
        if sent.is_none_or(|sent| sent <= oldest) {
            unit.delete(place);
        }
    }
}
