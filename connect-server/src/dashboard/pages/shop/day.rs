//! The totals of a day, with a chart of the days before.

use chrono::{Days, NaiveDate};
use connect_core::{
    Error, UserRight, local_time,
    wire::{DailySummary, Date},
};
use maud::{Markup, html};

use super::{AT, PageLocation, chart, means, nowhere, page, pairs, vat};
use crate::dashboard::{Answer, page_request::SignedIn};

const PATH: &str = "/dashboard/day";

/// The days of the chart, the day itself included.
const DAYS: u64 = 14;

/// Shows the day named by the address, or today.
pub(crate) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, "Day"));
    };
    let today = local_time(to.connect.now()).date();
    let day: NaiveDate = to.query.get("date").parse().unwrap_or(today);
    let before = (0..DAYS).rev();
    let days = before.filter_map(|before| day.checked_sub_days(Days::new(before)));
    let days: Vec<Date> = days.map(Date::from).collect();
    let days = shop.records.daily_summaries(&days).await?;
    let content = html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for="date" { "Day" }
            input id="date" name="date" type="date" value=(day);
            button.quiet { "Show" }
        }
        @if let Some(summary) = days.last() { (sums(&shop, summary)) }
        h2 { "The last " (DAYS) " days" }
        (chart::bars(&shop, &days))
    };
    let title = day.format("%A, %-d %B %Y").to_string();
    Ok(page(to, &shop, PATH, &title, content))
}

fn sums(shop: &PageLocation, summary: &DailySummary) -> Markup {
    let totals = &summary.totals;
    html! {
        dl.figures {
            div { dt { "Net" } dd { (shop.money(totals.net_cents)) } }
            div { dt { "Sales" } dd { (totals.sales.count) } }
            div { dt { "Refunds" } dd { (totals.refunds.count) } }
            div { dt { "Discounts" } dd { (shop.money(totals.discount_cents)) } }
        }
        div.columns {
            @if !totals.payments.is_empty() {
                div {
                    h2 { "Payments" }
                    (pairs(totals.payments.iter().map(|total| {
                        (means(&total.method), shop.money(total.amount_cents))
                    })))
                }
            }
            div { (vat(shop, &totals.vat)) }
        }
    }
}
