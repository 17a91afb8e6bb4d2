//! The chart of turnover, each bar beside the one before.

use chrono::{Datelike as _, NaiveDate};
use connect_core::wire::{DailySummary, Totals};

use super::sales::{HourSums, Sales};
use crate::dashboard::{
    chart::{Bar, Chart},
    messages::dates,
    pages::shop::PageLocation,
    period::Unit,
};

/// The chart: hours of a day, days of a week or month, months of a year.
pub(super) fn chart<'c>(shop: &'c PageLocation, sales: &Sales) -> Chart<'c> {
    let unit = sales.period.unit;
    let before = sales.before.as_ref();
    let days_before = before.map_or(&[][..], |before| &before.days);
    let (name, bars) = match (&sales.day, unit) {
        (Some(day), _) => {
            let before = before.and_then(|before| before.hours.as_ref());
            (text!("today-hour"), hours(&day.hours, before))
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

/// A bar for each hour between first and last sale.
fn hours(day: &HourSums, before: Option<&HourSums>) -> Vec<Bar> {
    let bar = |(hour, now): (usize, &Totals)| {
        let before = before.and_then(|before| before.get(hour));
        Bar {
            label: hour.to_string(),
            name: format!("{hour:02}:00").into(),
            cents: now.net_cents,
            before: before.map_or(0, |before| before.net_cents),
        }
    };
    let all: Vec<Bar> = day.iter().enumerate().map(bar).collect();
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
