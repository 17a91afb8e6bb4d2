//! The page of one webhook.

use connect_core::{
    Error, MOST_WAITING_COUNTED, Reason, SwitchOffReason, SwitchedOff, Webhook, WebhookHealth,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

use super::{PATH, deliveries, locations, state};
use crate::dashboard::{Answer, components, layout, page_request::SignedIn};

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
        h2 { "Recent deliveries" }
        (deliveries::list(to, &webhook).await?)
    };
    Ok(layout::page(to, PATH, &webhook.url, content))
}

fn switched_off(off: &SwitchedOff, waiting: usize) -> Markup {
    html! {
        p.warning {
            @match off.reason {
                SwitchOffReason::Failures => {
                    "Switched off on " (components::time(off.at)) " after 50 failed attempts in a row. \
                     Fix the endpoint, then switch the webhook on."
                }
                SwitchOffReason::Owner => {
                    "You switched it off on " (components::time(off.at)) "."
                }
            }
            @match waiting {
                0 => " Events that happen while it is off wait for up to 30 days.",
                MOST_WAITING_COUNTED.. => {
                    " More than " (MOST_WAITING_COUNTED - 1) " events wait, for up to 30 days."
                }
                1 => " One event waits, for up to 30 days.",
                some => { " " (some) " events wait, for up to 30 days." }
            }
        }
    }
}

fn waits_for_key() -> Markup {
    html! {
        p.warning {
            "The service cannot read the secret of this webhook, as the key for it is missing. Deliveries wait; \
             none is lost. They are sent once the operator of the service has brought the key back. If it is \
             lost, roll the secret, and give the new one to the receiver at once: the deliveries are sent then."
        }
    }
}

fn probed(next: Timestamp) -> Markup {
    html! {
        p.warning {
            "The webhook is probed: one attempt a minute until one succeeds, the next at "
            (components::time(next)) " or when a delivery is due after that. Its other deliveries wait, and \
             are sent after the success."
        }
    }
}

fn facts(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    health: &WebhookHealth,
    is_unsigned: bool,
) -> Markup {
    html! {
        dl.facts {
            dt { "Status" } dd { (state(webhook, health, is_unsigned)) }
            dt { "Events" }
            dd { @for kind in &webhook.events { code { (kind) } " " } }
            dt { "Locations" } dd { (locations(to, webhook)) }
            dt { "Last success" } dd { (moment(health.last_success_at)) }
            dt { "Last failure" } dd { (moment(health.last_failure_at)) }
            dt { "ID" } dd { code { (webhook.id) } }
        }
    }
}

fn moment(at: Option<Timestamp>) -> Markup {
    html! { @match at { Some(at) => (components::time(at)), None => "Never" } }
}

fn actions(to: &SignedIn<'_>, webhook: &Webhook, waiting: usize) -> Markup {
    let at = |action: &str| format!("{PATH}/{}/{action}", webhook.id);
    let button = |action: &str, words: &str| {
        components::form(&at(action), &to.csrf, html! { button.quiet { (words) } })
    };
    html! {
        @if webhook.is_enabled() {
            (button("test", "Send test event"))
            (button("disable", "Switch off"))
        } @else if waiting == 0 {
            (button("enable", "Switch on"))
        } @else {
            (button("enable", "Switch on and send waiting events"))
            (components::confirmed(
                "Switch on without waiting events…",
                "Switch on without…",
                "Waiting events are dropped. They stay in the event feed, and each can be sent \
                 again.",
                components::form(&at("enable"), &to.csrf, html! {
                    input type="hidden" name="waiting" value="drop";
                    button.danger { "Switch on without waiting events" }
                }),
            ))
        }
        a.button.quiet href=(at("edit")) { "Edit" }
        (components::confirmed(
            "Roll secret…",
            "Roll secret…",
            "Deliveries are signed with the new secret, and for 24 hours with the one before as well.",
            button("roll", "Roll secret"),
        ))
        (components::confirmed(
            "Delete webhook…",
            "Delete webhook…",
            "Deliveries that are waiting are not sent. This cannot be undone.",
            components::form(&at("delete"), &to.csrf, html! { button.danger { "Delete webhook" } }),
        ))
    }
}
