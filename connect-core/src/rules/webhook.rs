//! Rules of webhook deliveries: retries, and switching off (specification: Events).

use crate::wire::{
    Timestamp,
    limits::{MAX_WEBHOOK_FAILURES, PROBE_SECONDS, PROBED_AFTER},
};

/// The seconds from a failed attempt to the next one.
/// They are 1 min, 5 min, 30 min, 2 h, 6 h and 24 h.
const RETRIES: [i64; 6] = [60, 300, 1_800, 7_200, 21_600, 86_400];

/// The longest time between two attempts, in seconds.
pub(crate) const LONGEST_RETRY: i64 = RETRIES[RETRIES.len() - 1];

/// The time from the first attempt at a delivery to the last, in seconds, with the time of the answers.
/// It may take longer while the endpoint is probed.
pub(crate) const RETRY_HORIZON: i64 = 33 * 3600;

/// The consecutive failures before a webhook is switched off.
pub(crate) const MAX_FAILURES: u32 = MAX_WEBHOOK_FAILURES;

/// Returns the most concurrent attempts after a number of consecutive failures.
/// Without failures it is `most`. All concurrent attempts can fail, so their number is limited to reach at
/// most the threshold for probing the endpoint, by one attempt at a time.
pub(crate) fn most_under_way(failures: u32, most: usize) -> usize {
    match failures {
        0 => most,
        _ if is_probed(failures) => 1,
        _ => most.min((PROBED_AFTER - failures) as usize),
    }
}

/// Returns true if an endpoint is only probed after this many consecutive failures.
pub(crate) fn is_probed(failures: u32) -> bool {
    failures >= PROBED_AFTER
}

/// The time of the next probe after a failed attempt.
pub(crate) fn next_probe(last_failure: Timestamp) -> Timestamp {
    last_failure.plus_seconds(PROBE_SECONDS)
}

/// The consecutive failures after another one.
/// Attempts already under way when probing began belong to the same outage, and do not count. So switching
/// off a webhook takes one probe a minute for three quarters of an hour.
pub(crate) fn count_failure(failures: u32, is_probe: bool) -> u32 {
    if is_probed(failures) && !is_probe {
        failures
    } else {
        failures.saturating_add(1)
    }
}

/// The time of the next attempt after `attempts` failed ones.
/// The last one ended at `now`. `None` gives up the delivery.
pub(crate) fn next_attempt(attempts: usize, now: Timestamp) -> Option<Timestamp> {
    let failed_before = attempts.checked_sub(1)?;
    RETRIES
        .get(failed_before)
        .map(|seconds| now.plus_seconds(*seconds))
}

/// The tolerance, in seconds, for stored times ahead of now.
/// A signature has the same tolerance.
///
/// A time further ahead comes from a clock set back since. This is not
/// [`MAX_CLOCK_SKEW`](super::lease::MAX_CLOCK_SKEW), the limit for the clocks of workers, beyond which an
/// attempt may be made twice. It is many times larger on purpose: a clock ahead by a minute sets the times
/// of leases and retries wrong by a minute, and this is no reason to treat all of them as due.
pub(crate) const CLOCK_TOLERANCE: i64 = 300;

/// Returns true if a time set at `set_at` has come.
///
/// If `set_at` is later than now, the clock has been set back since. Such a time has no meaning any more,
/// and would delay everything by as long as the clock went back, so it counts as come. This holds for
/// leases, for deliveries and for the order of due webhooks.
pub(crate) fn has_come(time: Timestamp, set_at: Timestamp, now: Timestamp) -> bool {
    time <= now || set_at > now.plus_seconds(CLOCK_TOLERANCE)
}

/// Returns true if a status code means successful delivery.
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
        let all: i64 = RETRIES.iter().sum();
        assert!((all..all + 3600).contains(&RETRY_HORIZON), "{all}");
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
