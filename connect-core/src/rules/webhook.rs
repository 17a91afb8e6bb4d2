//! Rules of webhook deliveries: when a failed one is tried again, and when a webhook is switched off
//! (specification: Events).

use crate::wire::{
    Timestamp,
    limits::{MAX_WEBHOOK_FAILURES, PROBE_SECONDS, PROBED_AFTER},
};

/// The seconds after a failed attempt until the next one: 1 min, 5 min, 30 min, 2 h, 6 h and 24 h.
const RETRIES: [i64; 6] = [60, 300, 1_800, 7_200, 21_600, 86_400];

/// The longest time between two attempts, in seconds.
pub(crate) const LONGEST_RETRY: i64 = RETRIES[RETRIES.len() - 1];

/// The number of failed attempts in a row that switches a webhook off.
pub(crate) const MAX_FAILURES: u32 = MAX_WEBHOOK_FAILURES;

/// Returns how many attempts may be under way after so many failures in a row, where `most` may be
/// while all is well. Those of a row can all fail, so there are no more than take it to the point at
/// which the endpoint is probed, by one attempt at a time.
pub(crate) fn most_under_way(failures: u32, most: usize) -> usize {
    match failures {
        0 => most,
        _ if is_probed(failures) => 1,
        _ => most.min((PROBED_AFTER - failures) as usize),
    }
}

/// Returns whether an endpoint is only probed after so many failures in a row.
pub(crate) fn is_probed(failures: u32) -> bool {
    failures >= PROBED_AFTER
}

/// The time of the next probe of an endpoint whose last attempt failed then.
pub(crate) fn next_probe(last_failure: Timestamp) -> Timestamp {
    last_failure.plus_seconds(PROBE_SECONDS)
}

/// The number of failures in a row after another one. What was under way when the endpoint came to be
/// probed is of the same bad moment, and does not count: so it takes a probe each minute, and three
/// quarters of an hour, until a webhook is switched off.
pub(crate) fn count_failure(failures: u32, is_probe: bool) -> u32 {
    if is_probed(failures) && !is_probe {
        failures
    } else {
        failures.saturating_add(1)
    }
}

/// The time of the next attempt after `attempts` failed ones, the last of which ended at `now`.
/// `None` when the delivery is given up.
pub(crate) fn next_attempt(attempts: usize, now: Timestamp) -> Option<Timestamp> {
    let failed_before = attempts.checked_sub(1)?;
    RETRIES
        .get(failed_before)
        .map(|seconds| now.plus_seconds(*seconds))
}

/// The tolerance, in seconds, for stored times ahead of now. A signature has the same.
///
/// A time further ahead comes from a clock set back since. This is not
/// [`MAX_CLOCK_SKEW`](super::lease::MAX_CLOCK_SKEW), the limit for clocks of workers lest an attempt be
/// made twice. It is many times larger on purpose: a clock ahead by a minute gives its leases and
/// retries times wrong by a minute, which is no reason to take all of them as due.
pub(crate) const CLOCK_TOLERANCE: i64 = 300;

/// Returns whether a time that was set at `set_at` has come.
///
/// What was set later than now was set by a clock that has been set back since. The time that it
/// gave says nothing any more, and would let everything wait for as long as the clock went back: so
/// it has come. This holds for leases, for deliveries and for the order in which webhooks are due.
pub(crate) fn has_come(time: Timestamp, set_at: Timestamp, now: Timestamp) -> bool {
    time <= now || set_at > now.plus_seconds(CLOCK_TOLERANCE)
}

/// Returns whether an answer with this status code takes a delivery.
pub(crate) fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_is_that_of_the_specification() {
        let now = Timestamp::EPOCH;
        let minutes: Vec<_> = (1..=7)
            .map(|attempts| {
                let next = next_attempt(attempts, now);
                next.map(|at| (at.micros() - now.micros()) / 60_000_000)
            })
            .collect();
        let expected = [1, 5, 30, 120, 360, 1440].map(Some);
        assert_eq!(minutes, [&expected[..], &[None]].concat());
        assert_eq!(next_attempt(0, now), None);
    }

    #[test]
    fn a_bad_moment_counts_as_five_failures_and_then_each_probe_counts() {
        let mut failures = 0;
        let mut under_way = Vec::new();
        for _ in 0..6 {
            under_way.push(most_under_way(failures, 32));
            failures = count_failure(failures, false);
        }
        assert_eq!(under_way, [32, 4, 3, 2, 1, 1]);
        assert_eq!((failures, is_probed(failures)), (5, true));
        let probes = (1..).find(|_| {
            failures = count_failure(failures, true);
            failures == MAX_FAILURES
        });
        assert_eq!(probes, Some(45));
        assert_eq!(most_under_way(2, 1), 1);
    }

    #[test]
    fn a_time_that_was_set_in_the_future_has_come() {
        let now = Timestamp::EPOCH;
        for (time, set_at, expected) in [
            (0, 0, true),
            (1, 0, false),
            (86_400, 0, false),
            (360, 300, false),
            (361, 301, true),
            (90_000, 3_600, true),
        ] {
            let [time, set_at] = [time, set_at].map(|seconds| now.plus_seconds(seconds));
            assert_eq!(has_come(time, set_at, now), expected, "{time}, {set_at}");
        }
    }

    #[test]
    fn any_2xx_is_a_success() {
        for (status, expected) in [
            (199, false),
            (200, true),
            (204, true),
            (299, true),
            (300, false),
        ] {
            assert_eq!(is_success(status), expected, "{status}");
        }
    }
}
