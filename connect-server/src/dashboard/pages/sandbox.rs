//! The buttons of the sandbox, to simulate events in a shop.

use connect_core::{Error, Reason, UserRight};
use maud::{Markup, html};

use super::shop::{self, PageLocation};
use crate::{
    dashboard::{
        Answer, components,
        notices::{self, Notice},
        page_request::SignedIn,
    },
    sandbox::{ADVANCE_FIELD, Sandbox, SandboxLocation, Simulated, Simulation, days_ago},
    telemetry::audit::Action,
};

const PATH: &str = "/dashboard/sandbox";

/// The field with the day to simulate.
const DAYS_AGO: &str = "daysAgo";

/// The buttons: value, label and effect.
const BUTTONS: &[(&str, &str, &str)] = &[
    ("sale", "Sell something", "A register writes a sale."),
    (
        "refund",
        "Take the last sale back",
        "The register writes a refund.",
    ),
    (
        "z-report",
        "Close the register",
        "The register writes a Z report.",
    ),
    ("order", "Order something", "A kiosk makes an order."),
    (
        "order-step",
        "Move an order on",
        "The order that is furthest on its way takes a step.",
    ),
    (
        "day",
        "A day of trade",
        "Sales, refunds and orders from 9 to 19, today up to now, and a Z report.",
    ),
];

/// The choices for putting the clock ahead: seconds, and label.
const ADVANCES: &[(&str, &str)] = &[
    ("60", "a minute"),
    ("3600", "an hour"),
    ("86400", "a day"),
    ("604800", "a week"),
    ("2678400", "31 days"),
];

/// Shows the buttons.
pub(super) async fn show(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::UseSandbox)? else {
        return Ok(shop::nowhere(to, PATH, "Sandbox"));
    };
    page(to, sandbox, &shop, None).await
}

/// Makes the page, with the last choice and its problem if refused.
async fn page(
    to: &SignedIn<'_>,
    sandbox: &Sandbox,
    shop: &PageLocation,
    refused: Option<&Reason>,
) -> Result<Answer, Error> {
    let is_alone = !sandbox.has_live_account().await?;
    let content = html! {
        (components::problem(refused, &[]))
        p.hint {
            "Nothing here is real. Each button acts as a shop would, with all consequences: sums, \
             stock, events and webhooks."
        }
        form method="post" action=(PATH) {
            (components::hidden(&to.csrf))
            input type="hidden" name="at" value=(shop.location.id);
            (buttons(to.form.get(DAYS_AGO)))
            (clock(sandbox, to.form.get(ADVANCE_FIELD), is_alone))
        }
    };
    Ok(shop::page(to, shop, PATH, "Sandbox", content))
}

fn buttons(chosen: &str) -> Markup {
    let days = (2..14).map(|days| (days.to_string(), format!("{days} days ago")));
    html! {
        @for (value, words, about) in BUTTONS {
            div.filter {
                button.quiet name="do" value=(value) { (words) } " "
                @if *value == "day" {
                    label for="days-ago" { "of" } " "
                    select id="days-ago" name=(DAYS_AGO) {
                        option value="0" { "today" }
                        option value="1" selected[chosen == "1"] { "yesterday" }
                        @for (days, words) in days.clone() {
                            option value=(days) selected[chosen == days] { (words) }
                        }
                    } " "
                }
                span.hint { (about) }
            }
        }
    }
}

/// The clock, with a button to put it ahead.
/// The button is missing while the server has a live account.
fn clock(sandbox: &Sandbox, chosen: &str, is_alone: bool) -> Markup {
    let clock = sandbox.clock();
    html! {
        h2 { "The clock" }
        p {
            "Here it is " (components::time(clock.now))
            @if clock.ahead_by_seconds > 0 { ", ahead of the real time" }
            "."
        }
        @if is_alone {
            p {
                "Put ahead, tokens and sessions expire, retries of webhooks come due, and days end. It \
                 does not go back."
            }
            div.filter {
                button.quiet name="do" value="clock" { "Put the clock ahead" } " "
                label for="advance-by" { "by" } " "
                select id="advance-by" name=(ADVANCE_FIELD) {
                    @for (seconds, words) in ADVANCES {
                        option value=(seconds) selected[chosen == *seconds] { (words) }
                    }
                } " "
                span.hint { "For all shops of this server. After a week you have to sign in again." }
            }
        } @else {
            p.hint {
                "It cannot be put ahead: this server has a live account, whose time would move too."
            }
        }
    }
}

/// Simulates the chosen event, or puts the clock ahead.
pub(super) async fn act(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::UseSandbox)? else {
        return Ok(shop::nowhere(to, PATH, "Sandbox"));
    };
    let acted = async {
        let notice = done(to, sandbox, &shop).await?;
        let (object, action) = Action::UseSandbox.parts();
        to.connect
            .note_action(Some(to.account().id), object, action)
            .await?;
        Ok(notice)
    };
    match acted.await {
        Ok(notice) => Ok(Answer::redirect(&notices::at(&shop.at(PATH), notice))),
        Err(error) => {
            let form = async |reason: &Reason| page(to, sandbox, &shop, Some(reason)).await;
            components::again(error, form).await
        }
    }
}

async fn done(to: &SignedIn<'_>, sandbox: &Sandbox, shop: &PageLocation) -> Result<Notice, Error> {
    let account = to.account().id;
    let what = match to.form.get("do") {
        "clock" => {
            let seconds = to.form.get(ADVANCE_FIELD).parse().ok();
            sandbox.advance(account, seconds).await?;
            return Ok(Notice::ClockAdvanced);
        }
        "sale" => Simulation::Sale,
        "refund" => Simulation::Refund,
        "z-report" => Simulation::ZReport,
        "order" => Simulation::Order,
        "order-step" => Simulation::OrderStep,
        "day" => Simulation::Day(days_ago(to.form.get(DAYS_AGO))?),
        _ => {
            let problem = "there is no simulation of this name; use the buttons of the page";
            return Err(Error::NotFound(Reason::new(problem)));
        }
    };
    let place = SandboxLocation {
        account,
        location: shop.location.id,
    };
    Ok(match sandbox.simulate(place, what).await? {
        Simulated::Transaction(_) => Notice::SimulatedReceipt,
        Simulated::ZReport(_) => Notice::SimulatedClosing,
        Simulated::Order(_) => Notice::SimulatedOrder,
        Simulated::Day(_) => Notice::SimulatedDay,
    })
}
