//! The figures of a period, each with its change.

use connect_core::wire::Totals;
use maud::{Markup, html};

use super::sales::Sales;
use crate::dashboard::{messages::numbers, pages::shop::PageLocation};

/// Shows the figures.
pub(super) fn figures(shop: &PageLocation, sales: &Sales) -> Markup {
    let now = &sales.now;
    let money = |cents| shop.money(cents);
    let beside = |figure: fn(&Totals) -> i64, written: &dyn Fn(i64) -> String| {
        html! {
            @if let Some(before) = &sales.before {
                @let amount = figure(&before.sums);
                dd.hint {
                    (change(figure(now), amount)) (before.words(sales.period.unit)) ": "
                    (written(amount))
                }
            }
        }
    };
    html! {
        dl.figures {
            div {
                dt { (text!("word-turnover")) } dd { (money(now.net_cents)) }
                (beside(|sums| sums.net_cents, &money))
            }
            div {
                dt { (text!("word-receipts")) } dd { (numbers::number(count(now))) }
                (beside(count, &numbers::number))
            }
            div {
                dt { (text!("today-average")) } dd { (money(average(now))) }
                (beside(average, &money))
            }
            div {
                dt { (text!("today-refunds")) } dd { (money(now.refunds.total_cents)) }
                dd.hint { (text!("today-refund-count", count = now.refunds.count)) }
            }
            div { dt { (text!("today-discounts")) } dd { (money(now.discount_cents)) } }
        }
    }
}

/// The number of sales.
pub(super) fn count(totals: &Totals) -> i64 {
    i64::try_from(totals.sales.count).unwrap_or(i64::MAX)
}

/// The amount of the average sale, in cents.
pub(super) fn average(totals: &Totals) -> i64 {
    let sold = totals.sales.total_cents;
    sold.checked_div(count(totals)).unwrap_or_default()
}

/// The change in percent, if there is an amount to compare with.
fn change(now: i64, before: i64) -> Markup {
    if before <= 0 {
        return html! {};
    }
    let percent = (now as f64 - before as f64) / before as f64 * 100.0;
    let rounded = percent.round() as i64;
    html! {
        @match rounded {
            1.. => span.up { "+" (numbers::number(rounded)) "\u{A0}% " },
            0 => span { "0\u{A0}% " },
            _ => span.down { (numbers::number(rounded)) "\u{A0}% " },
        }
    }
}
