//! The deliveries of a webhook.

use std::borrow::Cow;

use connect_core::{
    Delivery, DeliveryPage, DeliveryStatus, Error, Reason, Webhook,
    wire::{EventType, limits::MAX_PAGE_SIZE},
};
use maud::{Markup, html};

use super::{
    PATH,
    filters::{DeliveryFilters, words},
};
use crate::dashboard::{
    Answer, components,
    messages::{dates, problems},
    page_request::{CURSOR, SignedIn},
    table::{Cell, Column, Table, Value},
};

/// The deliveries on a page.
const PAGE: usize = 25;

/// The most deliveries in a file.
const MOST_IN_FILE: usize = 100_000;

/// The field with a chosen delivery.
pub(super) const CHOSEN: &str = "delivery";

/// Shows a page of the deliveries, by filters.
pub(super) async fn list(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Markup, Error> {
    let filters = DeliveryFilters::of(to);
    let cursor = to.query.get(CURSOR);
    let before = cursor.parse().ok();
    let (account, filter) = (to.account().id, filters.of_core());
    let page = to
        .connect
        .deliveries(account, webhook.id, &filter, before, PAGE);
    let page = page.await?;
    let is_part = page.next.is_some() || before.is_some();
    let resend = format!("{PATH}/{}/resend", webhook.id);
    let is_bare = page.deliveries.is_empty() && filters.is_empty() && !is_part;
    Ok(html! {
        @if !is_bare { (filters.form(to, webhook)) }
        @if page.deliveries.is_empty() {
            (components::empty(&nothing(&page, is_part, &filters), html! {}))
        } @else if webhook.is_enabled() {
            form method="get" action=(resend) {
                (filters.hidden())
                (table(webhook, &page.deliveries).part(is_part).render(to))
                button.quiet name="of" value="chosen" { (text!("webhooks-resend-chosen")) }
            }
        } @else { (table(webhook, &page.deliveries).part(is_part).render(to)) }
        @if let Some(next) = page.next {
            p { a href=(filters.next(webhook, &next.to_string())) { (text!("webhooks-older")) } }
        }
        @if webhook.is_enabled() && !is_bare {
            p { a href=(filters.kept_by(&resend)) { (text!("webhooks-resend-period")) } }
        }
    })
}

/// Answers with a file of all deliveries that pass the filters.
///
/// # Errors
/// There are more than 100 000.
pub(super) async fn file(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Answer, Error> {
    let (account, filter) = (to.account().id, DeliveryFilters::of(to).of_core());
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = to
            .connect
            .deliveries(account, webhook.id, &filter, before, MAX_PAGE_SIZE);
        let page = page.await?;
        all.extend(page.deliveries);
        if all.len() > MOST_IN_FILE {
            let problem = text!("table-too-long", most = MOST_IN_FILE);
            return Err(Error::Invalid(Reason::new(problem)));
        }
        before = page.next;
        if before.is_none() {
            return Ok(table(webhook, &all).file(to, "deliveries"));
        }
    }
}

/// The words in place of an empty page.
fn nothing(page: &DeliveryPage, is_part: bool, filters: &DeliveryFilters) -> Cow<'static, str> {
    match page.next {
        // One page searches only a limited number of deliveries.
        Some(_) => text!("shop-nothing-so-far"),
        None if is_part => text!("webhooks-none-older"),
        None if filters.is_empty() => text!("webhooks-none-sent"),
        None => text!("webhooks-none-match"),
    }
}

fn table(webhook: &Webhook, deliveries: &[Delivery]) -> Table {
    let columns = [
        Column::action(text!("webhooks-choose")),
        Column::text("time", text!("webhooks-made")),
        Column::text("event", text!("webhooks-event")),
        Column::text("result", text!("word-result")),
        Column::number("attempts", text!("webhooks-attempts")),
        Column::number("status", text!("webhooks-answer")),
        Column::number("ms", text!("webhooks-duration")),
        Column::text("reason", text!("word-problem")),
    ];
    let path = format!("{PATH}/{}", webhook.id);
    let mut table = Table::new(&*path, text!("word-deliveries"), columns);
    for delivery in deliveries {
        let last = delivery.attempts.last();
        let address = format!("{path}/deliveries/{}", delivery.id);
        table.add([
            Cell::action(choice(webhook, delivery)),
            Cell::time(delivery.created_at),
            Cell::of(
                html! { a href=(address) { code { (delivery.event_type) } } (test_tag(delivery)) },
                Value::Text(delivery.event_type.to_string()),
            ),
            Cell::of(
                status(delivery),
                Value::Text(words(delivery.status).into_owned()),
            ),
            Cell::number(delivery.attempts.len(), delivery.attempts.len()),
            match last.and_then(|last| last.status_code) {
                Some(code) => Cell::number(code, code),
                None => Cell::empty(),
            },
            match last {
                Some(last) => {
                    let shown = text!("webhooks-ms", ms = last.duration_ms.to_string());
                    Cell::number(last.duration_ms, shown)
                }
                None => Cell::empty(),
            },
            match last.and_then(|last| last.reason.as_ref()) {
                Some(reason) => Cell::text(components::sentence(&problems::translated(reason))),
                None => Cell::empty(),
            },
        ]);
    }
    table
}

/// The check box to choose a delivery, if it can be sent again.
fn choice(webhook: &Webhook, delivery: &Delivery) -> Markup {
    let label = || {
        text!(
            "webhooks-choose-one",
            event = delivery.event_type.as_str(),
            time = dates::date_time(delivery.created_at)
        )
    };
    html! {
        @if may_resend(webhook, delivery) {
            input type="checkbox" name=(CHOSEN) value=(delivery.id) aria-label=(label());
        }
    }
}

/// Marks a test event.
pub(super) fn test_tag(delivery: &Delivery) -> Markup {
    html! { @if delivery.is_test { " " span.tag { (text!("webhooks-test-tag")) } } }
}

fn may_resend(webhook: &Webhook, delivery: &Delivery) -> bool {
    webhook.is_enabled() && delivery.status != DeliveryStatus::Pending
}

/// The button to send a delivery again, if possible.
pub(super) fn resend(to: &SignedIn<'_>, webhook: &Webhook, delivery: &Delivery) -> Markup {
    let action = format!("{PATH}/{}/deliveries/{}/resend", webhook.id, delivery.id);
    html! {
        @if may_resend(webhook, delivery) {
            (components::form(&action, &to.csrf, html! {
                button.quiet { (text!("webhooks-resend")) }
            }))
        }
    }
}

/// The state of a delivery in a word or two.
pub(super) fn status(delivery: &Delivery) -> Markup {
    let words = words(delivery.status);
    html! {
        @match delivery.status {
            DeliveryStatus::Delivered => span.tag.good { (words) },
            DeliveryStatus::GivenUp => {
                span.tag.bad { (words) }
                @if delivery.replaced_by.is_some() { br; span.hint { (replaced(delivery)) } }
            }
            DeliveryStatus::Pending => {
                span.tag { (words) }
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
        EventType::StockChanged if !delivery.is_test => text!("webhooks-replaced"),
        _ => text!("webhooks-sent-again"),
    }
}
