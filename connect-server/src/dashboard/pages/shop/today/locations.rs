//! The same period of each location, side by side.

use std::borrow::Cow;

use connect_core::{AccountLocation, Error, UserRight, wire::Totals};
use maud::{Markup, html};

use super::{
    figures::{average, count},
    sales::{sum, summaries},
};
use crate::dashboard::{
    chart::{Bars, NamedAmount},
    components,
    messages::numbers,
    page_request::SignedIn,
    period::Period,
};

/// Reads and shows the locations of the user, if there are several.
pub(super) async fn side_by_side(to: &SignedIn<'_>, period: Period) -> Result<Markup, Error> {
    let locations = to.locations(UserRight::ReadSales);
    if locations.len() < 2 {
        return Ok(html! {});
    }
    let mut rows = Vec::new();
    for location in locations {
        let access = to.session.authorize(location.id, UserRight::ReadSales)?;
        let records = to.connect.location(&access);
        let totals = sum(&summaries(&records, period).await?);
        rows.push((location, totals));
    }
    Ok(html! {
        h2 { (text!("today-locations")) }
        section.card { @for chart in charts(&rows) { (chart.render_plain()) } }
        (table(&rows))
    })
}

/// A chart for each currency.
/// Amounts in two of them have no common scale.
fn charts<'c>(rows: &[(&'c AccountLocation, Totals)]) -> Vec<Bars<'c>> {
    let mut currencies: Vec<&'c str> = Vec::new();
    for (location, _) in rows {
        if !currencies.contains(&&*location.currency) {
            currencies.push(&location.currency);
        }
    }
    let is_alone = currencies.len() == 1;
    let chart = |currency: &'c str| {
        let of_currency = rows.iter().filter(|(at, _)| at.currency == currency);
        let amounts = of_currency.map(|(location, totals)| NamedAmount {
            name: Cow::from(&*location.name),
            cents: totals.net_cents,
        });
        let title = match is_alone {
            true => text!("word-turnover"),
            false => text!("today-turnover-in", currency = currency),
        };
        let headings = [text!("word-location"), title.clone()];
        Bars::new(title, headings, amounts, currency)
    };
    currencies.into_iter().map(chart).collect()
}

fn table(rows: &[(&AccountLocation, Totals)]) -> Markup {
    let head = html! {
        th { (text!("word-location")) } th.number { (text!("word-turnover")) }
        th.number { (text!("word-receipts")) } th.number { (text!("today-average")) }
        th.number { (text!("today-refunds")) }
    };
    let body = html! {
        @for (location, totals) in rows {
            @let money = |cents| numbers::money(cents, &location.currency);
            tr {
                td { (location.name) }
                td.number { (money(totals.net_cents)) }
                td.number { (numbers::number(count(totals))) }
                td.number { (money(average(totals))) }
                td.number { (money(totals.refunds.total_cents)) }
            }
        }
    };
    components::table(&text!("today-locations"), head, body)
}
