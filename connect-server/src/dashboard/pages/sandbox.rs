//! The buttons of the sandbox: what happens in a shop, simulated.

use connect_core::Error;
use maud::{Markup, html};

use crate::{
    dashboard::{
        Answer, components,
        notices::{self, Notice},
        pages::shop::{self, Shop},
        visit::SignedIn,
    },
    sandbox::{Place, Sandbox, Simulated, Simulation},
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
        "Ten hours of sales, refunds and orders, and a Z report.",
    ),
];

/// Shows the buttons.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
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

/// Simulates what was chosen.
pub(super) async fn act(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(shop::nowhere(to, PATH, "Sandbox"));
    };
    let what = match to.form.get("do") {
        "sale" => Simulation::Sale,
        "refund" => Simulation::Refund,
        "z-report" => Simulation::ZReport,
        "order" => Simulation::Order,
        "order-step" => Simulation::OrderStep,
        _ => Simulation::Day(to.form.get("daysAgo").parse().unwrap_or(0)),
    };
    let place = Place {
        account: to.owner.account().id,
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
