//! The clock at the start. While it runs, the core follows no jump of the machine's clock; at the
//! start it has nothing to go by but the time at which the store was last served.

use connect_core::{Connect, wire::Timestamp};

/// The clock is behind the last service by more than this.
const MOST_BEHIND: i64 = 3600;

/// The clock is ahead of the last service by more than this.
const MOST_AHEAD: i64 = 366 * 24 * 3600;

/// The machine's clock cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the machine's clock shows {now}, and this store was last served at {last}: set the clock, or \
     start the server with --trust-clock if it is right (what has expired by then is purged, and \
     changes get dates by it)"
)]
pub struct DoubtfulClock {
    /// The time that the clock shows.
    pub now: Timestamp,
    /// The time at which the store was last served.
    pub last: Timestamp,
}

/// Compares the time with that of the last maintenance of the store. A time that cannot be read is
/// logged by the core, and refuses nothing: the rest of the store may be good.
///
/// # Errors
/// [`DoubtfulClock`].
pub(crate) async fn check(connect: &Connect, now: Timestamp) -> Result<(), DoubtfulClock> {
    let last = connect.last_maintenance().await;
    compare(now, last.unwrap_or_default())
}

fn compare(now: Timestamp, last: Option<Timestamp>) -> Result<(), DoubtfulClock> {
    let Some(last) = last else { return Ok(()) };
    let ahead = now.seconds() - last.seconds();
    if (-MOST_BEHIND..=MOST_AHEAD).contains(&ahead) {
        return Ok(());
    }
    Err(DoubtfulClock { now, last })
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
