//! The time zone of every location, and the days in it.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

use crate::wire::{
    Date, Timestamp,
    query::{Moment, Period},
    read::Invalid,
};

/// The only supported time zone.
const ZONE: Tz = Tz::Europe__Amsterdam;

/// The name of the time zone.
pub(crate) fn name() -> &'static str {
    ZONE.name()
}

/// Converts a time to the local time of every location.
pub fn local_time(time: Timestamp) -> NaiveDateTime {
    time.to_utc().with_timezone(&ZONE).naive_local()
}

/// Converts a local time of every location to a timestamp.
/// A local time shown twice gives the first one. A skipped one gives the time when the clocks were set
/// forward.
pub fn time_of_local(local: NaiveDateTime) -> Timestamp {
    const MINUTES_OF_A_DAY: i64 = 1440;
    let at = |minute| local.checked_add_signed(TimeDelta::minutes(minute));
    let first = (0..MINUTES_OF_A_DAY).filter_map(at);
    let mut first = first.filter_map(|at| ZONE.from_local_datetime(&at).earliest());
    let time = first
        .next()
        .map_or(local.and_utc(), |at| at.with_timezone(&Utc));
    Timestamp::from_micros(time.timestamp_micros())
}

/// The first moment of a day.
/// On two days of the last century the clock was set forward at midnight: they began later.
fn start_of(day: NaiveDate) -> Timestamp {
    time_of_local(day.and_time(NaiveTime::MIN))
}

/// The day of a moment.
pub(crate) fn day_of(time: Timestamp) -> Date {
    time.to_utc().with_timezone(&ZONE).date_naive().into()
}

/// The first moment after a day.
fn end_of(day: Date) -> Timestamp {
    day.naive().succ_opt().map_or(Timestamp::MAX, start_of)
}

/// The first moment of a period, and the first after it.
///
/// # Errors
/// It begins later than it ends.
pub(crate) fn times(period: &Period) -> Result<(Option<Timestamp>, Option<Timestamp>), Invalid> {
    let from = period.from.map(|from| match from {
        Moment::Day(day) => start_of(day.naive()),
        Moment::At(time) => time,
    });
    let (to, is_backwards) = match period.to {
        None => (None, false),
        // A period of a single moment is empty; a period ending in a day must include some of it.
        Some(Moment::At(time)) => (Some(time), from.is_some_and(|from| from > time)),
        Some(Moment::Day(day)) => {
            let end = end_of(day);
            (Some(end), from.is_some_and(|from| from >= end))
        }
    };
    if is_backwards {
        return Err(Invalid::new("from", "must not be later than to"));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: &str, to: &str) -> Period {
        let moment = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        Period {
            from: moment(from),
            to: moment(to),
        }
    }

    fn time(text: &str) -> Option<Timestamp> {
        (!text.is_empty()).then(|| text.parse().unwrap())
    }

    #[test]
    fn a_time_of_the_clocks_leads_back_to_itself() {
        for (local, expected) in [
            ("2026-11-20T09:15:30", "2026-11-20T08:15:30Z"),
            ("2026-07-01T00:00:00", "2026-06-30T22:00:00Z"),
            // A repeated time gives the first; a skipped one gives the change of the clock.
            ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
            ("2026-03-29T02:30:00", "2026-03-29T01:00:00Z"),
        ] {
            let local: NaiveDateTime = local.parse().unwrap();
            let found = time_of_local(local);
            assert_eq!(Some(found), time(expected), "{local}");
            let is_never = local.to_string() == "2026-03-29 02:30:00";
            assert_eq!(local_time(found) == local, !is_never);
        }
    }

    #[test]
    fn days_are_those_of_the_location() {
        for (day, from, to, hours) in [
            (
                "2026-11-20",
                "2026-11-19T23:00:00Z",
                "2026-11-20T23:00:00Z",
                24,
            ),
            (
                "2026-07-01",
                "2026-06-30T22:00:00Z",
                "2026-07-01T22:00:00Z",
                24,
            ),
            // The clock is set forward, and back.
            (
                "2026-03-29",
                "2026-03-28T23:00:00Z",
                "2026-03-29T22:00:00Z",
                23,
            ),
            (
                "2026-10-25",
                "2026-10-24T22:00:00Z",
                "2026-10-25T23:00:00Z",
                25,
            ),
        ] {
            let (start, end) = times(&period(day, day)).unwrap();
            assert_eq!((start, end), (time(from), time(to)), "{day}");
            let length = end.unwrap().seconds() - start.unwrap().seconds();
            assert_eq!(length, hours * 3600, "{day}");
        }
    }

    #[test]
    fn a_day_has_its_moments_and_no_other() {
        for day in [
            "0001-01-01",
            "1937-07-01",
            "2026-03-29",
            "2026-10-25",
            "2026-11-20",
            "9999-12-30",
        ] {
            let day = day.parse::<Date>().unwrap();
            let (start, end) = (start_of(day.naive()), end_of(day));
            let last = end.plus_micros(-1);
            assert_eq!((day_of(start), day_of(last)), (day, day));
            let before = day_of(start.plus_micros(-1)).naive();
            assert_eq!(before.succ_opt(), Some(day.naive()));
            assert_eq!(Some(day_of(end).naive()), day.naive().succ_opt());
        }
    }

    #[test]
    fn every_day_begins_where_the_one_before_ended() {
        // In the second and third case, a day began an hour late or had two midnights.
        for first in [
            "0001-01-01",
            "1916-04-28",
            "1914-11-05",
            "2099-12-29",
            "9999-12-27",
        ] {
            let first = first.parse::<Date>().unwrap().naive();
            let mut last = start_of(first);
            for day in first.iter_days().take(5) {
                let (start, end) = (start_of(day), end_of(day.into()));
                assert!(start == last && start < end, "{day}");
                last = end;
            }
        }
    }

    #[test]
    fn a_period_ends_with_a_day_or_before_a_time() {
        for (from, to, starts, ends) in [
            ("", "", "", ""),
            ("2026-11-20", "", "2026-11-19T23:00:00Z", ""),
            ("", "2026-11-20", "", "2026-11-20T23:00:00Z"),
            ("", "2026-11-20T09:00:00Z", "", "2026-11-20T09:00:00Z"),
            (
                "2026-11-20T09:00:00+01:00",
                "2026-11-20T08:00:00Z",
                "2026-11-20T08:00:00Z",
                "2026-11-20T08:00:00Z",
            ),
            // Within the day at its end.
            (
                "2026-11-20T22:59:59Z",
                "2026-11-20",
                "2026-11-20T22:59:59Z",
                "2026-11-20T23:00:00Z",
            ),
        ] {
            let expected = Ok((time(starts), time(ends)));
            assert_eq!(times(&period(from, to)), expected, "{from} to {to}");
        }
        for (from, to) in [
            ("2026-11-21", "2026-11-20"),
            ("2026-11-20T23:00:00Z", "2026-11-20"),
            ("2026-11-20T09:00:00.000001Z", "2026-11-20T09:00:00Z"),
            ("2026-11-20", "2026-11-19T22:59:59Z"),
        ] {
            let refused = times(&period(from, to)).unwrap_err().to_string();
            assert!(refused.contains("from"), "{from} to {to}: {refused}");
        }
    }

    #[test]
    fn clocks_show_the_time_of_the_location() {
        assert_eq!(name(), "Europe/Amsterdam");
        for (at, shown) in [
            ("2026-11-20T12:00:00Z", "2026-11-20T13:00:00"),
            ("2026-07-01T22:30:00Z", "2026-07-02T00:30:00"),
        ] {
            let time = local_time(at.parse().unwrap());
            assert_eq!(time, shown.parse().unwrap(), "{at}");
        }
    }
}
