//! The opening hours of a simulated day.

use chrono::{Days, NaiveDateTime, NaiveTime, TimeDelta};
use connect_core::{local_time, wire::Timestamp};

/// The opening hour, in local time.
const OPENS: u32 = 9;

/// The closing hour, in local time.
const CLOSES: u32 = 19;

/// The least seconds of trade.
/// If the shop has been open for less today, its hours start at midnight.
const LEAST: i64 = 600;

/// The opening hours of a shop on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hours {
    pub(super) opens: Timestamp,
    pub(super) closes: Timestamp,
}

impl Hours {
    /// Returns the hours of a past day: 9 to 19.
    /// They end at `now` at the latest.
    pub(super) fn of(days_ago: u8, now: Timestamp) -> Self {
        let today = local_time(now).date();
        let day = today.checked_sub_days(Days::new(days_ago.into()));
        let at = |hour: u32| {
            let time = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default();
            at_local(day.unwrap_or(today).and_time(time), now)
        };
        let closes = at(CLOSES).min(now);
        let opens = at(OPENS);
        let is_open_long = closes.seconds() - opens.seconds() >= LEAST;
        Self {
            opens: if is_open_long { opens } else { at(0) },
            closes,
        }
    }

    /// Returns the time after `number` of `all` parts of the hours.
    pub(super) fn part(self, number: usize, all: usize) -> Timestamp {
        let whole = self.closes.micros() - self.opens.micros();
        let part = whole / i64::try_from(all.max(1)).unwrap_or(1);
        let number = i64::try_from(number).unwrap_or(0);
        self.opens.plus_micros(part.saturating_mul(number))
    }
}

/// Converts local time to a timestamp. Searches from `near` on.
fn at_local(shown: NaiveDateTime, near: Timestamp) -> Timestamp {
    let mut at = near;
    // The second round corrects for a clock change in between.
    for _ in 0..2 {
        let away: TimeDelta = shown - local_time(at);
        at = at.plus_micros(away.num_microseconds().unwrap_or(0));
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_day_is_that_of_the_location_and_does_not_reach_into_the_next_or_the_future() {
        for (days_ago, now, opens, closes) in [
            // In the evening the day is over.
            (
                0,
                "2026-11-22T20:00:00Z",
                "2026-11-22T08:00:00Z",
                "2026-11-22T18:00:00Z",
            ),
            (
                0,
                "2026-11-22T12:30:00Z",
                "2026-11-22T08:00:00Z",
                "2026-11-22T12:30:00Z",
            ),
            // Half past one at night: today has begun, and yesterday is over.
            (
                0,
                "2026-11-22T00:30:00Z",
                "2026-11-21T23:00:00Z",
                "2026-11-22T00:30:00Z",
            ),
            (
                0,
                "2026-11-22T08:05:00Z",
                "2026-11-21T23:00:00Z",
                "2026-11-22T08:05:00Z",
            ),
            (
                1,
                "2026-11-22T00:30:00Z",
                "2026-11-21T08:00:00Z",
                "2026-11-21T18:00:00Z",
            ),
            (
                3,
                "2026-07-02T12:00:00Z",
                "2026-06-29T07:00:00Z",
                "2026-06-29T17:00:00Z",
            ),
            // The clocks were set back since.
            (
                2,
                "2026-10-26T12:00:00Z",
                "2026-10-24T07:00:00Z",
                "2026-10-24T17:00:00Z",
            ),
            (
                1,
                "2026-03-29T12:00:00Z",
                "2026-03-28T08:00:00Z",
                "2026-03-28T18:00:00Z",
            ),
        ] {
            let hours = Hours::of(days_ago, time(now));
            let expected = Hours {
                opens: time(opens),
                closes: time(closes),
            };
            assert_eq!(hours, expected, "{days_ago} days before {now}");
        }
    }

    #[test]
    fn the_parts_of_the_hours_are_within_them() {
        let hours = Hours::of(0, time("2026-11-22T20:00:00Z"));
        assert_eq!(hours.part(0, 60), hours.opens);
        assert_eq!(hours.part(30, 60), time("2026-11-22T13:00:00Z"));
        assert_eq!(hours.part(60, 60), hours.closes);
        let midnight = time("2026-11-21T23:00:00Z");
        let none = Hours::of(0, midnight);
        assert_eq!((none.part(59, 60), none.closes), (midnight, midnight));
    }
}
