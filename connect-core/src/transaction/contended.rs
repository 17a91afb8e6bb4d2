//! Partitions that other processes write to at the same time.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use uuid::Uuid;

/// The time after a conflict for which a partition is taken for contended.
const TIME: Duration = Duration::from_secs(1);

/// The partitions after which those whose time is over are forgotten.
const MANY: usize = 1024;

/// The partitions in which a unit of work has lately met a conflict, with the time that had passed
/// then.
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

    /// Returns whether others write to a partition, as far as is known.
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
