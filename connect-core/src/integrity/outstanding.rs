//! The outstanding deliveries of a webhook as a whole.

use uuid::Uuid;

use super::{Problem, ProblemKind};
use crate::{
    owner::WebhookState,
    storage::{Key, Value},
    transaction::{Fault, Looked, Salvage, Webhooks, clock_key, woken_key},
};

/// The deliveries of a webhook as a whole: a worker will look at them, and they lead to an account.
/// `clock` is the row of the clock that stood when they were counted. While it stands, no worker has
/// taken any of them away.
pub(super) async fn are_looked_at(
    reader: &Salvage<'_>,
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
        Looked::Found(stands),
        Looked::Found(state),
        Looked::Found(woken),
        Looked::Found(link),
    ] = &found[..]
    else {
        // A row that cannot be read was reported where it is.
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
    // What waits beside a webhook that is off has no worker until it is switched on.
    if woken.is_none() && !is_due && is_off(reader, webhook, link.as_ref()).await? {
        return Ok(None);
    }
    Ok((woken.is_none() && !is_due).then(|| {
        let message = format!("{whose}, and no worker will look at it");
        Problem::new(ProblemKind::MissingEntry, &keys[2], message)
    }))
}

/// Returns whether the account to which `link` leads has switched a webhook off. A row that cannot be
/// read is reported where it is.
async fn is_off(reader: &Salvage<'_>, webhook: Uuid, link: Option<&Value>) -> Result<bool, Fault> {
    let Some(of_account) = link.map(|link| Key::from(&**link)) else {
        return Ok(false);
    };
    let found = reader.values(std::slice::from_ref(&of_account)).await?;
    let Some(Looked::Found(row)) = found.into_iter().next() else {
        return Ok(true);
    };
    let webhooks = Webhooks::read(&of_account, row.as_ref()).unwrap_or_default();
    let own = webhooks.find(webhook.into());
    Ok(own.is_some_and(|own| !own.webhook.is_enabled()))
}
