//! The page of one webhook.

use connect_core::{
    Error, MOST_WAITING_COUNTED, Reason, SwitchOffReason, SwitchedOff, Webhook, WebhookHealth,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

use super::{PATH, deliveries, locations, state};
use crate::dashboard::{
    Answer, components, layout, page_request::SignedIn, pages::activity::changes_line,
};

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
    let unsigned = to.connect.unsigned_webhooks(account).await?;
    let is_unsigned = unsigned.contains(&id);
    let waiting = match webhook.is_enabled() {
        true => 0,
        false => to.connect.waiting_events(account, id).await?,
    };
    let content = html! {
        (components::problem(refused, &[]))
        @if let Some(off) = &webhook.switched_off { (switched_off(off, waiting)) }
        @else if is_unsigned { (waits_for_key()) }
        @else if let Some(next) = health.next_probe() { (probed(next)) }
        (facts(to, &webhook, &health, is_unsigned))
        div.actions { (actions(to, &webhook, waiting)) }
        (changes_line(to, id, &webhook.url))
        h2 { (text!("webhooks-recent")) }
        (deliveries::list(to, &webhook).await?)
    };
    Ok(layout::page(to, PATH, &webhook.url, content))
}

fn switched_off(off: &SwitchedOff, waiting: usize) -> Markup {
    let time = |_: &str| components::time(off.at);
    let reason = match off.reason {
        SwitchOffReason::Failures => marked!("webhooks-off-by-failures", time = time),
        SwitchOffReason::Owner => marked!("webhooks-off-by-owner", time = time),
    };
    let waiting = match waiting {
        0 => text!("webhooks-none-wait"),
        MOST_WAITING_COUNTED.. => text!("webhooks-more-wait", count = MOST_WAITING_COUNTED - 1),
        some => text!("webhooks-some-wait", count = some),
    };
    html! { p.warning { (reason) " " (waiting) } }
}

fn waits_for_key() -> Markup {
    html! { p.warning { (text!("webhooks-unsigned")) } }
}

fn probed(next: Timestamp) -> Markup {
    let time = |_: &str| components::time(next);
    html! { p.warning { (marked!("webhooks-next-probe", time = time)) } }
}

fn facts(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    health: &WebhookHealth,
    is_unsigned: bool,
) -> Markup {
    html! {
        dl.facts {
            dt { (text!("word-status")) } dd { (state(webhook, health, is_unsigned)) }
            dt { (text!("field-events")) }
            dd { @for kind in &webhook.events { code { (kind) } " " } }
            dt { (text!("word-locations")) } dd { (locations(to, webhook)) }
            dt { (text!("webhooks-last-success")) } dd { (moment(health.last_success_at)) }
            dt { (text!("webhooks-last-failure")) } dd { (moment(health.last_failure_at)) }
            dt { (text!("overview-id")) } dd { code { (webhook.id) } }
        }
    }
}

fn moment(at: Option<Timestamp>) -> Markup {
    html! { @match at { Some(at) => (components::time(at)), None => (text!("word-never")) } }
}

fn actions(to: &SignedIn<'_>, webhook: &Webhook, waiting: usize) -> Markup {
    let at = |action: &str| format!("{PATH}/{}/{action}", webhook.id);
    let button = |action: &str, words: &str| {
        components::form(&at(action), &to.csrf, html! { button.quiet { (words) } })
    };
    html! {
        @if webhook.is_enabled() {
            (button("test", &text!("webhooks-test")))
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
