//! The commits of a session: the lease, what has become of attempts, what is given up, and the end.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    attempt::Attempted,
    look::Chosen,
    state::{Lease, WebhookState, due_key, save},
};
use crate::{
    record::{
        Attempt, Delivery, DeliveryStatus, Fault, OwnWebhook, ReadKey, Reads, Store, Unit, Webhook,
        keys::{Family, Part, after_prefix, key},
        woken_key,
    },
    rules::webhook::{CLOCK_TOLERANCE, LONGEST_RETRY, MAX_FAILURES, has_come},
    storage::{Entry, Key},
    wire::{Id, Timestamp},
};

/// The seconds after which a webhook that leads to no account is looked at again.
const LOST_PAUSE: i64 = 300;

/// The deliveries that are given up, or put to another time, by one commit.
const CHUNK: usize = 500;

/// A webhook that a session has to itself.
#[derive(Clone, Debug)]
pub(super) struct Leased {
    /// The webhook as it is set up now; `None` when it was deleted.
    pub(super) own: Option<Arc<OwnWebhook>>,
    /// The end of the lease.
    pub(super) until: Timestamp,
    /// The number of attempts that have failed in a row.
    pub(super) failures: u32,
}

impl Leased {
    /// Returns the webhook if it gets deliveries.
    pub(super) fn enabled(&self) -> Option<&OwnWebhook> {
        self.own.as_deref().filter(|own| own.webhook.is_enabled())
    }

    /// Returns whether so many attempts have failed in a row that the webhook has to be switched
    /// off.
    pub(super) fn has_failed(&self) -> bool {
        self.enabled().is_some() && self.failures >= MAX_FAILURES
    }
}

/// Leases a webhook. `None` when another session has it, when nothing is due there any more, or when
/// it leads to no account.
pub(super) async fn lease(
    store: &Store,
    chosen: Chosen,
    session: Uuid,
) -> Result<Option<Leased>, Fault> {
    let webhook = chosen.webhook.into();
    let woken = woken_key(webhook);
    let entry = chosen.due.map(|due| due_key(due, webhook));
    let mut attempts = store.attempts(chosen.webhook);
    loop {
        let mut unit = attempts.begin();
        let mut reads = Reads::of(chosen.webhook);
        reads.row(woken.clone());
        if let Some(entry) = &entry {
            reads.row(entry.clone());
        }
        let mut state = load(&mut unit, reads).await?;
        let other = state.lease.filter(|lease| lease.session != session);
        if other.is_some_and(|lease| !lease.is_over(unit.now())) {
            return Ok(None);
        }
        let is_woken = unit.get(&woken).await?.is_some();
        let mut is_due = state.due.is_some();
        // Otherwise the entry would lead here for ever: the state was damaged, and began anew.
        if let Some(entry) = entry.as_ref().filter(|_| state.due != chosen.due) {
            is_due |= unit.get(entry).await?.is_some();
            unit.delete(entry.clone());
        }
        // Another session was here since the webhook was chosen. It may have purged it.
        if !is_woken && !is_due {
            return Ok(None);
        }
        if is_woken {
            // A delivery that came with a mark removed here is found in the queue, which is read
            // later. A change of the webhook leaves no more than the mark, so none may get lost.
            unit.expect_webhooks();
            unit.delete(woken.clone());
        }
        let leased = match own(&unit) {
            Ok(own) => {
                state.is_lost = false;
                let leased = renew(&unit, &mut state, session, own);
                save(&mut unit, state, Some(leased.until));
                Some(leased)
            }
            Err(fault) => {
                leave(&mut unit, state, &fault).await?;
                None
            }
        };
        if attempts.commit(unit).await? == Attempt::Done {
            return Ok(leased);
        }
    }
}

/// Leaves a webhook alone that leads to no account: its link, or the row of the account, is damaged
/// or lost. Its deliveries stay, and are looked at again later.
async fn leave(unit: &mut Unit<'_>, mut state: WebhookState, reason: &Fault) -> Result<(), Fault> {
    let webhook = unit.partition();
    if !state.is_lost {
        tracing::error!(%reason, %webhook, "the account of a webhook is not found; deliveries wait");
    }
    state.is_lost = true;
    state.lease = None;
    let mut has_deliveries = false;
    for family in [Family::DeliveryByDue, Family::WaitingStock] {
        let outstanding = key(webhook, family, &[]);
        has_deliveries |= !unit.scan(&outstanding, 1).await?.is_empty();
    }
    let next = has_deliveries.then(|| unit.now().plus_seconds(LOST_PAUSE));
    save(unit, state, next);
    Ok(())
}

/// Writes down what has become of attempts, removes entries of the queue that cannot be read, and
/// renews the lease. `None` when another session has the webhook by now.
pub(super) async fn record(
    store: &Store,
    webhook: Id<Webhook>,
    session: Uuid,
    attempted: &[Attempted],
    broken: &[Key],
) -> Result<Option<Leased>, Fault> {
    let mut attempts = store.attempts(webhook.uuid());
    loop {
        let mut unit = attempts.begin();
        let mut state = load(&mut unit, Reads::of(webhook.uuid())).await?;
        if !state.is_leased_to(session) {
            return Ok(None);
        }
        let own = own(&unit)?;
        for place in broken {
            unit.delete(place.clone());
        }
        for attempted in attempted {
            unit.delete(attempted.place.clone());
            put(&mut unit, &attempted.delivery);
            let attempt = attempted.delivery.attempts.last();
            if let (Some(own), Some(is_success), Some(attempt)) =
                (&own, attempted.is_success, attempt)
            {
                state.count(attempt, is_success, own.webhook.enabled_at);
            }
        }
        let leased = renew(&unit, &mut state, session, own);
        save(&mut unit, state, Some(leased.until));
        if attempts.commit(unit).await? == Attempt::Done {
            return Ok(Some(leased));
        }
    }
}

/// Gives up some of the outstanding deliveries. Returns how many; 0 when none is left or the webhook was
/// switched on again, and `None` when another session has the webhook by now.
pub(super) async fn give_up(
    store: &Store,
    webhook: Id<Webhook>,
    session: Uuid,
) -> Result<Option<usize>, Fault> {
    let mut attempts = store.attempts(webhook.uuid());
    loop {
        let mut unit = attempts.begin();
        let state = load(&mut unit, Reads::of(webhook.uuid())).await?;
        if !state.is_leased_to(session) {
            return Ok(None);
        }
        let is_enabled = |own: Arc<OwnWebhook>| own.webhook.is_enabled();
        if own(&unit)?.is_some_and(is_enabled) {
            return Ok(Some(0));
        }
        unit.expect_webhooks();
        let mut count = 0;
        for family in [Family::DeliveryByDue, Family::WaitingStock] {
            let outstanding = key(webhook.uuid(), family, &[]);
            for (place, row) in unit.scan(&outstanding, CHUNK).await? {
                // A writer may put a newer one in its place.
                unit.expect(&place, &row);
                count += 1;
                if let Some(mut delivery) = read_delivery(&place, &row) {
                    delivery.status = DeliveryStatus::GivenUp;
                    delivery.next_attempt_at = None;
                    put(&mut unit, &delivery);
                }
                unit.delete(place);
            }
        }
        if count == 0 || attempts.commit(unit).await? == Attempt::Done {
            return Ok(Some(count));
        }
    }
}

/// Ends a session: the webhook is due again with the first delivery of its queue, but not within
/// `pause` seconds, or at `next`.
pub(super) async fn end(
    store: &Store,
    webhook: Id<Webhook>,
    session: Uuid,
    next: Option<Timestamp>,
    pause: i64,
) -> Result<(), Fault> {
    let mut attempts = store.attempts(webhook.uuid());
    loop {
        let mut unit = attempts.begin();
        let mut state = load(&mut unit, Reads::of(webhook.uuid())).await?;
        if !state.is_leased_to(session) {
            return Ok(());
        }
        let first = first_due(&mut unit).await?;
        state.lease = None;
        // A session that left something for later goes to the end of the line.
        let first = first.map(|first| first.max(unit.now().plus_seconds(pause)));
        let due = first.into_iter().chain(next).min();
        save(&mut unit, state, due);
        if attempts.commit(unit).await? == Attempt::Done {
            return Ok(());
        }
    }
}

/// Returns the time at which the first delivery of the queue is due. Those in front, and those later
/// than any schedule, whose time was set by a clock that has been set back since are due now, and are
/// put there.
async fn first_due(unit: &mut Unit<'_>) -> Result<Option<Timestamp>, Fault> {
    let queue = key(unit.partition(), Family::DeliveryByDue, &[]);
    let now = unit.now();
    let misplaced = |(place, row): &Entry| {
        let delivery: Delivery = serde_json::from_slice(row).ok()?;
        let due = ReadKey::of(place)?.time()?;
        let is_ahead = due > now && has_come(due, delivery.scheduled_at(), now);
        is_ahead.then_some(delivery)
    };
    let mut front = unit.scan(&queue, 1).await?;
    if front
        .first()
        .is_some_and(|first| misplaced(first).is_some())
    {
        front = unit.scan(&queue, CHUNK).await?;
    }
    let latest = Part::Time(now.plus_seconds(LONGEST_RETRY + CLOCK_TOLERANCE));
    let too_late = key(unit.partition(), Family::DeliveryByDue, &[latest]);
    let back = unit
        .scan_range(&too_late, &after_prefix(&queue), CHUNK)
        .await?;
    let due = front.iter().find(|entry| misplaced(entry).is_none());
    let due = due.and_then(|(place, _)| ReadKey::of(place)?.time());
    let in_front = front
        .iter()
        .map_while(|entry| Some((entry, misplaced(entry)?)));
    let behind = back
        .iter()
        .filter_map(|entry| Some((entry, misplaced(entry)?)));
    let ahead: Vec<_> = in_front.chain(behind).collect();
    let is_due_now = !ahead.is_empty();
    for ((place, _), mut delivery) in ahead {
        unit.delete(place.clone());
        delivery.next_attempt_at = Some(now);
        put(unit, &delivery);
    }
    Ok(if is_due_now { Some(now) } else { due })
}

/// Reads the state of the webhook.
pub(super) async fn load(unit: &mut Unit<'_>, mut reads: Reads) -> Result<WebhookState, Fault> {
    let key = WebhookState::key(unit.partition().into());
    reads.row(key.clone());
    unit.load(reads).await?;
    Ok(WebhookState::read(&key, unit.get(&key).await?.as_ref()))
}

/// The webhook as it is set up now; `None` when it was deleted.
///
/// # Errors
/// It leads to no account. That it was deleted is known only from the row of the account.
fn own(unit: &Unit<'_>) -> Result<Option<Arc<OwnWebhook>>, Fault> {
    let id = unit.partition().into();
    let own = unit.webhooks()?.find(id);
    Ok(own.map(|own| Arc::new(own.clone())))
}

fn renew(
    unit: &Unit<'_>,
    state: &mut WebhookState,
    session: Uuid,
    own: Option<Arc<OwnWebhook>>,
) -> Leased {
    let lease = Lease::new(session, unit.now());
    state.lease = Some(lease);
    let failures = own.as_ref().map_or(0, |own| {
        state.health_since(own.webhook.enabled_at).failures_in_a_row
    });
    Leased {
        own,
        until: lease.until,
        failures,
    }
}

/// Reads an outstanding delivery. One that is damaged goes to the log of this process, and is left
/// out: it must not hold up the others.
pub(super) fn read_delivery(place: &Key, row: &[u8]) -> Option<Delivery> {
    let delivery = serde_json::from_slice(row);
    let log = |error: &serde_json::Error| {
        let fault = Fault::corrupt(place, error);
        tracing::error!(%fault, "a delivery is left out");
    };
    delivery.inspect_err(log).ok()
}

/// Writes a delivery to the queue when it is to be attempted, where it has no place any more, and to the log
/// unless nothing has become of it yet.
pub(super) fn put(unit: &mut Unit<'_>, delivery: &Delivery) {
    let row = unit.json(delivery);
    if delivery.status != DeliveryStatus::Pending || !delivery.attempts.is_empty() {
        let write = match delivery.attempts.len() {
            // Its first attempt is what brings it into the log.
            1 => Unit::put_new,
            _ => Unit::put,
        };
        write(unit, delivery.log_key(), row.clone());
    }
    if let Some(place) = delivery.queue_key() {
        unit.put_new(place, row);
    }
}
