//! The counts of the core.

use connect_core::environment::{Count, Figures};
use prometheus::proto::MetricFamily;

use super::family::Family;

/// Returns the counts of the core.
pub(super) fn families(figures: &Figures) -> Vec<MetricFamily> {
    let (limited, deliveries) = (&figures.limited, &figures.deliveries);
    let images = &figures.images;
    vec![
        Family::counter(
            "connect_store_commits_total",
            "Commits of the core, by how they ended. Most conflicts are made again at once.",
        )
        .by(
            "result",
            [
                ("done", value(&figures.commits)),
                ("conflict", value(&figures.conflicts)),
                ("failed", value(&figures.failed_commits)),
            ],
        ),
        Family::counter(
            "connect_store_failed_reads_total",
            "Reads that the store did not answer.",
        )
        .of(value(&figures.failed_reads)),
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
        .of(value(&figures.limit_reached)),
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
    ]
}

fn value(count: &Count) -> f64 {
    count.get() as f64
}
