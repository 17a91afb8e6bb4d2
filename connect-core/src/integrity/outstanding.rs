//! The outstanding deliveries of a webhook as a whole.

use uuid::Uuid;

use super::{Problem, ProblemKind};
use crate::{
    owner::WebhookState,
    storage::{Key, Value},
    transaction::{Fault, LenientReader, Lookup, Webhooks, clock_key, woken_key},
};

/// Checks a webhook's outstanding deliveries.
/// A worker must be due to attempt them, and they must have an account.
/// `clock` is the row of the clock at the time of their count. While that row is the same, no worker has
/// removed any of them.
pub(super) async fn are_looked_at(
    reader: &LenientReader<'_>,
    webhook: Uuid,
    outstanding: u64,
    clock: Option<&Value>,
) -> Result<Option<Problem>, Fault> {
    let id = webhook.into();
    let keys = [
        clock_key(webhook),
        WebhookState::key(id),
        woken_key(id),
        Webhooks::link_key(webhook),
    ];
    let found = reader.values(&keys).await?;
    let [
        Lookup::Found(stands),
        Lookup::Found(state),
        Lookup::Found(woken),
        Lookup::Found(link),
    ] = &found[..]
    else {
        // An unreadable row is reported at its own key.
        return Ok(None);
    };
    if stands.as_ref() != clock {
        return Ok(None);
    }
    let whose = format!("webhook {webhook} has {outstanding} deliveries to make");
    if link.is_none() {
        let message = format!("{whose}, and nothing leads to its account");
        let kind = ProblemKind::MissingReference;
        return Ok(Some(Problem::new(kind, &keys[3], message)));
    }
    let state: Option<WebhookState> = state
        .as_ref()
        .and_then(|state| serde_json::from_slice(state).ok());
    let is_due = state.is_some_and(|state| state.due.is_some());
    // Deliveries of a webhook that is off have no worker until it is switched on.
    if woken.is_none() && !is_due && is_off(reader, webhook, link.as_ref()).await? {
        return Ok(None);
    }
    Ok((woken.is_none() && !is_due).then(|| {
        let message = format!("{whose}, and no worker will look at it");
        Problem::new(ProblemKind::MissingEntry, &keys[2], message)
    }))
}

/// Returns whether the account behind `link` has switched a webhook off.
/// An unreadable row counts as off: it is reported at its own key.
async fn is_off(
    reader: &LenientReader<'_>,
    webhook: Uuid,
    link: Option<&Value>,
) -> Result<bool, Fault> {
    let Some(of_account) = link.map(|link| Key::from(&**link)) else {
        return Ok(false);
    };
    let found = reader.values(std::slice::from_ref(&of_account)).await?;
    let Some(Lookup::Found(row)) = found.into_iter().next() else {
        return Ok(true);
    };
    let webhooks = Webhooks::read(&of_account, row.as_ref()).unwrap_or_default();
    let own = webhooks.find(webhook.into());
    Ok(own.is_some_and(|own| !own.webhook.is_enabled()))
}
