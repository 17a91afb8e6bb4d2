//! Dates and times as people write them.

use std::borrow::Cow;

use chrono::{Datelike as _, NaiveDate};
use connect_core::{local_time, wire::Timestamp};
/// Writes a time in the time zone of the locations, such as `2 Jul 2026, 00:30`.
pub(in crate::dashboard) fn date_time(time: Timestamp) -> Cow<'static, str> {
    let local = local_time(time);
    let clock = local.format("%H:%M").to_string();
    text!("date-time", date = date(local.date()), time = clock)
}

/// Writes a day, such as `2 Jul 2026`.
pub(in crate::dashboard) fn date(date: NaiveDate) -> Cow<'static, str> {
    let (day, year) = (date.day().to_string(), date.year().to_string());
    text!("date", day = day, month = date.month(), year = year)
}

/// Writes a day with its weekday, such as `Thursday, 2 July 2026`.
pub(in crate::dashboard) fn long_date(date: NaiveDate) -> Cow<'static, str> {
    let weekday = date.weekday().number_from_monday();
    let (day, year) = (date.day().to_string(), date.year().to_string());
    text!(
        "date-long",
        weekday = weekday,
        day = day,
        month = date.month(),
        year = year
    )
}

/// Writes a month, such as `July 2026`.
pub(in crate::dashboard) fn month(date: NaiveDate) -> Cow<'static, str> {
    text!(
        "date-month",
        month = date.month(),
        year = date.year().to_string()
    )
}

#[cfg(test)]
mod tests {
    use connect_core::Language;

    use super::*;
    use crate::dashboard::messages::READER;

    #[test]
    fn times_are_those_of_the_location_in_the_words_of_the_reader() {
        let summer = "2026-07-01T22:30:00Z".parse().unwrap();
        let day = local_time(summer).date();
        for (language, expected) in [
            (
                Language::En,
                ["2 Jul 2026, 00:30", "Thursday, 2 July 2026", "July 2026"],
            ),
            (
                Language::Nl,
                ["2 jul 2026, 00:30", "donderdag 2 juli 2026", "juli 2026"],
            ),
        ] {
            READER.sync_scope(language, || {
                assert_eq!([date_time(summer), long_date(day), month(day)], expected);
            });
        }
    }
}
