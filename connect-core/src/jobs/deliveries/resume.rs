//! The deliveries waiting while a webhook was off, after its switch-on.
//! They are given up if the owner wants it, and otherwise sent in the order of their creation.
//!
//! The queue is ordered by due time. A delivery without an attempt has been due since its creation,
//! so it is in order. A delivery with attempts is moved back to this place.

use tokio::sync::watch;

use super::{
    queue::{put, read_delivery},
    session_commits::{self, LeasedWebhook, SessionLease},
};
use crate::{
    storage::{Entry, Key},
    transaction::{
        DeliveryStatus, End, Fault, LenientReader, OwnWebhook, UnitOfWork,
        keys::{Family, after_prefix, key},
    },
};

/// Goes through all waiting deliveries.
/// Returns the lease, and the number of deliveries given up. At the worker's end, the rest is left to
/// another session. `None` when another session has the webhook by now.
pub(super) async fn run(
    session: SessionLease<'_>,
    stop: &watch::Sender<bool>,
    mut leased: LeasedWebhook,
) -> Result<Option<(LeasedWebhook, usize)>, Fault> {
    let mut given_up = 0;
    let mut pass = Some((Family::DeliveryByDue, None));
    while let Some((family, from)) = pass
        && leased.enabled().is_some()
        && !*stop.borrow()
    {
        let all = key(session.webhook.uuid(), family, &[]);
        let from: Key = from.unwrap_or_else(|| all.clone());
        let (from, end) = (&from, &after_prefix(&all));
        let settled = session.commit(async |mut unit, mut state, chunk| {
            let piece = LenientReader::new(session.store)
                .piece(from, Some(end), chunk)
                .await?;
            let own = session_commits::own(&unit)?;
            let mut count = 0;
            if let Some(own) = &own {
                for entry in piece.entries {
                    count += usize::from(settle(&mut unit, own, entry));
                }
            }
            let next = match (piece.next, family) {
                (Some(next), _) => Some((family, Some(next))),
                (None, Family::DeliveryByDue) => Some((Family::WaitingStock, None)),
                (None, _) => None,
            };
            if next.is_none() {
                state.resumed = own.as_ref().map(|own| own.webhook.enabled_at);
            }
            let renewed = session.renew(&mut unit, state, own);
            Ok(End::commit(unit, Some((next, renewed, count))))
        });
        let Some((next, renewed, count)) = settled.await? else {
            return Ok(None);
        };
        (pass, leased) = (next, renewed);
        given_up += count;
    }
    Ok(Some((leased, given_up)))
}

/// Gives up a waiting delivery, or moves it back to its first place.
/// Returns whether it was given up.
fn settle(unit: &mut UnitOfWork<'_>, own: &OwnWebhook, (place, row): Entry) -> bool {
    let Some(mut delivery) = read_delivery(&place, &row) else {
        // The session removes it.
        return false;
    };
    if own.dropped_at.is_some_and(|at| delivery.is_from_before(at)) {
        // A writer may put a newer one in its place.
        unit.expect(&place, &row);
        unit.delete(place);
        delivery.status = DeliveryStatus::GivenUp;
        delivery.next_attempt_at = None;
        put(unit, &delivery);
        return true;
    }
    if delivery.next_attempt_at != Some(delivery.created_at) {
        unit.delete(place);
        delivery.next_attempt_at = Some(delivery.created_at);
        put(unit, &delivery);
    }
    false
}
