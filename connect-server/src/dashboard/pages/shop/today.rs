//! The first page: the turnover of a period beside the period before.

use std::borrow::Cow;

use chrono::{Days, NaiveDate, NaiveDateTime};
use connect_core::{
    ArticleTotals, Error, JournalBreakdown, LocationHandle, UserRight, local_time, time_of_local,
    wire::{DailySummary, Date, Totals, query},
};
use maud::{Markup, html};

use super::{PageLocation, means, page_of_period, pairs, vat};
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
        return Ok(Answer::redirect(USAGE));
    }
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Err(components::gone());
    };
    let now = local_time(to.connect.now());
    let period = Period::of(&to.query, now.date());
    let period = period.unwrap_or_else(|| Period::around(Unit::Day, now.date()));
    let compared = Compared::read(&shop.records, period, now).await?;
    let days: Vec<Date> = period.days().map(Date::from).collect();
    let articles_of = match &compared.day {
        Some(day) => day.articles.clone(),
        None => shop.records.articles(&days).await?,
    };
    let content = html! {
        (usage::warnings(to).await?)
        (figures(&shop, &compared))
        section.card {
            h2 { (text!("today-turnover")) }
            @let chart = chart(&shop, &compared);
            @if chart.is_empty() {
                (components::empty(&text!("journal-nothing-sold-then"), html! {}))
            } @else { (chart.render()) }
        }
        div.cards {
            (details(&shop, &compared.now))
            (articles(&shop, &articles_of))
        }
        (side_by_side(to, &compared).await?)
    };
    let title = period.title();
    Ok(page_of_period(
        to,
        &shop,
        ROOT,
        &title,
        Some(period),
        content,
    ))
}

/// A period beside the period before. Of days, that is the same weekday a week before.
struct Compared {
    period: Period,
    /// Set if the period has not ended: the sums before are those up to the same time.
    is_so_far: bool,
    now: Totals,
    before: Totals,
    /// The sums of each day, in order.
    days: Vec<DailySummary>,
    days_before: Vec<DailySummary>,
    /// The rows of a single day, and of the day before.
    day: Option<JournalBreakdown>,
    day_before: Option<JournalBreakdown>,
}

impl Compared {
    async fn read(
        records: &LocationHandle,
        period: Period,
        now: NaiveDateTime,
    ) -> Result<Self, Error> {
        let before = match period.unit {
            Unit::Day => period.first.checked_sub_days(Days::new(7)),
            Unit::Week | Unit::Month | Unit::Year => period.before().map(|before| before.first),
        };
        let before = Period::around(period.unit, before.unwrap_or(period.first));
        let days = summaries(records, period).await?;
        let days_before = summaries(records, before).await?;
        let is_so_far = period.has(now.date());
        let sums_before = match is_so_far {
            true => {
                // A month may be longer than the one before.
                let offset = (now.date() - period.first).num_days().unsigned_abs();
                let same = before.first.checked_add_days(Days::new(offset));
                let same = same.unwrap_or(before.last).min(before.last);
                let whole = days_before
                    .iter()
                    .filter(|day| NaiveDate::from(day.date) < same);
                let mut sums = sum(whole);
                let until = time_of_local(same.and_time(now.time()));
                let day = query::Period {
                    from: Some(query::Moment::Day(same.into())),
                    to: Some(query::Moment::At(until)),
                };
                sums.merge(&records.journal_breakdown(day).await?.totals);
                sums
            }
            false => sum(&days_before),
        };
        let (day, day_before) = match period.unit {
            Unit::Day => (
                Some(records.journal_breakdown(period.range()).await?),
                Some(records.journal_breakdown(before.range()).await?),
            ),
            _ => (None, None),
        };
        Ok(Self {
            period,
            is_so_far,
            now: sum(&days),
            before: sums_before,
            days,
            days_before,
            day,
            day_before,
        })
    }

    /// What the period is compared with, in words.
    fn words_before(&self) -> Cow<'static, str> {
        match (self.period.unit, self.is_so_far) {
            (Unit::Day, true) => text!("before-day-so-far"),
            (Unit::Day, false) => text!("before-day"),
            (Unit::Week, true) => text!("before-week-so-far"),
            (Unit::Week, false) => text!("before-week"),
            (Unit::Month, true) => text!("before-month-so-far"),
            (Unit::Month, false) => text!("before-month"),
            (Unit::Year, true) => text!("before-year-so-far"),
            (Unit::Year, false) => text!("before-year"),
        }
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

fn figures(shop: &PageLocation, compared: &Compared) -> Markup {
    let (now, before) = (&compared.now, &compared.before);
    let words = compared.words_before();
    let money = |cents| shop.money(cents);
    let count = |count: u64| numbers::number(i64::try_from(count).unwrap_or(i64::MAX));
    let counted = |totals: &Totals| i64::try_from(totals.sales.count).unwrap_or(i64::MAX);
    html! {
        dl.figures {
            div {
                dt { (text!("today-turnover")) } dd { (money(now.net_cents)) }
                dd.hint { (change(now.net_cents, before.net_cents)) (words) ": " (money(before.net_cents)) }
            }
            div {
                dt { (text!("today-receipts")) } dd { (count(now.sales.count)) }
                dd.hint { (change(counted(now), counted(before))) (words) ": " (count(before.sales.count)) }
            }
            div {
                dt { (text!("today-average")) } dd { (money(average(now))) }
                dd.hint { (change(average(now), average(before))) (words) ": " (money(average(before))) }
            }
            div {
                dt { (text!("today-refunds")) } dd { (money(now.refunds.total_cents)) }
                dd.hint { (text!("today-refund-count", count = now.refunds.count)) }
            }
            div {
                dt { (text!("today-discounts")) } dd { (money(now.discount_cents)) }
            }
        }
    }
}

/// The amount of the average sale, in cents.
fn average(totals: &Totals) -> i64 {
    let count = i64::try_from(totals.sales.count).unwrap_or(i64::MAX);
    totals
        .sales
        .total_cents
        .checked_div(count)
        .unwrap_or_default()
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

/// The chart of a period: hours of a day, days of a week or month, months of a year.
fn chart<'c>(shop: &'c PageLocation, compared: &Compared) -> Chart<'c> {
    let days = || compared.days.iter();
    let before = |place: usize| {
        let day = compared.days_before.get(place);
        day.map_or(0, |day| day.totals.net_cents)
    };
    let (unit, bars) = match (&compared.day, &compared.day_before) {
        (Some(day), Some(before)) => (text!("today-hour"), hours(day, before)),
        _ if compared.period.unit == Unit::Year => (text!("period-month"), months(compared)),
        _ => {
            let bar = |(place, day): (usize, &DailySummary)| {
                let date = NaiveDate::from(day.date);
                Bar {
                    label: date.format("%-d").to_string(),
                    name: dates::date(date),
                    cents: day.totals.net_cents,
                    before: before(place),
                }
            };
            (text!("period-day"), days().enumerate().map(bar).collect())
        }
    };
    Chart {
        title: text!("today-turnover"),
        unit,
        series: [compared.period.title(), whole_before(compared.period.unit)],
        bars,
        currency: &shop.location.currency,
    }
}

/// The name of the whole period before, in the chart.
fn whole_before(unit: Unit) -> Cow<'static, str> {
    match unit {
        Unit::Day => text!("before-day"),
        Unit::Week => text!("before-week"),
        Unit::Month => text!("before-month"),
        Unit::Year => text!("before-year"),
    }
}

/// A bar for each hour from the first to the last with sales.
fn hours(day: &JournalBreakdown, before: &JournalBreakdown) -> Vec<Bar> {
    let both = day.hours.iter().zip(&before.hours).enumerate();
    let all: Vec<Bar> = both
        .map(|(hour, (now, before))| Bar {
            label: hour.to_string(),
            name: format!("{hour:02}:00").into(),
            cents: now.net_cents,
            before: before.net_cents,
        })
        .collect();
    let is_busy = |bar: &Bar| bar.cents != 0 || bar.before != 0;
    let first = all.iter().position(is_busy).unwrap_or(8);
    let last = all.iter().rposition(is_busy).unwrap_or(18);
    all.into_iter().take(last + 1).skip(first).collect()
}

/// A bar for each month of a year.
fn months(compared: &Compared) -> Vec<Bar> {
    let by_month = |days: &[DailySummary]| {
        let mut sums = [0_i64; 12];
        for day in days {
            let month = chrono::Datelike::month0(&NaiveDate::from(day.date)) as usize;
            if let Some(sum) = sums.get_mut(month) {
                *sum += day.totals.net_cents;
            }
        }
        sums
    };
    let sums = by_month(&compared.days)
        .into_iter()
        .zip(by_month(&compared.days_before));
    let bar = |(place, (cents, before)): (u32, (i64, i64))| {
        let first = chrono::Datelike::with_month0(&compared.period.first, place);
        Bar {
            label: (place + 1).to_string(),
            name: dates::month(first.unwrap_or(compared.period.first)),
            cents,
            before,
        }
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

/// The best and the worst articles of a period.
fn articles(shop: &PageLocation, articles: &[ArticleTotals]) -> Markup {
    let list = |articles: &[&ArticleTotals]| {
        pairs(articles.iter().map(|article| {
            let name = text!(
                "today-article",
                name = &*article.name,
                quantity = article.quantity.to_string()
            );
            (name, shop.money(article.total_cents))
        }))
    };
    let best: Vec<_> = articles.iter().take(MOST_ARTICLES).collect();
    // An article is in one list only.
    let rest = articles.len().saturating_sub(MOST_ARTICLES);
    let worst: Vec<_> = articles
        .iter()
        .rev()
        .take(rest.min(MOST_ARTICLES))
        .collect();
    html! {
        @if !best.is_empty() { section.card { h2 { (text!("today-best")) } (list(&best)) } }
        @if !worst.is_empty() { section.card { h2 { (text!("today-worst")) } (list(&worst)) } }
    }
}

/// The same period of each location, if there are several.
async fn side_by_side(to: &SignedIn<'_>, compared: &Compared) -> Result<Markup, Error> {
    let locations = to.locations(UserRight::ReadSales);
    if locations.len() < 2 {
        return Ok(html! {});
    }
    let mut rows = Vec::new();
    for location in locations {
        let access = to.session.authorize(location.id, UserRight::ReadSales)?;
        let records = to.connect.location(&access);
        let totals = sum(&summaries(&records, compared.period).await?);
        rows.push((location, totals));
    }
    let head = html! {
        th { (text!("word-location")) } th.number { (text!("today-turnover")) }
        th.number { (text!("today-receipts")) } th.number { (text!("today-average")) }
        th.number { (text!("today-refunds")) }
    };
    let body = html! {
        @for (location, totals) in &rows {
            @let money = |cents| numbers::money(cents, &location.currency);
            tr {
                td { (location.name) }
                td.number { (money(totals.net_cents)) }
                td.number { (totals.sales.count) }
                td.number { (money(average(totals))) }
                td.number { (money(totals.refunds.total_cents)) }
            }
        }
    };
    let title = text!("today-locations");
    Ok(html! { h2 { (title) } (components::table(&title, head, body)) })
}
