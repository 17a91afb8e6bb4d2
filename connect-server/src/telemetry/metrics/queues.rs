//! The metrics of the queues.

use connect_core::Backlog;
use prometheus::proto::MetricFamily;

use super::family::Family;

/// Returns the metrics of the queues.
/// Without a backlog, `connect_queues_counted` is 0 and the rest is left out.
pub(super) fn families(backlog: Option<&Backlog>) -> Vec<MetricFamily> {
    let is_counted = Family::gauge(
        "connect_queues_counted",
        "1 when the queues could be counted for these figures, 0 when the store did not answer in \
         time.",
    )
    .of(if backlog.is_some() { 1.0 } else { 0.0 });
    let mut families = vec![is_counted];
    if let Some(backlog) = backlog {
        families.extend(counted(backlog));
    }
    families
}

fn counted(backlog: &Backlog) -> [MetricFamily; 13] {
    let (webhooks, stored) = (&backlog.webhooks, &backlog.stored);
    [
        Family::gauge(
            "connect_outbox_deliveries",
            "Deliveries that wait for an attempt, the first or another one; at most 100 000 are counted.",
        )
        .of(backlog.deliveries.count as f64),
        Family::gauge(
            "connect_outbox_oldest_seconds",
            "The age of the oldest delivery that waits. One of an endpoint that fails may be a day old.",
        )
        .of(backlog.oldest_delivery.as_secs_f64()),
        Family::gauge(
            "connect_outbox_overdue_seconds",
            "The time for which the delivery that has been due longest was not attempted.",
        )
        .of(backlog.deliveries.overdue.as_secs_f64()),
        Family::gauge(
            "connect_outbox_held",
            "Deliveries that wait until their webhook is switched on; at most 10 000 are counted.",
        )
        .of(backlog.held as f64),
        Family::gauge("connect_webhooks", "Webhooks, by their state.").by(
            "state",
            [
                ("on", webhooks.on as f64),
                ("failed", webhooks.failed as f64),
                ("off", webhooks.off as f64),
            ],
        ),
        Family::gauge(
            "connect_webhooks_without_key",
            "Webhooks that are on and whose deliveries wait, as the key of their secret is missing.",
        )
        .of(webhooks.unsigned as f64),
        Family::gauge(
            "connect_image_queue",
            "Images that wait to be copied; at most 100 000 are counted.",
        )
        .of(backlog.images.count as f64),
        Family::gauge(
            "connect_image_overdue_seconds",
            "The time for which the image that has been due longest was not copied.",
        )
        .of(backlog.images.overdue.as_secs_f64()),
        Family::gauge(
            "connect_mail_queue",
            "Messages to users that wait to be sent; at most 100 000 are counted.",
        )
        .of(backlog.mails.count as f64),
        Family::gauge(
            "connect_mail_overdue_seconds",
            "The time for which the message that has been due longest was not sent.",
        )
        .of(backlog.mails.overdue.as_secs_f64()),
        Family::gauge(
            "connect_stored_bytes",
            "Bytes of the rows of all accounts, as they are counted against the limit of each.",
        )
        .of(stored.bytes as f64),
        Family::gauge(
            "connect_stored_largest_bytes",
            "Bytes of the account that stores most.",
        )
        .of(stored.largest as f64),
        Family::gauge(
            "connect_accounts_near_limit",
            "Accounts that use four fifths of a storage limit, in bytes or in records.",
        )
        .of(stored.near_limit as f64),
    ]
}
