//! The deliveries of a webhook.

use connect_core::{
    Delivery, DeliveryStatus, Error, Webhook,
    environment::{Clock as _, SystemClock},
    wire::Id,
};
use maud::{Markup, html};

use super::PATH;
use crate::dashboard::{components, visit::SignedIn};

/// The deliveries on a page.
const PAGE: usize = 25;

/// The most deliveries that are read at once.
const MOST: usize = 200;

const DAY: i64 = 24 * 3600;

/// Shows the latest, or those before one that the address names.
pub(super) async fn list(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Markup, Error> {
    let before = to.query.get("before").parse().ok();
    let account = to.owner.account().id;
    let found = to.connect.deliveries(account, webhook.id, before, PAGE);
    let found = found.await?;
    let failed = found
        .iter()
        .any(|delivery| delivery.status == DeliveryStatus::GivenUp);
    Ok(html! {
        @if found.is_empty() {
            (components::empty(
                "Nothing was sent yet. A test is sent within a minute.",
                html! {},
            ))
        } @else {
            @if failed && webhook.is_enabled() { (resend_all(to, webhook)) }
            (table(to, webhook, &found))
            @if let Some(last) = found.last().filter(|_| found.len() == PAGE) {
                p { a href={ (PATH) "/" (webhook.id) "?before=" (last.id) } { "Older deliveries" } }
            }
        }
    })
}

fn table(to: &SignedIn<'_>, webhook: &Webhook, deliveries: &[Delivery]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Table" { table {
            thead { tr {
                th { "Event" } th { "Result" } th { "Answer" } th { "Attempts" }
                th { span.skip { "Action" } }
            } }
            tbody { @for delivery in deliveries { (row(to, webhook, delivery)) } }
        } }
    }
}

fn row(to: &SignedIn<'_>, webhook: &Webhook, delivery: &Delivery) -> Markup {
    let last = delivery.attempts.last();
    let address = format!("{PATH}/{}/deliveries/{}", webhook.id, delivery.id);
    html! {
        tr {
            td {
                a href=(address) { code { (delivery.event_type) } } br;
                span.hint { (components::time(delivery.created_at)) }
            }
            td { (status(delivery)) }
            td {
                @if let Some(attempt) = last {
                    @if let Some(code) = attempt.status_code { (code) " " }
                    span.hint { "in " (attempt.duration_ms) " ms" }
                    @if let Some(reason) = &attempt.reason {
                        br; span.hint { (components::sentence(reason)) }
                    }
                }
            }
            td { (delivery.attempts.len()) }
            td {
                (resend(to, webhook, delivery))
            }
        }
    }
}

/// The button that sends a delivery again, where that can be done.
pub(super) fn resend(to: &SignedIn<'_>, webhook: &Webhook, delivery: &Delivery) -> Markup {
    let action = format!("{PATH}/{}/deliveries/{}/resend", webhook.id, delivery.id);
    html! {
        @if webhook.is_enabled() && delivery.status != DeliveryStatus::Pending {
            (components::form(&action, &to.csrf, html! { button.quiet { "Send again" } }))
        }
    }
}

/// The state of a delivery in a word or two.
pub(super) fn status(delivery: &Delivery) -> Markup {
    html! {
        @match delivery.status {
            DeliveryStatus::Delivered => span.tag.good { "Delivered" },
            DeliveryStatus::GivenUp => span.tag.bad { "Given up" },
            DeliveryStatus::Pending => {
                span.tag { "Waiting" }
                @if let Some(at) = delivery.next_attempt_at {
                    br; span.hint { "next attempt " (components::time(at)) }
                }
            }
        }
    }
}

/// The form that sends all again that were given up.
fn resend_all(to: &SignedIn<'_>, webhook: &Webhook) -> Markup {
    let action = format!("{PATH}/{}/resend-failed", webhook.id);
    let days = [
        ("1", "of the last day"),
        ("7", "of the last 7 days"),
        ("30", "of the last 30 days"),
    ];
    components::form(
        &action,
        &to.csrf,
        html! {
            div.actions {
                label for="days" { "Deliveries that were given up" }
                select id="days" name="days" {
                    @for (value, words) in days { option value=(value) { (words) } }
                }
                button.quiet { "Send all again" }
            }
        },
    )
}

/// Sends all again that were given up in the days that were chosen. Returns their number.
pub(super) async fn resend_failed(to: &SignedIn<'_>, id: Id<Webhook>) -> Result<usize, Error> {
    let days: i64 = to.form.get("days").parse().unwrap_or(1);
    let since = SystemClock.now().plus_seconds(-days.clamp(1, 30) * DAY);
    let account = to.owner.account().id;
    let mut given_up = Vec::new();
    let mut before = None;
    loop {
        let found = to.connect.deliveries(account, id, before, MOST).await?;
        let is_recent = |delivery: &&Delivery| delivery.created_at >= since;
        let recent: Vec<_> = found.iter().filter(is_recent).collect();
        given_up.extend(
            recent
                .iter()
                .filter(|it| it.status == DeliveryStatus::GivenUp)
                .map(|it| it.id),
        );
        before = found.last().map(|last| last.id);
        if recent.len() < found.len() || found.is_empty() {
            break;
        }
    }
    // Oldest first, as they were made.
    for delivery in given_up.iter().rev() {
        to.connect.resend(account, id, *delivery).await?;
    }
    Ok(given_up.len())
}
