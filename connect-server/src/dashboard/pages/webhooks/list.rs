//! The webhooks of an account with their health.

use connect_core::{AttemptStats, Error, Webhook};
use futures_util::future;
use maud::{Markup, html};

use super::{
    PATH,
    health::{self, WatchedWebhook},
};
use crate::dashboard::{
    Answer, components, layout,
    page_request::SignedIn,
    table::{self, Cell, Column, Table, Value},
};

/// The deliveries looked at for numbers in the list.
const LOOKED_AT: usize = 100;

/// The webhooks looked at together.
const AT_ONCE: usize = 4;

/// Shows the list.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.account().id;
    let webhooks = to.connect.webhooks(account).await?;
    let unsigned = to.connect.unsigned_webhooks(account).await?;
    let mut stats = Vec::with_capacity(webhooks.len());
    for some in webhooks.chunks(AT_ONCE) {
        let some = some
            .iter()
            .map(|(webhook, _)| to.connect.delivery_stats(account, webhook.id, LOOKED_AT));
        stats.extend(future::try_join_all(some).await?);
    }
    let watched = webhooks.into_iter().zip(stats);
    let watched = watched.map(|((webhook, health), stats)| WatchedWebhook {
        is_unsigned: unsigned.contains(&webhook.id),
        webhook,
        health,
        stats,
    });
    let watched: Vec<_> = watched.collect();
    let table = table(to, &watched);
    if table::is_file(to) {
        return Ok(table.file(to, "webhooks").await);
    }
    let add = html! { a.button href="/dashboard/webhooks/new" { (text!("webhooks-create")) } };
    let content = html! {
        p.hint { (text!("webhooks-about")) }
        @if watched.is_empty() {
            (components::empty(&text!("webhooks-empty"), add))
        } @else {
            p { (add) }
            (table.render(to))
        }
    };
    Ok(layout::page(to, PATH, &text!("section-webhooks"), content))
}

fn table(to: &SignedIn<'_>, webhooks: &[WatchedWebhook]) -> Table {
    let columns = [
        Column::text("url", text!("webhooks-url")),
        Column::text("status", text!("word-status")),
        Column::number("events", text!("field-events")),
        Column::text("locations", text!("word-locations")),
        Column::text("success", text!("webhooks-last-success")),
        Column::text("failure", text!("webhooks-last-failure")),
        Column::number("day", text!("webhooks-day")),
        Column::number("week", text!("webhooks-week")),
        Column::number("median", text!("webhooks-median")),
        Column::number("waiting", text!("webhooks-waiting")),
    ];
    let mut table = Table::new(PATH, text!("section-webhooks"), columns);
    for watched in webhooks {
        let WatchedWebhook {
            webhook,
            health,
            stats,
            ..
        } = watched;
        let address = format!("{PATH}/{}", webhook.id);
        let never = text!("word-never");
        table.add([
            Cell::of(
                html! { a.wide href=(address) { (webhook.url) } },
                Value::Text(webhook.url.clone()),
            ),
            status(watched),
            Cell::number(webhook.events.len(), webhook.events.len()),
            Cell::text(locations(to, webhook)),
            Cell::time_or(health.last_success_at, &never),
            Cell::time_or(health.last_failure_at, &never),
            share(&stats.day),
            share(&stats.week),
            match stats.week.median_ms {
                Some(ms) => Cell::number(ms, text!("webhooks-ms", ms = ms.to_string())),
                None => Cell::empty(),
            },
            Cell::number(stats.waiting, health::waiting(stats)),
        ]);
    }
    table
}

/// The state of a webhook, with the time of the first of its failures.
fn status(watched: &WatchedWebhook) -> Cell {
    let (tag, words) = health::state(watched);
    let shown: Markup = html! {
        (tag)
        @if let Some(since) = watched.failing_since() {
            br;
            span.hint {
                (marked!("webhooks-since", time = |_: &str| components::time(since)))
            }
        }
    };
    Cell::of(shown, Value::Text(words.into_owned()))
}

fn share(stats: &AttemptStats) -> Cell {
    match health::percent(stats) {
        Some(percent) => {
            let attempts = stats.attempts;
            let share = text!("webhooks-share", percent = percent, count = attempts);
            Cell::number(percent, share)
        }
        None => Cell::empty(),
    }
}

/// The names of the locations a webhook covers.
pub(super) fn locations(to: &SignedIn<'_>, webhook: &Webhook) -> String {
    if webhook.location_ids.is_empty() {
        return text!("word-all").into_owned();
    }
    let all = to.account().locations.iter();
    let chosen = all.filter(|location| webhook.location_ids.contains(&location.id));
    let names: Vec<&str> = chosen.map(|location| &*location.name).collect();
    names.join(", ")
}
