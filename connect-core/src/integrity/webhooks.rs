//! The rules for rows of webhooks and their deliveries.

use serde_json::json;

use super::{
    ProblemKind,
    claim::{Claim, Mend},
    declared,
    findings::Findings,
};
use crate::{
    owner::{WebhookState, due_key},
    storage::{Key, Value},
    transaction::{
        Account, Delivery, DeliveryStatus, ReadKey, Webhooks,
        keys::{Family, key},
    },
    wire::{Timestamp, limits::EVENT_DAYS},
};

/// Checks the webhooks of an account: each leads back to this row.
/// Their locations belong to the account.
pub(super) fn webhooks(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(webhooks) = findings.parse::<Webhooks>(row) else {
        return;
    };
    let account = at.partition;
    for own in &webhooks.0 {
        let (id, of) = (own.webhook.id, own.webhook.account_id);
        if of.uuid() != account {
            findings.bad(format!("webhook {id} is of account {of}"));
        }
        findings.claim(Claim::entry(
            Webhooks::link_key(id.uuid()),
            (&**findings.key()).into(),
            format!("webhook {id}"),
        ));
    }
    let fault = move |account: Account| {
        webhooks.0.iter().find_map(|own| {
            let mut locations = own.webhook.location_ids.iter();
            let location = locations.find(|location| !account.has_location(**location))?;
            let webhook = own.webhook.id;
            Some(format!(
                "webhook {webhook} is for location {location}, which is none of its account"
            ))
        })
    };
    let account = key(account, Family::Account, &[]);
    let kind = ProblemKind::MissingReference;
    findings.claim_here(Claim::agreeing(account, kind, None, fault));
}

/// Checks an entry from a location or webhook to the account's webhooks.
pub(super) fn link(findings: &mut Findings, _: &ReadKey, row: &Value) {
    let is_of_webhooks = ReadKey::of(row).is_some_and(|at| at.family == Family::Webhooks);
    if !is_of_webhooks {
        return findings.bad("the row holds no key of an account's webhooks".to_owned());
    }
    let message = "it leads to the webhooks of an account, which are not there".to_owned();
    findings.refers(Key::from(&**row), message);
}

/// Checks a webhook's state and its place among due webhooks.
pub(super) fn state(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(due) = findings
        .parse::<WebhookState>(row)
        .and_then(|state| state.due)
    else {
        return;
    };
    let webhook = at.partition;
    findings.claim(Claim::there(
        due_key(due, webhook.into()),
        ProblemKind::MissingEntry,
        format!("webhook {webhook} is not in the order in which webhooks are due"),
    ));
    let set_at = json!(due).to_string();
    findings.mended_by(Some(Mend::Write(set_at.as_bytes().into())));
}

/// Checks a place in the order of due webhooks.
/// It holds the time of its creation.
pub(super) fn by_due(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.parse::<Timestamp>(row);
    let Some(due) = at.time() else { return };
    let has = move |_: &ReadKey, state: &Value| {
        serde_json::from_slice(state).map_or(true, |state: WebhookState| state.due == Some(due))
    };
    declared::leads_to(findings, at, row, has);
}

/// Checks the mark of a webhook with work unseen by workers.
pub(super) fn woken(findings: &mut Findings, _: &ReadKey, row: &Value) {
    if row.len() != 16 {
        findings.bad("the row holds no id".to_owned());
    }
}

/// Checks an outstanding delivery, queued or waiting for its minute.
pub(super) fn outstanding(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(delivery) = findings.parse::<Delivery>(row) else {
        return;
    };
    if delivery.webhook_id.uuid() != at.partition || delivery.status != DeliveryStatus::Pending {
        return findings.bad(format!("delivery {} does not belong here", delivery.id));
    }
    let is_queued = at.family == Family::DeliveryByDue;
    if is_queued && delivery.queue_key().as_ref() != Some(findings.key()) {
        return findings.bad(format!("delivery {} is due at another time", delivery.id));
    }
    // Where no worker has run for weeks, an event may be purged before it was delivered.
    let is_kept = delivery.created_at > findings.now.plus_days(-EVENT_DAYS);
    if let Some(event) = delivery.event_key().filter(|_| is_kept) {
        let id = delivery.event_id;
        findings.refers(
            event,
            format!(
                "delivery {} is of event {id}, which is not there",
                delivery.id
            ),
        );
    }
    if delivery.attempts.is_empty() || !is_kept {
        return;
    }
    let copy = Mend::Write(row.clone());
    let row = row.clone();
    let test = move |found: Option<&Value>| {
        (found != Some(&row)).then(|| "a delivery differs from its copy in the log".to_owned())
    };
    let kind = ProblemKind::MissingEntry;
    findings.claim_here(Claim::on(delivery.log_key(), kind, test));
    findings.mended_by(Some(copy));
}

/// Checks a delivery in the log: a pending one is in the queue.
pub(super) fn delivery(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(delivery) = findings.parse::<Delivery>(row) else {
        return;
    };
    if delivery.webhook_id.uuid() != at.partition || Some(delivery.id.uuid()) != at.id() {
        return findings.bad("the row holds another delivery".to_owned());
    }
    if let Some(place) = delivery.queue_key() {
        let whose = format!("delivery {}", delivery.id);
        findings.claim(Claim::entry(place, row.clone(), whose));
    }
}

/// Claims: an account has a row for its webhooks.
/// Its locations lead to it.
pub(super) fn of_account(findings: &mut Findings, account: &Account) {
    let webhooks = Webhooks::key(account.id.uuid());
    let id = account.id;
    findings.claim(Claim::there(
        webhooks.clone(),
        ProblemKind::MissingReference,
        format!("account {id} has no row for its webhooks"),
    ));
    // Their addresses and secrets are lost: it has none.
    findings.mended_by(Some(Mend::Write(b"[]".as_slice().into())));
    for location in &account.locations {
        let link = Webhooks::link_key(location.id.uuid());
        let whose = format!("location {}", location.id);
        findings.claim(Claim::entry(link, (&*webhooks).into(), whose));
    }
}
