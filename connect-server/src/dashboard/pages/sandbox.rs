//! The buttons of the sandbox, to simulate events in a shop.

use std::borrow::Cow;

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

/// Shows the buttons.
pub(super) async fn show(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::UseSandbox)? else {
        return Ok(shop::nowhere(to, PATH, &text!("section-sandbox")));
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
        p.hint { (text!("sandbox-about")) }
        form method="post" action=(PATH) {
            (components::hidden(&to.csrf))
            input type="hidden" name="at" value=(shop.location.id);
            (buttons(to.form.get(DAYS_AGO)))
            (clock(sandbox, to.form.get(ADVANCE_FIELD), is_alone))
        }
    };
    Ok(shop::page(
        to,
        shop,
        PATH,
        &text!("section-sandbox"),
        content,
    ))
}

/// The events to simulate: value, label and effect.
fn events() -> [(&'static str, Cow<'static, str>, Cow<'static, str>); 6] {
    [
        ("sale", text!("sandbox-sale"), text!("sandbox-sale-effect")),
        (
            "refund",
            text!("sandbox-refund"),
            text!("sandbox-refund-effect"),
        ),
        (
            "z-report",
            text!("sandbox-z-report"),
            text!("sandbox-z-report-effect"),
        ),
        (
            "order",
            text!("sandbox-order"),
            text!("sandbox-order-effect"),
        ),
        (
            "order-step",
            text!("sandbox-order-step"),
            text!("sandbox-order-step-effect"),
        ),
        ("day", text!("sandbox-day"), text!("sandbox-day-effect")),
    ]
}

/// The choices for putting the clock ahead: seconds, and label.
fn advances() -> [(&'static str, Cow<'static, str>); 5] {
    [
        ("60", text!("sandbox-by-minute")),
        ("3600", text!("sandbox-by-hour")),
        ("86400", text!("sandbox-by-day")),
        ("604800", text!("sandbox-by-week")),
        ("2678400", text!("sandbox-by-days", days = 31_u32)),
    ]
}

fn buttons(chosen: &str) -> Markup {
    let days = (2_u32..14).map(|days| (days.to_string(), text!("sandbox-days-ago", days = days)));
    html! {
        @for (value, words, effect) in events() {
            div.filter {
                button.quiet name="do" value=(value) { (words) } " "
                @if value == "day" {
                    label for="days-ago" { (text!("sandbox-day-of")) } " "
                    select id="days-ago" name=(DAYS_AGO) {
                        option value="0" { (text!("sandbox-today")) }
                        option value="1" selected[chosen == "1"] { (text!("sandbox-yesterday")) }
                        @for (days, words) in days.clone() {
                            option value=(days) selected[chosen == days] { (words) }
                        }
                    } " "
                }
                span.hint { (effect) }
            }
        }
    }
}

/// The clock, with a button to put it ahead.
/// The button is missing while the server has a live account.
fn clock(sandbox: &Sandbox, chosen: &str, is_alone: bool) -> Markup {
    let clock = sandbox.clock();
    let time = |_: &str| components::time(clock.now);
    html! {
        h2 { (text!("sandbox-clock")) }
        p {
            @if clock.ahead_by_seconds > 0 { (marked!("sandbox-time-ahead", time = time)) }
            @else { (marked!("sandbox-time", time = time)) }
        }
        @if is_alone {
            p { (text!("sandbox-advance-effect")) }
            div.filter {
                button.quiet name="do" value="clock" { (text!("sandbox-advance")) } " "
                label for="advance-by" { (text!("sandbox-advance-by")) } " "
                select id="advance-by" name=(ADVANCE_FIELD) {
                    @for (seconds, words) in advances() {
                        option value=(seconds) selected[chosen == seconds] { (words) }
                    }
                } " "
                span.hint { (text!("sandbox-advance-hint")) }
            }
        } @else {
            p.hint { (text!("sandbox-no-advance")) }
        }
    }
}

/// Simulates the chosen event, or puts the clock ahead.
pub(super) async fn act(to: &SignedIn<'_>, sandbox: &Sandbox) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::UseSandbox)? else {
        return Ok(shop::nowhere(to, PATH, &text!("section-sandbox")));
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
            return Err(Error::NotFound(Reason::new(text!("sandbox-unknown"))));
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
