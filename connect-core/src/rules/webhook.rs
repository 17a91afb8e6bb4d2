//! Rules of webhook deliveries: when a failed one is tried again, and when a webhook is switched off
//! (specification: Events).

use crate::wire::{Timestamp, limits::MAX_WEBHOOK_FAILURES};

/// The seconds after a failed attempt until the next one: 1 min, 5 min, 30 min, 2 h, 6 h and 24 h.
const RETRIES: [i64; 6] = [60, 300, 1_800, 7_200, 21_600, 86_400];

/// The number of failed attempts in a row that switches a webhook off.
pub(crate) const MAX_FAILURES: u32 = MAX_WEBHOOK_FAILURES;

/// The time of the next attempt after `attempts` failed ones, the last of which ended at `now`.
/// `None` when the delivery is given up.
pub(crate) fn next_attempt(attempts: usize, now: Timestamp) -> Option<Timestamp> {
    let failed_before = attempts.checked_sub(1)?;
    RETRIES
        .get(failed_before)
        .map(|seconds| now.plus_seconds(*seconds))
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
