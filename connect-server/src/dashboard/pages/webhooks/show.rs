//! The page of one webhook.

use connect_core::{
    Error, Reason, Webhook,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

use super::{
    PATH, deliveries,
    health::{self, WatchedWebhook},
    list::locations,
    switched_off, test_event,
};
use crate::dashboard::{
    Answer, components, layout, page_request::SignedIn, pages::activity::changes_line,
    table::is_file,
};

/// The deliveries looked at for the numbers of the page.
const LOOKED_AT: usize = 5_000;

/// Shows the page.
pub(crate) async fn show(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    page(to, components::id(id)?, None).await
}

/// Makes the page, with the problem of a refused action.
pub(super) async fn page(
    to: &SignedIn<'_>,
    id: Id<Webhook>,
    refused: Option<&Reason>,
) -> Result<Answer, Error> {
    let account = to.account().id;
    let (webhook, health) = to.connect.webhook_with_health(account, id).await?;
    if is_file(to) {
        return deliveries::file(to, &webhook).await;
    }
    let unsigned = to.connect.unsigned_webhooks(account).await?;
    let watched = WatchedWebhook {
        stats: to.connect.delivery_stats(account, id, LOOKED_AT).await?,
        is_unsigned: unsigned.contains(&id),
        webhook,
        health,
    };
    let webhook = &watched.webhook;
    let waiting = watched.stats.waiting;
    let warning = match &webhook.switched_off {
        Some(off) => switched_off::warning(to, webhook, off, waiting).await?,
        None => warning(&watched),
    };
    let content = html! {
        (components::problem(refused, &[test_event::EVENT]))
        (warning)
        (facts(to, &watched))
        div.actions { (actions(to, webhook, waiting)) }
        @if webhook.is_enabled() { (test_event::form(to, webhook, refused)) }
        (changes_line(to, id, &webhook.url))
        h2 { (text!("webhooks-recent")) }
        (deliveries::list(to, webhook).await?)
    };
    Ok(layout::page(to, PATH, &webhook.url, content))
}

/// The warning about a webhook that is on, if there is one.
fn warning(of: &WatchedWebhook) -> Markup {
    html! {
        @if of.is_unsigned { p.warning { (text!("webhooks-unsigned")) } }
        @else if let Some(next) = of.health.next_probe() { (probed(next)) }
    }
}

fn probed(next: Timestamp) -> Markup {
    let time = |_: &str| components::time(next);
    html! { p.warning { (marked!("webhooks-next-probe", time = time)) } }
}

fn facts(to: &SignedIn<'_>, of: &WatchedWebhook) -> Markup {
    let webhook = &of.webhook;
    html! {
        dl.facts {
            dt { (text!("word-status")) } dd { (health::state(of).0) " " (health::sentence(of)) }
            dt { (text!("field-events")) }
            dd { @for kind in &webhook.events { code { (kind) } " " } }
            dt { (text!("word-locations")) } dd { (locations(to, webhook)) }
            (health::facts(of))
            dt { (text!("overview-id")) } dd { code { (webhook.id) } }
        }
    }
}

fn actions(to: &SignedIn<'_>, webhook: &Webhook, waiting: usize) -> Markup {
    let at = |action: &str| format!("{PATH}/{}/{action}", webhook.id);
    let button = |action: &str, words: &str| {
        components::form(&at(action), &to.csrf, html! { button.quiet { (words) } })
    };
    html! {
        @if webhook.is_enabled() {
            (button("disable", &text!("webhooks-switch-off")))
        } @else if waiting == 0 {
            (button("enable", &text!("webhooks-switch-on")))
        } @else {
            (button("enable", &text!("webhooks-switch-on-and-send")))
            (components::confirmed(
                &text!("webhooks-switch-on-without-open"),
                &text!("webhooks-switch-on-without-short"),
                &text!("webhooks-switch-on-without-consequence"),
                components::form(&at("enable"), &to.csrf, html! {
                    input type="hidden" name="waiting" value="drop";
                    button.danger { (text!("webhooks-switch-on-without")) }
                }),
            ))
        }
        a.button.quiet href=(at("edit")) { (text!("webhooks-change")) }
        (components::confirmed(
            &text!("webhooks-roll-open"),
            &text!("webhooks-roll-open"),
            &text!("webhooks-roll-consequence"),
            button("roll", &text!("webhooks-roll")),
        ))
        (components::confirmed(
            &text!("webhooks-delete-open"),
            &text!("webhooks-delete-open"),
            &text!("webhooks-delete-consequence"),
            components::form(&at("delete"), &to.csrf, html! {
                button.danger { (text!("webhooks-delete")) }
            }),
        ))
    }
}
