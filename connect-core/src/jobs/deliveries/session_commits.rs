//! The commits of a session: the lease, the outcomes, and the end.

use std::sync::Arc;

use uuid::Uuid;

use super::{attempt::Attempted, queue};
use crate::{
    owner::{WebhookHealth, WebhookLease, WebhookState, due_key},
    rules::webhook::MAX_FAILURES,
    storage::Key,
    transaction::{
        End, Fault, OwnWebhook, Reads, Store, UnitOfWork, Webhook, keys::Family, woken_key,
    },
    wire::{Id, Timestamp},
};

/// The most rows handled by one commit.
/// Each of the first conflicts with a writer halves them.
const CHUNK: usize = 500;

/// The most times that they are halved.
/// A small commit may have several conflicts before it runs under a lock.
const MOST_HALVINGS: u32 = 3;

/// The seconds before a retry of a webhook without an account.
const LOST_PAUSE: i64 = 300;

/// A webhook leased by a session.
#[derive(Clone, Debug)]
pub(super) struct LeasedWebhook {
    /// The current settings of the webhook; `None` after its deletion.
    pub(super) own: Option<Arc<OwnWebhook>>,
    /// The end of the lease.
    pub(super) until: Timestamp,
    /// The health of the endpoint since the switch-on.
    pub(super) health: WebhookHealth,
    /// Set once deliveries from before its switch-on are in order.
    pub(super) is_resumed: bool,
}

impl LeasedWebhook {
    /// Returns the webhook if it gets deliveries.
    pub(super) fn enabled(&self) -> Option<&OwnWebhook> {
        self.own.as_deref().filter(|own| own.webhook.is_enabled())
    }

    /// Returns whether enough attempts failed in a row to switch it off.
    pub(super) fn has_failed(&self) -> bool {
        self.enabled().is_some() && self.health.failures_in_a_row >= MAX_FAILURES
    }
}

/// A session of a webhook: the holder of its lease.
#[derive(Clone, Copy)]
pub(super) struct SessionLease<'s> {
    pub(super) store: &'s Store,
    pub(super) webhook: Id<Webhook>,
    /// The unique name of the session.
    pub(super) id: Uuid,
}

impl<'s> SessionLease<'s> {
    /// Leases the webhook, chosen by its entry at `due`, if any.
    /// `None` when another session has it, when nothing is due any more, or when its account is not
    /// found.
    pub(super) async fn lease(
        self,
        due: Option<Timestamp>,
    ) -> Result<Option<LeasedWebhook>, Fault> {
        let woken = &woken_key(self.webhook);
        let entry = due.map(|due| due_key(due, self.webhook));
        let entry = entry.as_ref();
        let committed = self.store.transact(self.webhook, |mut unit| async move {
            let mut reads = Reads::of(self.webhook.uuid());
            reads.row(woken.clone());
            if let Some(entry) = entry {
                reads.row(entry.clone());
            }
            let mut state = load(&mut unit, reads).await?;
            let other = state.lease.filter(|lease| lease.session != self.id);
            if other.is_some_and(|lease| !lease.is_over(unit.now())) {
                return Ok(End::rollback(None));
            }
            let is_woken = unit.get(woken).await?.is_some();
            let mut is_due = state.due.is_some();
            // A damaged state began anew: without this the entry would lead here for ever.
            if let Some(entry) = entry.filter(|_| state.due != due) {
                is_due |= unit.get(entry).await?.is_some();
                unit.delete(entry.clone());
            }
            // Another session was here since the webhook was chosen. It may have purged it.
            if !is_woken && !is_due {
                return Ok(End::rollback(None));
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
                    Some(self.renew(&mut unit, state, own))
                }
                Err(fault) => {
                    leave(self.store, &mut unit, state, &fault).await?;
                    None
                }
            };
            Ok(End::commit(unit, leased))
        });
        committed.await
    }

    /// Commits under the lease. `None` when another session has the webhook by now.
    /// The most rows for `work` to handle are fewer after each conflict.
    pub(super) async fn commit<T, F, Fut>(self, work: F) -> Result<Option<T>, Fault>
    where
        F: Fn(UnitOfWork<'s>, WebhookState, usize) -> Fut,
        Fut: Future<Output = Result<End<'s, Option<T>>, Fault>>,
    {
        let (work, mut attempts) = (&work, 0);
        let committed = self.store.transact(self.webhook, |mut unit| {
            let chunk = CHUNK >> attempts;
            attempts = MOST_HALVINGS.min(attempts + 1);
            async move {
                let state = load(&mut unit, Reads::of(self.webhook.uuid())).await?;
                if !state.is_leased_to(self.id) {
                    return Ok(End::rollback(None));
                }
                work(unit, state, chunk).await
            }
        });
        committed.await
    }

    /// Records the outcomes of attempts, and renews the lease.
    /// Also removes unreadable entries of the queue. `None` when another session has the webhook by
    /// now.
    pub(super) async fn record(
        self,
        attempted: &[Attempted],
        broken: &[Key],
    ) -> Result<Option<LeasedWebhook>, Fault> {
        let recorded = self.commit(async |mut unit, mut state, _| {
            let own = own(&unit)?;
            for place in broken {
                unit.delete(place.clone());
            }
            for attempted in attempted {
                unit.delete(attempted.place.clone());
                queue::put(&mut unit, &attempted.delivery);
                let attempt = attempted.delivery.attempts.last();
                if let (Some(own), Some(is_success), Some(attempt)) =
                    (&own, attempted.is_success, attempt)
                {
                    let end = (is_success, attempted.is_probe);
                    state.count(attempt, end, own.webhook.enabled_at);
                }
            }
            let leased = self.renew(&mut unit, state, own);
            Ok(End::commit(unit, Some(leased)))
        });
        recorded.await
    }

    /// Ends the session, and schedules the webhook's next one.
    /// It is due with the first delivery of its queue, but not within `pause` seconds, or at `next`.
    /// A probed webhook is not due before its next probe. A switched-off one is not due for its
    /// waiting deliveries.
    pub(super) async fn end(self, next: Option<Timestamp>, pause: i64) -> Result<(), Fault> {
        let ended = self.commit(async |mut unit, mut state, _| {
            // One that leads to no account is left alone by the next session.
            let own = own(&unit).unwrap_or_default();
            let first = match &own {
                Some(own) if !own.webhook.is_enabled() => None,
                _ => queue::first_due(self.store, &mut unit, &mut state).await?,
            };
            state.lease = None;
            // A session that left something for later goes to the end of the line.
            let first = first.map(|first| first.max(unit.now().plus_seconds(pause)));
            let due = first.into_iter().chain(next).min();
            let health = own.map(|own| state.health_since(own.webhook.enabled_at));
            let probe = health.filter(|health| !health.may_attempt(unit.now()));
            let probe = probe.and_then(|health| health.next_probe());
            let due = due.map(|due| probe.map_or(due, |probe| due.max(probe)));
            state.save(&mut unit, due);
            Ok(End::commit(unit, Some(())))
        });
        ended.await.map(drop)
    }

    /// Writes the state with a lease from now on.
    pub(super) fn renew(
        self,
        unit: &mut UnitOfWork<'_>,
        mut state: WebhookState,
        own: Option<Arc<OwnWebhook>>,
    ) -> LeasedWebhook {
        let lease = WebhookLease::new(self.id, unit.now());
        state.lease = Some(lease);
        let enabled_at = own.as_ref().map(|own| own.webhook.enabled_at);
        let health = enabled_at.map(|enabled_at| state.health_since(enabled_at));
        // Nothing has waited for one that was never off.
        let was_off = own
            .as_ref()
            .is_some_and(|own| own.webhook.enabled_at != own.webhook.created_at);
        let is_resumed = !was_off || state.resumed == enabled_at;
        state.save(unit, Some(lease.until));
        LeasedWebhook {
            own,
            until: lease.until,
            health: health.unwrap_or_default(),
            is_resumed,
        }
    }
}

/// Leaves a webhook without an account alone.
/// Its link, or the row of the account, is damaged or lost. Its deliveries stay, and are tried
/// again later.
async fn leave(
    store: &Store,
    unit: &mut UnitOfWork<'_>,
    mut state: WebhookState,
    reason: &Fault,
) -> Result<(), Fault> {
    let webhook = unit.partition();
    if !state.is_lost {
        tracing::error!(%reason, %webhook, "the account of a webhook is not found; deliveries wait");
    }
    state.is_lost = true;
    state.lease = None;
    let mut has_deliveries = false;
    for family in [Family::DeliveryByDue, Family::WaitingStock] {
        has_deliveries |= queue::has_any(store, webhook, family).await?;
    }
    let next = has_deliveries.then(|| unit.now().plus_seconds(LOST_PAUSE));
    state.save(unit, next);
    Ok(())
}

/// Reads the state of the webhook.
async fn load(unit: &mut UnitOfWork<'_>, mut reads: Reads) -> Result<WebhookState, Fault> {
    let key = WebhookState::key(unit.partition().into());
    reads.row(key.clone());
    unit.load(reads).await?;
    Ok(WebhookState::read(&key, unit.get(&key).await?.as_ref()))
}

/// The current settings of the webhook; `None` after its deletion.
///
/// # Errors
/// Its account is not found. Only the row of the account tells whether the webhook was deleted.
pub(super) fn own(unit: &UnitOfWork<'_>) -> Result<Option<Arc<OwnWebhook>>, Fault> {
    let id = unit.partition().into();
    let own = unit.webhooks()?.find(id);
    Ok(own.map(|own| Arc::new(own.clone())))
}
