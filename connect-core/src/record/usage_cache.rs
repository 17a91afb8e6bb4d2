//! Remembers for some seconds how much the other locations of an account store.
//!
//! A write has the counts of its own location exactly. Those of the account's other locations would be a row
//! each, or a row that all of them write and wait for, so they are read with a write now and then, in its trip.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use uuid::Uuid;

use super::{ChangeClock, Reads, Unit, clock_key};

/// The time for which what was read is taken for what is so.
const FRESH: Duration = Duration::from_secs(10);

/// The most locations whose siblings are remembered.
const MOST: usize = 10_000;

/// The bytes at the siblings of locations, as they were read.
#[derive(Default)]
pub(crate) struct UsageCache {
    /// The bytes of the other locations of the account, and when they were read.
    elsewhere: Mutex<HashMap<Uuid, (Duration, u64)>>,
}

impl UsageCache {
    /// The bytes of the other locations of the account of `location`, unless they have to be read again.
    fn of(&self, location: Uuid, now: Duration) -> Option<u64> {
        let known = self.elsewhere.lock().get(&location).copied();
        let (read_at, bytes) = known?;
        (now.saturating_sub(read_at) < FRESH).then_some(bytes)
    }

    fn remember(&self, location: Uuid, now: Duration, bytes: u64) {
        let mut elsewhere = self.elsewhere.lock();
        if elsewhere.len() >= MOST {
            elsewhere.retain(|_, (read_at, _)| now.saturating_sub(*read_at) < FRESH);
        }
        elsewhere.insert(location, (now, bytes));
    }
}

/// The other locations of an account whose clocks are to be read with a write.
pub(crate) struct Siblings(Vec<Uuid>);

impl Siblings {
    /// Adds the reads of the clocks of `others`, unless they are known well enough.
    pub(crate) fn read(
        others: impl Iterator<Item = Uuid>,
        unit: &Unit<'_>,
        reads: &mut Reads,
    ) -> Self {
        let (store, location) = (unit.store(), unit.partition());
        let others: Vec<Uuid> = others.filter(|other| *other != location).collect();
        if others.is_empty() || store.usage().of(location, store.elapsed()).is_some() {
            return Self(Vec::new());
        }
        others
            .iter()
            .for_each(|other| reads.shared_row(clock_key(*other)));
        Self(others)
    }

    /// Tells the unit what the other locations store, now that their clocks are read.
    pub(crate) fn note(self, unit: &mut Unit<'_>) {
        let (store, location) = (unit.store(), unit.partition());
        if !self.0.is_empty() {
            let stored = |other: &Uuid| {
                let key = clock_key(*other);
                // One that cannot be read is found by the writes of that location.
                let clock = ChangeClock::read(&key, unit.known(&key)?.as_ref()).ok()?;
                Some(clock.usage?.total(unit.now()))
            };
            let bytes = self.0.iter().filter_map(stored).sum();
            store.usage().remember(location, store.elapsed(), bytes);
        }
        let bytes = store.usage().of(location, store.elapsed());
        unit.set_bytes_elsewhere(bytes.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_known_for_some_seconds() {
        let cache = UsageCache::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let at = Duration::from_secs;
        cache.remember(one, at(100), 7);
        for (now, expected) in [(100, Some(7)), (109, Some(7)), (110, None)] {
            assert_eq!(cache.of(one, at(now)), expected, "{now}");
        }
        assert_eq!(cache.of(other, at(100)), None);
    }

    #[test]
    fn what_is_old_makes_room() {
        let cache = UsageCache::default();
        for number in 0..MOST {
            cache.remember(Uuid::from_u128(number as u128), Duration::ZERO, 1);
        }
        cache.remember(Uuid::max(), FRESH, 1);
        assert_eq!(cache.elsewhere.lock().len(), 1);
    }
}
