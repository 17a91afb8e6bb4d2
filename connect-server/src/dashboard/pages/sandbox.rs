//! The buttons of the sandbox: what happens in a shop, simulated.

use connect_core::{Error, Reason};
use maud::{Markup, html};

use crate::{
    dashboard::{
        Answer, components,
        notices::{self, Notice},
        pages::shop::{self, Shop},
        visit::SignedIn,
    },
    sandbox::{Place, Sandbox, Simulated, Simulation, days_ago},
};

const PATH: &str = "/dashboard/sandbox";

/// The buttons: value, words, and what happens.
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

/// The times by which the clock is put ahead: seconds, and words.
const ADVANCES: &[(&str, &str)] = &[
    ("60", "a minute"),
    ("3600", "an hour"),
    ("86400", "a day"),
    ("604800", "a week"),
    ("2678400", "31 days"),
];

/// Shows the buttons.
pub(super) async fn show(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(shop::nowhere(to, PATH, "Sandbox"));
    };
    let content = html! {
        p.hint {
            "Nothing here is real. Each button does what a shop would do, with all that follows: sums, \
             stock, events and webhooks."
        }
        form method="post" action=(PATH) {
            (components::hidden(&to.csrf))
            input type="hidden" name="at" value=(shop.location.id);
            (buttons())
            (clock(sandbox))
        }
    };
    Ok(shop::page(to, &shop, PATH, "Sandbox", content))
}

fn buttons() -> Markup {
    html! {
        @for (value, words, about) in BUTTONS {
            p {
                button.quiet name="do" value=(value) { (words) } " "
                @if *value == "day" {
                    label for="days-ago" { "of" } " "
                    select id="days-ago" name="daysAgo" {
                        option value="0" { "today" }
                        option value="1" { "yesterday" }
                        @for days in 2..14 { option value=(days) { (days) " days ago" } }
                    } " "
                }
                span.hint { (about) }
            }
        }
    }
}

/// The clock, and the button that puts it ahead.
fn clock(sandbox: &Sandbox) -> Markup {
    let clock = sandbox.clock();
    html! {
        h2 { "The clock" }
        p {
            "Here it is " (components::time(clock.now))
            @if clock.ahead_by_seconds > 0 { ", ahead of the day outside" }
            ". Put ahead, tokens and sessions expire, retries of webhooks come due, and days end. It \
             does not go back."
        }
        p {
            button.quiet name="do" value="clock" { "Put the clock ahead" } " "
            label for="advance-by" { "by" } " "
            select id="advance-by" name="advanceBySeconds" {
                @for (seconds, words) in ADVANCES { option value=(seconds) { (words) } }
            } " "
            span.hint { "For all shops of this server. After a week you have to sign in again." }
        }
    }
}

/// Simulates what was chosen, or puts the clock ahead.
pub(super) async fn act(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(shop::nowhere(to, PATH, "Sandbox"));
    };
    let account = to.owner.account().id;
    let what = match to.form.get("do") {
        "clock" => {
            let seconds = to.form.get("advanceBySeconds").parse().ok();
            sandbox.advance(account, seconds).await?;
            let path = notices::at(&shop.at(PATH), Notice::ClockAdvanced);
            return Ok(Answer::redirect(&path));
        }
        "sale" => Simulation::Sale,
        "refund" => Simulation::Refund,
        "z-report" => Simulation::ZReport,
        "order" => Simulation::Order,
        "order-step" => Simulation::OrderStep,
        "day" => Simulation::Day(days_ago(to.form.get("daysAgo"))?),
        _ => {
            let problem = "nothing of this name is simulated; use the buttons of the page";
            return Err(Error::NotFound(Reason::new(problem)));
        }
    };
    let place = Place {
        account,
        location: shop.location.id,
    };
    let notice = match sandbox.simulate(place, what).await? {
        Simulated::Transaction(_) => Notice::SimulatedReceipt,
        Simulated::ZReport(_) => Notice::SimulatedClosing,
        Simulated::Order(_) => Notice::SimulatedOrder,
        Simulated::Day(_) => Notice::SimulatedDay,
    };
    Ok(Answer::redirect(&notices::at(&shop.at(PATH), notice)))
}
