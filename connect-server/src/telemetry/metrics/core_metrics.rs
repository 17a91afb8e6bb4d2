//! The counts of the core.

use connect_core::environment::{Counter, Metrics};
use prometheus::proto::MetricFamily;

use super::family::Family;

/// Returns the counts of the core.
pub(super) fn families(metrics: &Metrics) -> Vec<MetricFamily> {
    let (limited, deliveries) = (&metrics.limited, &metrics.deliveries);
    let (images, mails) = (&metrics.images, &metrics.mails);
    vec![
        Family::counter(
            "connect_store_commits_total",
            "Commits of the core, by how they ended. After most conflicts they are made again.",
        )
        .by(
            "result",
            [
                ("done", value(&metrics.commits)),
                ("conflict", value(&metrics.conflicts)),
                ("failed", value(&metrics.failed_commits)),
            ],
        ),
        Family::counter(
            "connect_store_failed_reads_total",
            "Reads that the store did not answer.",
        )
        .of(value(&metrics.failed_reads)),
        Family::counter(
            "connect_rate_limited_total",
            "Requests beyond a limit, by the limit that was used up.",
        )
        .by(
            "limit",
            [
                ("token", value(&limited.token)),
                ("account", value(&limited.account)),
                ("screen", value(&limited.screen)),
                ("owner", value(&limited.owner)),
                ("address", value(&limited.address)),
                ("anonymous", value(&limited.anonymous)),
                ("sign_in", value(&limited.sign_in)),
            ],
        ),
        Family::counter(
            "connect_limit_reached_total",
            "Records and requests that were refused, since an account or a location has reached a \
             storage limit.",
        )
        .of(value(&metrics.limit_reached)),
        Family::counter(
            "connect_deliveries_total",
            "Deliveries of events to webhooks: attempts that succeeded or failed, and deliveries that \
             were given up.",
        )
        .by(
            "result",
            [
                ("succeeded", value(&deliveries.succeeded)),
                ("failed", value(&deliveries.failed)),
                ("given_up", value(&deliveries.given_up)),
            ],
        ),
        Family::counter(
            "connect_webhooks_switched_off_total",
            "Webhooks that were switched off after too many failures.",
        )
        .of(value(&deliveries.switched_off)),
        Family::counter(
            "connect_images_total",
            "Images of products to copy, by outcome.",
        )
        .by(
            "result",
            [
                ("done", value(&images.done)),
                ("failed", value(&images.failed)),
                ("postponed", value(&images.postponed)),
            ],
        ),
        Family::counter("connect_mails_total", "Messages to users, by outcome.").by(
            "result",
            [
                ("sent", value(&mails.sent)),
                ("postponed", value(&mails.postponed)),
                ("dropped", value(&mails.dropped)),
            ],
        ),
    ]
}

fn value(count: &Counter) -> f64 {
    count.get() as f64
}
