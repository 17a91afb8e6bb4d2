//! Webhooks: listed, made, changed, tested and monitored.

mod actions;
mod deliveries;
mod delivery;
mod form;
mod resend_failed;
mod show;

use connect_core::{Error, SwitchOffReason, Webhook, WebhookHealth, wire::Id};
use maud::{Markup, html};

pub(super) use actions::{delete, disable, enable, resend, resend_failed, roll, test};
pub(super) use delivery::show as delivery;
pub(super) use form::{change, create, edit, new};
pub(super) use show::show;

use crate::dashboard::{Answer, components, layout, page_request::SignedIn};

const PATH: &str = "/dashboard/webhooks";

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.account().id;
    let webhooks = to.connect.webhooks(account).await?;
    let unsigned = to.connect.unsigned_webhooks(account).await?;
    let add = html! { a.button href="/dashboard/webhooks/new" { (text!("webhooks-create")) } };
    let content = html! {
        p.hint { (text!("webhooks-about")) }
        @if webhooks.is_empty() {
            (components::empty(&text!("webhooks-empty"), add))
        } @else {
            p { (add) }
            (table(to, &webhooks, &unsigned))
        }
    };
    Ok(layout::page(to, PATH, &text!("section-webhooks"), content))
}

fn table(
    to: &SignedIn<'_>,
    webhooks: &[(Webhook, WebhookHealth)],
    unsigned: &[Id<Webhook>],
) -> Markup {
    let head = html! {
        th { (text!("webhooks-url")) } th { (text!("word-status")) }
        th { (text!("field-events")) } th { (text!("word-locations")) }
        th { (text!("webhooks-last-success")) }
    };
    let rows = html! {
        @for (webhook, health) in webhooks {
            tr {
                td { a.wide href={ (PATH) "/" (webhook.id) } { (webhook.url) } }
                td { (state(webhook, health, unsigned.contains(&webhook.id))) }
                td { (webhook.events.len()) }
                td { (locations(to, webhook)) }
                td {
                    @match health.last_success_at {
                        Some(at) => (components::time(at)),
                        None => (text!("word-never")),
                    }
                }
            }
        }
    };
    components::table(&text!("section-webhooks"), head, rows)
}

/// The state of a webhook in a word or two.
fn state(webhook: &Webhook, health: &WebhookHealth, is_unsigned: bool) -> Markup {
    html! {
        @match &webhook.switched_off {
            Some(off) if off.reason == SwitchOffReason::Failures => {
                span.tag.bad { (text!("webhooks-switched-off")) }
            }
            Some(_) => span.tag { (text!("webhooks-off")) },
            None if is_unsigned => span.tag.bad { (text!("webhooks-waits-for-key")) },
            None if health.is_probed() => {
                span.tag.bad { (text!("webhooks-probed", count = health.failures_in_a_row)) }
            }
            None if health.failures_in_a_row > 0 => {
                span.tag.bad { (text!("webhooks-failing", count = health.failures_in_a_row)) }
            }
            None => span.tag.good { (text!("webhooks-on")) },
        }
    }
}

/// The names of the locations a webhook covers.
fn locations(to: &SignedIn<'_>, webhook: &Webhook) -> String {
    if webhook.location_ids.is_empty() {
        return text!("word-all").into_owned();
    }
    let all = to.account().locations.iter();
    let chosen = all.filter(|location| webhook.location_ids.contains(&location.id));
    let names: Vec<&str> = chosen.map(|location| &*location.name).collect();
    names.join(", ")
}
