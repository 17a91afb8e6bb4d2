//! Partitions with concurrent writes by other processes.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use uuid::Uuid;

/// The time a partition counts as contended after a conflict.
const TIME: Duration = Duration::from_secs(1);

/// The map size to trigger the removal of expired entries.
const MANY: usize = 1024;

/// The partitions with recent conflicts, and the time of each.
/// Times are elapsed times of the store's clock.
#[derive(Default)]
pub(super) struct Contended(Mutex<HashMap<Uuid, Duration>>);

impl Contended {
    /// Notes a conflict.
    pub(super) fn note(&self, partition: Uuid, now: Duration) {
        let mut met = self.0.lock();
        if met.len() >= MANY {
            met.retain(|_, at| is_recent(*at, now));
        }
        met.insert(partition, now);
    }

    /// Returns whether a partition had a conflict within the last second.
    pub(super) fn has(&self, partition: Uuid, now: Duration) -> bool {
        let met = self.0.lock();
        met.get(&partition).is_some_and(|at| is_recent(*at, now))
    }
}

fn is_recent(at: Duration, now: Duration) -> bool {
    now.saturating_sub(at) < TIME
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(number: usize) -> Uuid {
        Uuid::from_u128(number as u128)
    }

    #[test]
    fn a_partition_is_contended_for_a_while_after_a_conflict() {
        let contended = Contended::default();
        contended.note(partition(1), TIME);
        for (number, now, expected) in [
            (1, TIME, true),
            (1, TIME * 2 - Duration::from_micros(1), true),
            (1, TIME * 2, false),
            (2, TIME, false),
        ] {
            assert_eq!(contended.has(partition(number), now), expected, "{now:?}");
        }
    }

    #[test]
    fn those_whose_time_is_over_are_forgotten() {
        let contended = Contended::default();
        for number in 0..MANY {
            contended.note(partition(number), Duration::ZERO);
        }
        contended.note(partition(MANY), TIME);
        assert_eq!(contended.0.lock().len(), 1);
    }
}
