//! The queue of a webhook after a session: the next due delivery.
//!
//! Unreadable rows are skipped. They stay in place, since the storage may return them later, and
//! are tried again after longer and longer pauses.

use uuid::Uuid;

use crate::{
    owner::WebhookState,
    rules::webhook::{CLOCK_TOLERANCE, LONGEST_RETRY, has_come},
    storage::{Entry, Key},
    transaction::{
        Delivery, DeliveryStatus, Fault, LenientReader, ReadKey, Store, UnitOfWork,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::Timestamp,
};

/// The deliveries rescheduled by one commit.
const CHUNK: usize = 500;

/// The most unreadable rows to skip at a time.
const MOST_DAMAGED: usize = 32;

/// The shortest and the longest pause before a retry of unreadable rows.
/// In seconds. In between, the pause is as long as the rows have been unreadable.
const DAMAGED_PAUSES: (i64, i64) = (300, 24 * 3600);

/// The beginning of a part of the queue.
#[derive(Default)]
struct Beginning {
    entries: Vec<Entry>,
    /// The first unreadable row before the entries.
    damaged: Option<Key>,
}

/// Returns whether a webhook has a row in a family, readable or not.
pub(super) async fn has_any(store: &Store, webhook: Uuid, family: Family) -> Result<bool, Fault> {
    let all = key(webhook, family, &[]);
    let piece = LenientReader::new(store)
        .piece(&all, Some(&after_prefix(&all)), 1)
        .await?;
    Ok(piece.damaged.is_some() || !piece.entries.is_empty())
}

/// Returns the due time of the first delivery in the queue.
/// A delivery with a due time set by a clock before it was set back is due now, and moved there.
/// These are looked for at the front, and beyond the longest schedule.
pub(super) async fn first_due(
    store: &Store,
    unit: &mut UnitOfWork<'_>,
    state: &mut WebhookState,
) -> Result<Option<Timestamp>, Fault> {
    let queue = key(unit.partition(), Family::DeliveryByDue, &[]);
    let end = after_prefix(&queue);
    let now = unit.now();
    let misplaced = |(place, row): &Entry| {
        let delivery: Delivery = serde_json::from_slice(row).ok()?;
        let due = ReadKey::of(place)?.time()?;
        let is_ahead = due > now && has_come(due, delivery.scheduled_at(), now);
        is_ahead.then_some(delivery)
    };
    let mut front = beginning(store, &queue, &end, 1).await?;
    let is_misplaced = |entry: &Entry| misplaced(entry).is_some();
    if front.entries.first().is_some_and(is_misplaced) {
        front = beginning(store, &queue, &end, CHUNK).await?;
    }
    let latest = KeyPart::Time(now.plus_seconds(LONGEST_RETRY + CLOCK_TOLERANCE));
    let too_late = key(unit.partition(), Family::DeliveryByDue, &[latest]);
    let back = beginning(store, &too_late, &end, CHUNK).await?;
    let due = front.entries.iter().find(|entry| !is_misplaced(entry));
    let due = due.and_then(|(place, _)| ReadKey::of(place)?.time());
    let in_front = front
        .entries
        .iter()
        .map_while(|entry| Some((entry, misplaced(entry)?)));
    let behind = back
        .entries
        .iter()
        .filter_map(|entry| Some((entry, misplaced(entry)?)));
    let ahead: Vec<_> = in_front.chain(behind).collect();
    let is_due_now = !ahead.is_empty();
    for ((place, _), mut delivery) in ahead {
        unit.delete(place.clone());
        delivery.next_attempt_at = Some(now);
        put(unit, &delivery);
    }
    let again = damaged_due(state, front.damaged.as_ref(), now);
    let first = if is_due_now { Some(now) } else { due };
    Ok(first.into_iter().chain(again).min())
}

/// Returns the time of the next try of an unreadable row.
fn damaged_due(
    state: &mut WebhookState,
    damaged: Option<&Key>,
    now: Timestamp,
) -> Option<Timestamp> {
    let Some(damaged) = damaged else {
        state.unreadable_since = None;
        return None;
    };
    // By a clock that was set back since, it is a time to come.
    let since = state.unreadable_since.map_or(now, |since| since.min(now));
    state.unreadable_since = Some(since);
    let (shortest, longest) = DAMAGED_PAUSES;
    let pause = (now.seconds() - since.seconds()).clamp(shortest, longest);
    let due = ReadKey::of(damaged).and_then(|at| at.time());
    let again = now.plus_seconds(pause);
    Some(due.map_or(again, |due| due.max(again)))
}

/// Reads the first readable rows of a part of the queue.
async fn beginning(
    store: &Store,
    from: &Key,
    end: &[u8],
    limit: usize,
) -> Result<Beginning, Fault> {
    let reader = LenientReader::new(store);
    let mut found = Beginning::default();
    let mut next = Some(from.clone());
    for _ in 0..=MOST_DAMAGED {
        let Some(from) = next else { break };
        let piece = reader.piece(&from, Some(end), limit).await?;
        if let Some((key, _)) = piece.damaged {
            found.damaged.get_or_insert(key);
        } else {
            found.entries = piece.entries;
            break;
        }
        next = piece.next;
    }
    Ok(found)
}

/// Reads an outstanding delivery.
/// A damaged one is logged and left out, so that it does not hold up the rest.
pub(super) fn read_delivery(place: &Key, row: &[u8]) -> Option<Delivery> {
    let delivery = serde_json::from_slice(row);
    let log = |error: &serde_json::Error| {
        let fault = Fault::corrupt(place, error);
        tracing::error!(%fault, "a delivery that cannot be parsed is skipped");
    };
    delivery.inspect_err(log).ok()
}

/// Writes a delivery to the queue if pending, to the log if attempted.
/// It must have no place in the queue any more. A delivery given up without an attempt goes to the
/// log too.
pub(super) fn put(unit: &mut UnitOfWork<'_>, delivery: &Delivery) {
    let row = unit.json(delivery);
    if delivery.status != DeliveryStatus::Pending || !delivery.attempts.is_empty() {
        let write = match delivery.attempts.len() {
            // The first attempt adds it to the log.
            1 => UnitOfWork::put_new,
            _ => UnitOfWork::put,
        };
        write(unit, delivery.log_key(), row.clone());
    }
    if let Some(place) = delivery.queue_key() {
        unit.put_new(place, row);
    }
}
