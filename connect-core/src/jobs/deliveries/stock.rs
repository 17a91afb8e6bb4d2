//! Bursts of `stock.changed`: at most one a minute per product, the latest.
//!
//! A writer puts an event of a product in the product's only waiting place, over the one before. A
//! session moves it into the queue, once a minute has passed since the last one.
//!
//! If the last one is still in the queue then, for instance because the endpoint is down, the newer
//! one replaces it. So the events of an outage do not arrive together, and the last one has the
//! latest quantity in any case: it has a schedule of its own.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{queue, session_commits::SessionLease};
use crate::{
    rules::webhook::{CLOCK_TOLERANCE, has_come},
    storage::{Key, Value},
    transaction::{
        Delivery, DeliveryStatus, End, Fault, ReadKey, Reads, UnitOfWork,
        keys::{Family, KeyPart, after_prefix, key},
        log_key,
    },
    wire::{Id, Timestamp, limits::STOCK_CHANGED_SECONDS},
};

/// The note of a product's last queued delivery.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SentStock {
    /// The time of its move into the queue.
    at: Timestamp,
    delivery: Id<Delivery>,
}

impl SentStock {
    /// The possible keys of the delivery.
    /// It is in the log after an attempt, and in the queue before.
    fn places(&self, webhook: Uuid) -> [Key; 2] {
        let queued = [KeyPart::Time(self.at), KeyPart::Id(self.delivery.uuid())];
        let queued = key(webhook, Family::DeliveryByDue, &queued);
        [log_key(webhook.into(), self.delivery), queued]
    }
}

/// Moves the events ready for delivery into the queue.
/// Returns the time of the next waiting one.
pub(super) async fn release(session: SessionLease<'_>) -> Result<Option<Timestamp>, Fault> {
    let mut next: Option<Timestamp> = None;
    for family in [Family::WaitingStock, Family::SentStock] {
        let all = key(session.webhook.uuid(), family, &[]);
        let end = &after_prefix(&all);
        let mut from = Some(all);
        while let Some(start) = &from {
            let moved = session.commit(async |mut unit, _, chunk| {
                let rows = unit.scan_range(start, end, chunk).await?;
                if rows.is_empty() {
                    return Ok(End::rollback(Some((None, None))));
                }
                let go_on = rows.last().filter(|_| rows.len() == chunk);
                let go_on = go_on.map(|(last, _)| Key::from([&last[..], &[0]].concat()));
                let soonest = match family {
                    Family::WaitingStock => waiting(&mut unit, rows).await?,
                    _ => {
                        forget(&mut unit, rows).await?;
                        None
                    }
                };
                Ok(End::commit(unit, Some((go_on, soonest))))
            });
            let Some((go_on, soonest)) = moved.await? else {
                return Ok(None);
            };
            next = next.into_iter().chain(soonest).min();
            from = go_on;
        }
    }
    Ok(next)
}

/// Moves the ready ones of the waiting events into the queue.
/// Returns the time of the next waiting one.
async fn waiting(
    unit: &mut UnitOfWork<'_>,
    rows: Vec<(Key, Value)>,
) -> Result<Option<Timestamp>, Fault> {
    let webhook = unit.partition();
    let sent_key = |place: &Key| {
        let product = ReadKey::of(place)?.id()?;
        Some(key(webhook, Family::SentStock, &[KeyPart::Id(product)]))
    };
    let mut reads = Reads::of(webhook);
    let sent_keys: Vec<_> = rows.iter().map(|(place, _)| sent_key(place)).collect();
    for sent in sent_keys.iter().flatten() {
        reads.row(sent.clone());
    }
    unit.load(reads).await?;
    let mut notes = Vec::new();
    for sent_key in &sent_keys {
        let note = match sent_key {
            Some(sent_key) => unit.get(sent_key).await?,
            None => None,
        };
        notes.push(note.and_then(|note| serde_json::from_slice::<SentStock>(&note).ok()));
    }
    load_deliveries(unit, &notes).await?;
    let now = unit.now();
    let mut soonest: Option<Timestamp> = None;
    for (((place, row), sent_key), note) in rows.into_iter().zip(sent_keys).zip(notes) {
        let Some(sent_key) = sent_key else { continue };
        let free_at = |sent: &Timestamp| sent.plus_seconds(STOCK_CHANGED_SECONDS);
        let is_over = |sent: &Timestamp| has_come(free_at(sent), *sent, now);
        let sent = note.map(|note| note.at).filter(|sent| !is_over(sent));
        if let Some(free_at) = sent.as_ref().map(free_at) {
            soonest = soonest.into_iter().chain([free_at]).min();
            continue;
        }
        // A writer may put a newer one in its place.
        unit.expect(&place, &row);
        unit.delete(place.clone());
        let Some(mut delivery) = queue::read_delivery(&place, &row) else {
            continue;
        };
        if let Some(note) = note
            && let Some(former) = undelivered(unit, note).await?
        {
            replace(unit, former, delivery.id);
        }
        delivery.next_attempt_at = Some(now);
        queue::put(unit, &delivery);
        let note = unit.json(&SentStock {
            at: now,
            delivery: delivery.id,
        });
        unit.put(sent_key, note);
    }
    Ok(soonest)
}

/// Reads the deliveries of notes, for [`undelivered`].
async fn load_deliveries(
    unit: &mut UnitOfWork<'_>,
    notes: &[Option<SentStock>],
) -> Result<(), Fault> {
    let webhook = unit.partition();
    let mut reads = Reads::of(webhook);
    for note in notes.iter().flatten() {
        for place in note.places(webhook) {
            reads.row(place);
        }
    }
    unit.load(reads).await
}

/// Returns the delivery of a note, while pending.
async fn undelivered(
    unit: &mut UnitOfWork<'_>,
    note: SentStock,
) -> Result<Option<Delivery>, Fault> {
    for place in note.places(unit.partition()) {
        if let Some(row) = unit.get(&place).await? {
            let delivery = queue::read_delivery(&place, &row);
            return Ok(delivery.filter(|delivery| delivery.status == DeliveryStatus::Pending));
        }
    }
    Ok(None)
}

/// Gives up a delivery replaced by a newer one of its product.
/// It goes to the log even without a recorded attempt: a dead worker may have made one.
fn replace(unit: &mut UnitOfWork<'_>, mut former: Delivery, newer: Id<Delivery>) {
    if let Some(queued) = former.queue_key() {
        unit.delete(queued);
    }
    former.status = DeliveryStatus::GivenUp;
    former.next_attempt_at = None;
    former.replaced_by = Some(newer);
    queue::put(unit, &former);
}

/// Removes the notes of products without a queued delivery, after their minute.
/// By the clock of another process the minute may not be over yet, so a note stays for
/// [`CLOCK_TOLERANCE`] longer.
async fn forget(unit: &mut UnitOfWork<'_>, rows: Vec<(Key, Value)>) -> Result<(), Fault> {
    let oldest = unit
        .now()
        .plus_seconds(-STOCK_CHANGED_SECONDS - CLOCK_TOLERANCE);
    let (mut places, mut notes) = (Vec::new(), Vec::new());
    for (place, row) in rows {
        let note = serde_json::from_slice::<SentStock>(&row).ok();
        if note.is_none_or(|note| note.at <= oldest) {
            places.push(place);
            notes.push(note);
        }
    }
    load_deliveries(unit, &notes).await?;
    for (place, note) in places.into_iter().zip(notes) {
        let queued = match note {
            Some(note) => undelivered(unit, note).await?,
            None => None,
        };
        if queued.is_none() {
            unit.delete(place);
        }
    }
    Ok(())
}
