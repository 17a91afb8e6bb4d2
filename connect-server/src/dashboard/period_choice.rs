//! The choice of a period in a form.

use connect_core::local_time;
use maud::{Markup, html};

use super::{
    page_request::SignedIn,
    period::{DATE, Period, UNIT, Unit},
};

/// The fields for the length of a period and for one of its days.
/// `None` is all time, a choice of its own if `has_all`.
pub(super) fn fields(to: &SignedIn<'_>, period: Option<Period>, has_all: bool) -> Markup {
    let today = local_time(to.connect.now()).date();
    // A day of the period, for the choice of another length.
    let day = period.map(|period| match to.query.get(DATE).parse() {
        Ok(asked) if period.has(asked) => asked,
        _ if period.has(today) => today,
        _ => period.first,
    });
    html! {
        label.hidden for=(UNIT) { (text!("period")) }
        select id=(UNIT) name=(UNIT) {
            @if has_all { option value="" selected[period.is_none()] { (text!("period-all")) } }
            @for unit in Unit::ALL {
                option value=(unit.name()) selected[period.is_some_and(|it| it.unit == unit)] {
                    (text_of!("period", unit.name()).unwrap_or_default())
                }
            }
        }
        label.hidden for=(DATE) { (text!("period-day")) }
        input id=(DATE) name=(DATE) type="date" value=[day];
    }
}

/// The links to the periods before and after, up to today.
pub(super) fn neighbors(
    to: &SignedIn<'_>,
    period: Option<Period>,
    address: impl Fn(Period) -> String,
) -> Markup {
    let today = local_time(to.connect.now()).date();
    let after = period.and_then(Period::after);
    html! {
        @if let Some(before) = period.and_then(Period::before) {
            a.button.quiet href=(address(before)) { (text!("period-before")) }
        }
        @if let Some(after) = after.filter(|after| after.first <= today) {
            a.button.quiet href=(address(after)) { (text!("period-after")) }
        }
    }
}
