//! The deliveries of a webhook.

use std::borrow::Cow;

use connect_core::{Delivery, DeliveryStatus, Error, Webhook, wire::EventType};
use maud::{Markup, html};

use super::{PATH, resend_failed};
use crate::dashboard::{components, messages::problems, page_request::SignedIn};

/// The deliveries on a page.
const PAGE: usize = 25;

/// Shows the latest deliveries, or the page before a given one.
pub(super) async fn list(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Markup, Error> {
    let before = to.query.get("before").parse().ok();
    let account = to.account().id;
    // One more tells whether there is another page.
    let found = to.connect.deliveries(account, webhook.id, before, PAGE + 1);
    let found = found.await?;
    let mut pages = found.chunks(PAGE);
    let page = pages.next().unwrap_or_default();
    let is_last = pages.next().is_none();
    Ok(html! {
        @if page.is_empty() {
            @let text = match before {
                Some(_) => text!("webhooks-none-older"),
                None => text!("webhooks-none-sent"),
            };
            (components::empty(&text, html! {}))
        } @else {
            @if webhook.is_enabled() { (resend_failed::form(to, webhook)) }
            (table(to, webhook, page))
            @if let Some(last) = page.last().filter(|_| !is_last) {
                p {
                    a href={ (PATH) "/" (webhook.id) "?before=" (last.id) } {
                        (text!("webhooks-older"))
                    }
                }
            }
        }
    })
}

fn table(to: &SignedIn<'_>, webhook: &Webhook, deliveries: &[Delivery]) -> Markup {
    let head = html! {
        th { (text!("webhooks-event")) } th { (text!("webhooks-result")) }
        th { (text!("webhooks-answer")) } th { (text!("webhooks-attempts")) }
        th { span.skip { (text!("word-action")) } }
    };
    let rows = html! { @for delivery in deliveries { (row(to, webhook, delivery)) } };
    components::table(&text!("word-deliveries"), head, rows)
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
                    span.hint { (text!("webhooks-in-ms", ms = attempt.duration_ms.to_string())) }
                    @if let Some(reason) = &attempt.reason {
                        br; span.hint { (components::sentence(&problems::translated(reason))) }
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

/// The button to send a delivery again, if possible.
pub(super) fn resend(to: &SignedIn<'_>, webhook: &Webhook, delivery: &Delivery) -> Markup {
    let action = format!("{PATH}/{}/deliveries/{}/resend", webhook.id, delivery.id);
    html! {
        @if webhook.is_enabled() && delivery.status != DeliveryStatus::Pending {
            (components::form(&action, &to.csrf, html! {
                button.quiet { (text!("webhooks-resend")) }
            }))
        }
    }
}

/// The state of a delivery in a word or two.
pub(super) fn status(delivery: &Delivery) -> Markup {
    html! {
        @match delivery.status {
            DeliveryStatus::Delivered => span.tag.good { (text!("webhooks-delivered")) },
            DeliveryStatus::GivenUp => {
                span.tag.bad { (text!("webhooks-given-up")) }
                @if delivery.replaced_by.is_some() { br; span.hint { (replaced(delivery)) } }
            }
            DeliveryStatus::Pending => {
                span.tag { (text!("webhooks-waiting")) }
                @if let Some(at) = delivery.next_attempt_at {
                    br;
                    span.hint {
                        (marked!("webhooks-next-attempt", time = |_: &str| components::time(at)))
                    }
                }
            }
        }
    }
}

/// Describes the fate of an event after its delivery was given up.
fn replaced(delivery: &Delivery) -> Cow<'static, str> {
    match delivery.event_type {
        EventType::StockChanged => text!("webhooks-replaced"),
        _ => text!("webhooks-sent-again"),
    }
}
