//! The commits of a session: the lease, what has become of attempts, what is given up, and the end.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    attempt::Attempted,
    state::{Lease, WebhookState, save},
};
use crate::{
    record::{
        Attempt, Delivery, DeliveryStatus, Fault, OwnWebhook, ReadKey, Reads, Store, Unit, Webhook,
        keys::{Family, after_prefix, key},
        woken_key,
    },
    rules::webhook::MAX_FAILURES,
    storage::Key,
    wire::{Id, Timestamp},
};

/// The seconds for which a session has a webhook to itself, after each commit.
const LEASE: i64 = 60;

/// The deliveries that are given up by one commit.
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

/// Leases a webhook; `None` when another session has it.
pub(super) async fn lease(
    store: &Store,
    webhook: Id<Webhook>,
    session: Uuid,
) -> Result<Option<Leased>, Fault> {
    let woken = woken_key(webhook);
    let mut attempts = store.attempts(webhook.uuid());
    loop {
        let mut unit = attempts.begin();
        let mut reads = Reads::of(webhook.uuid());
        reads.row(woken.clone());
        let mut state = load(&mut unit, reads).await?;
        if state
            .lease
            .is_some_and(|lease| lease.session != session && lease.until > unit.now())
        {
            return Ok(None);
        }
        if unit.get(&woken).await?.is_some() {
            // A delivery that came with a mark removed here is found in the queue, which is read
            // later. A change of the webhook leaves no more than the mark, so none may get lost.
            unit.expect_webhooks();
            unit.delete(woken.clone());
        }
        let leased = renew(&mut unit, &mut state, session)?;
        save(&mut unit, state, Some(leased.until));
        if attempts.commit(unit).await? == Attempt::Done {
            return Ok(Some(leased));
        }
    }
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
        let leased = renew(&mut unit, &mut state, session)?;
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
    let queue = key(webhook.uuid(), Family::DeliveryByDue, &[]);
    let mut attempts = store.attempts(webhook.uuid());
    loop {
        let mut unit = attempts.begin();
        let mut state = load(&mut unit, Reads::of(webhook.uuid())).await?;
        if !state.is_leased_to(session) {
            return Ok(());
        }
        let first = unit.scan_range(&queue, &after_prefix(&queue), 1).await?;
        let first = first.first().and_then(|(key, _)| ReadKey::of(key)?.time());
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

/// Reads the state of the webhook.
pub(super) async fn load(unit: &mut Unit<'_>, mut reads: Reads) -> Result<WebhookState, Fault> {
    let key = WebhookState::key(unit.partition().into());
    reads.row(key.clone());
    unit.load(reads).await?;
    Ok(WebhookState::read(&key, unit.get(&key).await?.as_ref()))
}

/// The webhook as it is set up now.
fn own(unit: &Unit<'_>) -> Result<Option<Arc<OwnWebhook>>, Fault> {
    let id = unit.partition().into();
    let own = unit.webhooks()?.and_then(|webhooks| webhooks.find(id));
    Ok(own.map(|own| Arc::new(own.clone())))
}

fn renew(unit: &mut Unit<'_>, state: &mut WebhookState, session: Uuid) -> Result<Leased, Fault> {
    let until = unit.now().plus_seconds(LEASE);
    state.lease = Some(Lease { session, until });
    let own = own(unit)?;
    let failures = own.as_ref().map_or(0, |own| {
        state.health_since(own.webhook.enabled_at).failures_in_a_row
    });
    Ok(Leased {
        own,
        until,
        failures,
    })
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

/// Writes a delivery to the log, and to the queue when it is attempted again.
fn put(unit: &mut Unit<'_>, delivery: &Delivery) {
    let row = unit.json(delivery);
    unit.put(delivery.log_key(), row.clone());
    if let Some(place) = delivery.queue_key() {
        unit.put(place, row);
    }
}
