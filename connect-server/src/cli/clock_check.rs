//! The check of the clock at the start.
//! A running core ignores jumps of the machine's clock; at the start the time of the last service
//! of the store is its only reference.

use connect_core::{Connect, wire::Timestamp};

/// The most seconds the clock may be behind the last service.
const MOST_BEHIND: i64 = 3600;

/// The most seconds the clock may be ahead of the last service.
const MOST_AHEAD: i64 = 366 * 24 * 3600;

/// The machine's clock is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the machine's clock shows {now}, and this store was last served at {last}: set the clock, or \
     start the server with --trust-clock if it is right (records that have expired by that time \
     are purged, and changes get times of this clock)"
)]
pub struct ClockSkew {
    /// The time of the machine's clock.
    pub now: Timestamp,
    /// The time of the last service of the store.
    pub last: Timestamp,
}

/// Compares the time with the last maintenance of the store.
/// The core logs an unreadable time, and the check then passes: the rest of the store may be good.
///
/// # Errors
/// [`ClockSkew`].
pub(crate) async fn check(connect: &Connect, now: Timestamp) -> Result<(), ClockSkew> {
    let last = connect.last_maintenance().await;
    compare(now, last.unwrap_or_default())
}

fn compare(now: Timestamp, last: Option<Timestamp>) -> Result<(), ClockSkew> {
    let Some(last) = last else { return Ok(()) };
    let ahead = now.seconds() - last.seconds();
    if (-MOST_BEHIND..=MOST_AHEAD).contains(&ahead) {
        return Ok(());
    }
    Err(ClockSkew { now, last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clock_that_cannot_be_right_is_refused() {
        const HOUR: i64 = 3600;
        const DAY: i64 = 24 * HOUR;
        let last = Timestamp::from_micros(1_800_000_000_000_000);
        let at = |seconds| compare(last.plus_seconds(seconds), Some(last)).is_ok();
        for good in [0, -HOUR, DAY, 366 * DAY] {
            assert!(at(good), "{good}");
        }
        for bad in [-HOUR - 1, -DAY, 366 * DAY + 1, 3650 * DAY] {
            assert!(!at(bad), "{bad}");
        }
        assert_eq!(compare(last, None), Ok(()));
    }
}
