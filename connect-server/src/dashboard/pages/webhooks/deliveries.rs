//! The deliveries of a webhook.

use std::borrow::Cow;

use connect_core::{
    Delivery, DeliveryStatus, Error, Webhook,
    wire::{EventType, Page},
};
use maud::{Markup, html};

use super::{
    PATH,
    filters::{DeliveryFilters, words},
};
use crate::dashboard::{
    Answer, components,
    messages::{dates, problems},
    page_request::SignedIn,
    table::{self, Cell, Column, Table, Value},
};

/// The deliveries on a page.
const PAGE: usize = 25;

/// The field with a chosen delivery.
pub(super) const CHOSEN: &str = "delivery";

/// Shows a page of the deliveries, by filters.
pub(super) async fn list(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Markup, Error> {
    let filters = DeliveryFilters::of(to);
    let page = find(to, webhook, &filters).await?;
    let next = page.next_cursor.as_deref();
    let is_part = table::is_part(to, next);
    let resend = format!("{PATH}/{}/resend", webhook.id);
    let is_bare = page.data.is_empty() && filters.is_empty() && !is_part;
    let table = table(to, webhook, &page.data).part(is_part);
    Ok(html! {
        @if !is_bare { (filters.form(to, webhook)) }
        @if page.data.is_empty() {
            (components::empty(&nothing(&page, is_part, &filters), html! {}))
        } @else if webhook.is_enabled() {
            form method="get" action=(resend) {
                (filters.hidden())
                (table.render(to))
                button.quiet name="of" value="chosen" { (text!("webhooks-resend-chosen")) }
            }
        } @else { (table.render(to)) }
        @if let Some(next) = next {
            p { a href=(filters.next(webhook, next)) { (text!("webhooks-older")) } }
        }
        @if webhook.is_enabled() && !is_bare {
            p { a href=(filters.kept_by(&resend)) { (text!("webhooks-resend-period")) } }
        }
    })
}

/// Answers with a file of all deliveries that pass the filters.
///
/// # Errors
/// There are too many.
pub(super) async fn file(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Answer, Error> {
    let all = find(to, webhook, &DeliveryFilters::of(to)).await?;
    let table = table(to, webhook, &all.data);
    Ok(table.file(to, "deliveries").await)
}

/// Finds a page of deliveries by filters, or all for a file.
async fn find(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    filters: &DeliveryFilters,
) -> Result<Page<Delivery>, Error> {
    let (connect, account, filter) = (&to.connect, to.account().id, &filters.of_core());
    let limit = table::limit(to).unwrap_or(PAGE);
    let found = table::rows(to, |cursor| async move {
        let before = cursor.and_then(|cursor| cursor.parse().ok());
        let page = connect.deliveries(account, webhook.id, filter, before, limit);
        Ok(page.await?.into())
    });
    found.await
}

/// The words in place of an empty page.
fn nothing(page: &Page<Delivery>, is_part: bool, filters: &DeliveryFilters) -> Cow<'static, str> {
    match page.next_cursor {
        // One page searches only a limited number of deliveries.
        Some(_) => text!("shop-nothing-so-far"),
        None if is_part => text!("webhooks-none-older"),
        None if filters.is_empty() => text!("webhooks-none-sent"),
        None => text!("webhooks-none-match"),
    }
}

fn table(to: &SignedIn<'_>, webhook: &Webhook, deliveries: &[Delivery]) -> Table {
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
    let mut table =
        Table::new(&*path, text!("word-deliveries"), columns).for_file(table::is_file(to));
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

/// The check box of a delivery fit to be sent again.
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
