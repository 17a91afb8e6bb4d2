//! The sales of a period and of the one before, read from the core.

use std::borrow::Cow;

use chrono::{NaiveDate, NaiveDateTime};
use connect_core::{
    Error, JournalBreakdown, LocationHandle, time_of_local,
    wire::{
        DailySummary, Date, Totals,
        query::{self, Moment},
    },
};

use crate::dashboard::period::{Period, Unit};

/// The sums of each hour from 0 to 23.
pub(super) type HourSums = [Totals; 24];

/// The sales of a period, and of the period before.
pub(super) struct Sales {
    pub(super) period: Period,
    pub(super) now: Totals,
    /// The sums of each day, in order.
    pub(super) days: Vec<DailySummary>,
    /// The rows of a single day, by hour.
    pub(super) day: Option<JournalBreakdown>,
    pub(super) before: Option<SalesBefore>,
}

/// The sales of the period before.
pub(super) struct SalesBefore {
    /// Its sums; of a period that has not ended, those up to the same time.
    pub(super) sums: Totals,
    is_so_far: bool,
    pub(super) days: Vec<DailySummary>,
    /// The hours of a single day, to its end.
    pub(super) hours: Option<HourSums>,
}

impl Sales {
    /// Reads a period and the one before.
    pub(super) async fn read(
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
        let day = match period.unit {
            Unit::Day => Some(records.journal_breakdown(period.range()).await?),
            Unit::Week | Unit::Month | Unit::Year => None,
        };
        Ok(Self {
            period,
            now: sum(&days),
            days,
            day,
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
        let (sums, hours) = match same_day {
            Some(same) => {
                let until = Moment::At(time_of_local(same.and_time(now.time())));
                let day = Moment::Day(same.into());
                let so_far = breakdown(records, day, until).await?;
                let whole_days = days.iter().filter(|day| NaiveDate::from(day.date) < same);
                let mut sums = sum(whole_days);
                sums.merge(&so_far.totals);
                let hours = match period.unit {
                    // The rest of the day follows, so each of its rows is read once.
                    Unit::Day => {
                        let rest = breakdown(records, until, day).await?;
                        Some(merged(so_far.hours, &rest.hours))
                    }
                    Unit::Week | Unit::Month | Unit::Year => None,
                };
                (sums, hours)
            }
            None => {
                let hours = match period.unit {
                    Unit::Day => Some(records.journal_breakdown(before.range()).await?.hours),
                    Unit::Week | Unit::Month | Unit::Year => None,
                };
                (sum(&days), hours)
            }
        };
        Ok(Self {
            sums,
            is_so_far,
            days,
            hours,
        })
    }

    /// The name of the time before, as far as it is compared.
    pub(super) fn words(&self, unit: Unit) -> Cow<'static, str> {
        match self.is_so_far {
            true => text_of!("so-far", unit.name()),
            false => text_of!("before", unit.name()),
        }
        .unwrap_or_default()
    }
}

/// Reads the journal from a moment to another.
async fn breakdown(
    records: &LocationHandle,
    from: Moment,
    to: Moment,
) -> Result<JournalBreakdown, Error> {
    let period = query::Period {
        from: Some(from),
        to: Some(to),
    };
    records.journal_breakdown(period).await
}

/// Adds the hours of two parts of a day.
fn merged(mut hours: HourSums, more: &HourSums) -> HourSums {
    for (hour, more) in hours.iter_mut().zip(more) {
        hour.merge(more);
    }
    hours
}

/// Reads the sums of each day of a period.
pub(super) async fn summaries(
    records: &LocationHandle,
    period: Period,
) -> Result<Vec<DailySummary>, Error> {
    let days: Vec<Date> = period.days().map(Date::from).collect();
    records.daily_summaries(&days).await
}

/// Adds the sums of days.
pub(super) fn sum<'d>(days: impl IntoIterator<Item = &'d DailySummary>) -> Totals {
    let mut sums = Totals::default();
    for day in days {
        sums.merge(&day.totals);
    }
    sums
}
