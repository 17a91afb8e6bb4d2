//! The first page: turnover of a period beside the period before.

mod figures;
mod locations;
mod parts;
mod sales;
mod turnover;

use connect_core::{Error, SoldArticles, UserRight, local_time, wire::Date};
use maud::html;

use self::sales::Sales;
use super::{PageLocation, page_of_period, stock};
use crate::dashboard::{
    Answer, components,
    page_request::SignedIn,
    pages::usage,
    period::{Period, Unit},
    sections::{ROOT, USAGE},
};

/// Shows the period named by the address, or today.
/// Users without a right to sales go to what the account uses.
pub(crate) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    if to.locations(UserRight::ReadSales).is_empty() {
        let query = to.query.query();
        let mark = if query.is_empty() { "" } else { "?" };
        return Ok(Answer::redirect(&format!("{USAGE}{mark}{query}")));
    }
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Err(components::gone());
    };
    let now = local_time(to.connect.now());
    let period = Period::of(&to.query, now.date());
    let period = period.unwrap_or_else(|| Period::around(Unit::Day, now.date()));
    let sales = Sales::read(&shop.records, period, now).await?;
    let sold = match &sales.day {
        Some(day) => SoldArticles {
            articles: day.articles.clone(),
            missing_days: 0,
        },
        None => {
            let days: Vec<Date> = period.days().map(Date::from).collect();
            shop.records.articles(&days).await?
        }
    };
    let chart = turnover::chart(&shop, &sales);
    let content = html! {
        (usage::warnings(to).await?)
        (figures::figures(&shop, &sales))
        section.card {
            h2 { (text!("word-turnover")) }
            @if chart.is_empty() {
                (components::empty(&text!("journal-nothing-sold-then"), html! {}))
            } @else { (chart.render()) }
        }
        div.cards {
            (stock::low_card(&shop).await?)
            (parts::details(&shop, &sales.now))
            (parts::articles(&shop, &sold))
        }
        (locations::side_by_side(to, period).await?)
    };
    Ok(page_of_period(
        to,
        &shop,
        ROOT,
        &period.title(),
        Some(period),
        &[],
        content,
    ))
}
