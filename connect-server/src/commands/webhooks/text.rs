//! The results of webhook commands as text.

use std::fmt::Display;

use connect_core::{
    Delivery, DeliveryStatus, OwnerMail, SwitchOffReason, SwitchedOff,
    wire::limits::{FORMER_SECRET_HOURS, MAX_WEBHOOK_FAILURES},
};

use super::view::{DeletedWebhook, NewSecret, WebhookView};

/// Formats a new webhook with its secret.
pub(super) fn created(new: &NewSecret) -> String {
    let id = new.id;
    format!(
        "{}\n`connect-server webhook test {id}` sends it a first delivery.",
        secret(new)
    )
}

/// Formats the new secret of a webhook.
pub(super) fn rolled(new: &NewSecret) -> String {
    let former = match new.former_lost {
        false => format!("For {FORMER_SECRET_HOURS} hours deliveries are signed with the old secret as well."),
        true => "The old secret signs no more, as its key is missing. What has waited is sent now, signed with the \
                 new secret alone."
            .to_owned(),
    };
    format!("{}\n{former}", secret(new))
}

fn secret(new: &NewSecret) -> String {
    format!(
        "{}  secret {}  (shown this once)",
        new.id,
        new.secret.expose()
    )
}

/// Formats all webhooks.
pub(super) fn webhooks(webhooks: &[WebhookView]) -> String {
    if webhooks.is_empty() {
        return "There are no webhooks. `connect-server webhook create` makes one.".to_owned();
    }
    let each: Vec<_> = webhooks.iter().map(webhook).collect();
    each.join("\n\n")
}

/// Formats a webhook: its address, then a line per property.
pub(super) fn webhook(view: &WebhookView) -> String {
    let (webhook, health) = (&view.webhook, &view.health);
    let locations = match &webhook.location_ids[..] {
        [] => "all".to_owned(),
        some => list(some),
    };
    let status = match (&webhook.switched_off, view.next_probe_at) {
        (Some(off), _) => switched_off(off),
        _ if view.waits_for_key => format!(
            "on since {}, but its deliveries wait: the key of its secret is missing. Bring it back, or give the \
             webhook a new secret with `connect-server webhook roll`",
            webhook.enabled_at
        ),
        (None, None) => format!("on since {}", webhook.enabled_at),
        (None, Some(next)) => format!(
            "on since {}, and probed: one attempt a minute until one succeeds, the next at {next} or when a \
             delivery is due after that",
            webhook.enabled_at
        ),
    };
    let last_success = match health.last_success_at {
        Some(at) => at.to_string(),
        None => "never".to_owned(),
    };
    let facts = [
        ("account", webhook.account_id.to_string()),
        ("events", list(&webhook.events)),
        ("locations", locations),
        ("status", status),
        ("last success", last_success),
        ("failures in a row", health.failures_in_a_row.to_string()),
    ];
    let mut text = format!("{}  {}", webhook.id, webhook.url);
    for (name, value) in facts {
        text.push_str(&format!("\n  {name:<17}  {value}"));
    }
    text
}

fn switched_off(off: &SwitchedOff) -> String {
    let why = match off.reason {
        SwitchOffReason::Owner => "by the owner".to_owned(),
        SwitchOffReason::Failures => {
            format!("after {MAX_WEBHOOK_FAILURES} failed attempts in a row")
        }
    };
    let mail = match off.owner_mail {
        None => "",
        Some(OwnerMail::Due) => "; the message to the owner is still to be sent",
        Some(OwnerMail::Sent) => "; a message was sent to the owner",
        Some(OwnerMail::NotConfigured) => {
            "; no message was sent to the owner, as there is no mail server"
        }
    };
    format!("off since {}, {why}{mail}", off.at)
}

/// Formats a webhook after it was switched on.
pub(super) fn enabled(view: &WebhookView) -> String {
    format!(
        "{}\nIt gets events from now on. Waiting events are sent or dropped with the next round. \
         `connect-server webhook resend` sends a delivery again that was given up.",
        webhook(view)
    )
}

/// Confirms the deletion of a webhook.
pub(super) fn deleted(webhook: &DeletedWebhook) -> String {
    format!("{} was deleted.", webhook.id)
}

/// Confirms a delivery added to the queue.
pub(super) fn queued(delivery: &Delivery) -> String {
    format!(
        "{}  {} is queued.\n`connect-server webhook deliveries {}` lists it once it was attempted.",
        delivery.id, delivery.event_type, delivery.webhook_id
    )
}

/// Formats deliveries, one per line.
pub(super) fn deliveries(deliveries: &[Delivery]) -> String {
    if deliveries.is_empty() {
        return "No delivery was attempted yet. Those that wait for their first attempt are not listed.".to_owned();
    }
    let lines: Vec<_> = deliveries.iter().map(delivery).collect();
    lines.join("\n")
}

/// Formats a delivery.
/// Shows the time of the last attempt, or of the delivery before any.
fn delivery(delivery: &Delivery) -> String {
    let status = match delivery.status {
        DeliveryStatus::Pending => "pending",
        DeliveryStatus::Delivered => "delivered",
        DeliveryStatus::GivenUp => "given up",
    };
    let last = delivery.attempts.last();
    let at = last.map_or(delivery.created_at, |last| last.at);
    let attempts = match delivery.attempts.len() {
        1 => "1 attempt".to_owned(),
        several => format!("{several} attempts"),
    };
    let (id, event) = (delivery.id, &delivery.event_type);
    let event = event.as_str();
    let mut line = format!("{id}  {at}  {event:<26}  {status:<9}  {attempts:<10}");
    if let Some(last) = last {
        let code = last.status_code.map(|code| code.to_string());
        let code = code.as_deref().unwrap_or("---");
        line.push_str(&format!("  {code}  {} ms", last.duration_ms));
        if let Some(reason) = &last.reason {
            line.push_str(&format!("  {reason}"));
        }
    }
    line.trim_end().to_owned()
}

fn list(values: &[impl Display]) -> String {
    let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
