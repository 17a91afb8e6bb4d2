//! The first page: turnover of a period beside the period before.

use std::borrow::Cow;

use chrono::{Datelike as _, NaiveDate, NaiveDateTime};
use connect_core::{
    ArticleTotals, Error, JournalBreakdown, LocationHandle, SoldArticles, UserRight, local_time,
    time_of_local,
    wire::{DailySummary, Date, Totals, query},
};
use maud::{Markup, html};

use super::{PageLocation, means, page_of_period, pairs, stock, vat};
use crate::dashboard::{
    Answer,
    chart::{Bar, Chart},
    components,
    messages::{dates, numbers},
    page_request::SignedIn,
    pages::usage,
    period::{Period, Unit},
    sections::{ROOT, USAGE},
};

/// The most articles in each of the lists of the best and the worst.
const MOST_ARTICLES: usize = 5;

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
    let chart = chart(&shop, &sales);
    let content = html! {
        (usage::warnings(to).await?)
        (figures(&shop, &sales))
        section.card {
            h2 { (text!("word-turnover")) }
            @if chart.is_empty() {
                (components::empty(&text!("journal-nothing-sold-then"), html! {}))
            } @else { (chart.render()) }
        }
        div.cards {
            (stock::low_card(&shop).await?)
            (details(&shop, &sales.now))
            (articles(&shop, &sold))
        }
        (side_by_side(to, period).await?)
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

/// The sales of a period, and of the period before.
struct Sales {
    period: Period,
    now: Totals,
    /// The sums of each day, in order.
    days: Vec<DailySummary>,
    /// The rows of a single day, by hour.
    day: Option<JournalBreakdown>,
    before: Option<SalesBefore>,
}

/// The sales of the period before.
struct SalesBefore {
    /// Its sums; of a period that has not ended, those up to the same time.
    sums: Totals,
    is_so_far: bool,
    days: Vec<DailySummary>,
    day: Option<JournalBreakdown>,
}

impl Sales {
    async fn read(
        records: &LocationHandle,
        period: Period,
        now: NaiveDateTime,
    ) -> Result<Self, Error> {
        let days = summaries(records, period).await?;
        // There is nothing to compare with a time to come.
        let before = period.compared().filter(|_| period.first <= now.date());
        let before = match before {
            Some(before) => Some(SalesBefore::read(records, period, before, now).await?),
            None => None,
        };
        Ok(Self {
            period,
            now: sum(&days),
            days,
            day: by_hour(records, period).await?,
            before,
        })
    }
}

impl SalesBefore {
    async fn read(
        records: &LocationHandle,
        period: Period,
        before: Period,
        now: NaiveDateTime,
    ) -> Result<Self, Error> {
        let days = summaries(records, before).await?;
        let is_so_far = period.has(now.date());
        let same_day = period.same_day_before(now.date()).filter(|_| is_so_far);
        let sums = match same_day {
            Some(same) => {
                let until = time_of_local(same.and_time(now.time()));
                let of_day = query::Period {
                    from: Some(query::Moment::Day(same.into())),
                    to: Some(query::Moment::At(until)),
                };
                let whole = days.iter().filter(|day| NaiveDate::from(day.date) < same);
                let mut sums = sum(whole);
                sums.merge(&records.journal_breakdown(of_day).await?.totals);
                sums
            }
            None => sum(&days),
        };
        Ok(Self {
            sums,
            is_so_far,
            days,
            day: by_hour(records, before).await?,
        })
    }

    /// The name of the time before, as far as it is compared.
    fn words(&self, unit: Unit) -> Cow<'static, str> {
        match self.is_so_far {
            true => text_of!("so-far", unit.name()),
            false => text_of!("before", unit.name()),
        }
        .unwrap_or_default()
    }
}

/// Reads the hours of a single day.
async fn by_hour(
    records: &LocationHandle,
    period: Period,
) -> Result<Option<JournalBreakdown>, Error> {
    match period.unit {
        Unit::Day => Ok(Some(records.journal_breakdown(period.range()).await?)),
        Unit::Week | Unit::Month | Unit::Year => Ok(None),
    }
}

/// Reads the sums of each day of a period.
async fn summaries(records: &LocationHandle, period: Period) -> Result<Vec<DailySummary>, Error> {
    let days: Vec<Date> = period.days().map(Date::from).collect();
    records.daily_summaries(&days).await
}

fn sum<'d>(days: impl IntoIterator<Item = &'d DailySummary>) -> Totals {
    let mut sums = Totals::default();
    for day in days {
        sums.merge(&day.totals);
    }
    sums
}

fn figures(shop: &PageLocation, sales: &Sales) -> Markup {
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
fn count(totals: &Totals) -> i64 {
    i64::try_from(totals.sales.count).unwrap_or(i64::MAX)
}

/// The amount of the average sale, in cents.
fn average(totals: &Totals) -> i64 {
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

/// The chart: hours of a day, days of a week or month, months of a year.
fn chart<'c>(shop: &'c PageLocation, sales: &Sales) -> Chart<'c> {
    let unit = sales.period.unit;
    let before = sales.before.as_ref();
    let days_before = before.map_or(&[][..], |before| &before.days);
    let (name, bars) = match (&sales.day, unit) {
        (Some(day), _) => {
            let before = before.and_then(|before| before.day.as_ref());
            (text!("today-hour"), hours(day, before))
        }
        (None, Unit::Year) => (text!("period-month"), months(sales, days_before)),
        (None, _) => (text!("period-day"), days(&sales.days, days_before)),
    };
    Chart {
        title: text!("word-turnover"),
        unit: name,
        series: [
            sales.period.title(),
            text_of!("before", unit.name()).unwrap_or_default(),
        ],
        bars,
        currency: &shop.location.currency,
    }
}

/// A bar for each day.
fn days(days: &[DailySummary], before: &[DailySummary]) -> Vec<Bar> {
    let bar = |(place, day): (usize, &DailySummary)| {
        let date = NaiveDate::from(day.date);
        Bar {
            label: date.day().to_string(),
            name: dates::date(date),
            cents: day.totals.net_cents,
            before: before.get(place).map_or(0, |day| day.totals.net_cents),
        }
    };
    days.iter().enumerate().map(bar).collect()
}

/// A bar for each hour from the first to the last with sales.
fn hours(day: &JournalBreakdown, before: Option<&JournalBreakdown>) -> Vec<Bar> {
    let bar = |(hour, now): (usize, &Totals)| {
        let before = before.and_then(|before| before.hours.get(hour));
        Bar {
            label: hour.to_string(),
            name: format!("{hour:02}:00").into(),
            cents: now.net_cents,
            before: before.map_or(0, |before| before.net_cents),
        }
    };
    let all: Vec<Bar> = day.hours.iter().enumerate().map(bar).collect();
    let is_busy = |bar: &Bar| bar.cents != 0 || bar.before != 0;
    let first = all.iter().position(is_busy).unwrap_or_default();
    let last = all.iter().rposition(is_busy).unwrap_or_default();
    all.into_iter().take(last + 1).skip(first).collect()
}

/// A bar for each month of a year.
fn months(sales: &Sales, days_before: &[DailySummary]) -> Vec<Bar> {
    let by_month = |days: &[DailySummary]| {
        let mut sums = [0_i64; 12];
        for day in days {
            let month = NaiveDate::from(day.date).month0() as usize;
            if let Some(sum) = sums.get_mut(month) {
                *sum += day.totals.net_cents;
            }
        }
        sums
    };
    let sums = by_month(&sales.days).into_iter().zip(by_month(days_before));
    let year = sales.period.first;
    let bar = |(place, (cents, before)): (u32, (i64, i64))| Bar {
        label: (place + 1).to_string(),
        name: dates::month(year.with_month0(place).unwrap_or(year)),
        cents,
        before,
    };
    (0..).zip(sums).map(bar).collect()
}

/// The means of payment and the VAT.
fn details(shop: &PageLocation, totals: &Totals) -> Markup {
    html! {
        @if !totals.payments.is_empty() {
            section.card {
                h2 { (text!("shop-payments")) }
                (pairs(totals.payments.iter().map(|total| {
                    (means(&total.method), shop.money(total.amount_cents))
                })))
            }
        }
        @if !totals.vat.is_empty() { section.card { (vat(shop, &totals.vat)) } }
    }
}

/// The articles with the highest and the lowest turnover.
fn articles(shop: &PageLocation, sold: &SoldArticles) -> Markup {
    let list = |articles: &[&ArticleTotals]| {
        pairs(articles.iter().map(|article| {
            let quantity = numbers::quantity(article.quantity);
            let name = text!("today-article", name = &*article.name, quantity = quantity);
            (name, shop.money(article.total_cents))
        }))
    };
    let all = &sold.articles;
    let best = all.iter().take(MOST_ARTICLES);
    let best: Vec<_> = best.filter(|of| of.total_cents > 0).collect();
    // An article is in one list only.
    let rest = all.len().saturating_sub(best.len());
    let worst: Vec<_> = all.iter().rev().take(rest.min(MOST_ARTICLES)).collect();
    html! {
        @if sold.missing_days > 0 {
            p.warning role="status" { (text!("today-missing-days", days = sold.missing_days)) }
        }
        @if !best.is_empty() { section.card { h2 { (text!("today-best")) } (list(&best)) } }
        @if !worst.is_empty() { section.card { h2 { (text!("today-worst")) } (list(&worst)) } }
    }
}

/// The same period of each location, if there are several.
async fn side_by_side(to: &SignedIn<'_>, period: Period) -> Result<Markup, Error> {
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
    let head = html! {
        th { (text!("word-location")) } th.number { (text!("word-turnover")) }
        th.number { (text!("word-receipts")) } th.number { (text!("today-average")) }
        th.number { (text!("today-refunds")) }
    };
    let body = html! {
        @for (location, totals) in &rows {
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
    let title = text!("today-locations");
    Ok(html! { h2 { (title) } (components::table(&title, head, body)) })
}
