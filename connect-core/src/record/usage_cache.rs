//! Remembers for some seconds how much accounts store.
//!
//! A write has the counts of its own location exactly. Those of the account's other locations would be a row
//! each, or a row that all of them write and wait for, so they are read beside a write now and then.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use uuid::Uuid;

use super::{Account, ChangeClock, Looked, Salvage, Store, clock_key};
use crate::storage::Key;

/// The time for which what was read is taken for what is so.
const FRESH: Duration = Duration::from_secs(10);

/// The most accounts that are remembered. With one more all are forgotten, to be read again.
const MOST: usize = 10_000;

/// The bytes at the locations of accounts, as they were read.
#[derive(Default)]
pub(crate) struct UsageCache {
    accounts: Mutex<HashMap<Uuid, Known>>,
}

struct Known {
    read_at: Duration,
    stored: Arc<Stored>,
}

/// The bytes at the locations of an account.
#[derive(Default)]
struct Stored {
    total: u64,
    of: HashMap<Uuid, u64>,
}

impl UsageCache {
    /// The bytes at the locations of an account, unless the caller is to read them. One caller reads what is too old,
    /// and others go on with that meanwhile.
    fn stored(&self, account: Uuid, now: Duration) -> Option<Arc<Stored>> {
        let mut accounts = self.accounts.lock();
        let known = accounts.get_mut(&account)?;
        if now.saturating_sub(known.read_at) < FRESH {
            return Some(known.stored.clone());
        }
        known.read_at = now;
        None
    }

    fn remember(&self, account: Uuid, now: Duration, stored: Arc<Stored>) {
        let mut accounts = self.accounts.lock();
        if accounts.len() >= MOST && !accounts.contains_key(&account) {
            accounts.clear();
        }
        let read_at = now;
        accounts.insert(account, Known { read_at, stored });
    }
}

impl Store {
    /// Returns the bytes of the other locations of an account, as they were lately. Rows that cannot be read count
    /// as nothing: they are found by the writes of their own location, and harm no other.
    pub(crate) async fn bytes_elsewhere(&self, account: &Account, location: Uuid) -> u64 {
        if account.locations.iter().all(|at| at.id.uuid() == location) {
            return 0;
        }
        let (id, now) = (account.id.uuid(), self.elapsed());
        let mut stored = self.usage().stored(id, now);
        if stored.is_none() {
            stored = match self.read_stored(account).await {
                Some(read) => {
                    let read = Arc::new(read);
                    self.usage().remember(id, now, read.clone());
                    Some(read)
                }
                // What was known before, if anything.
                None => self.usage().stored(id, now),
            };
        }
        stored.map_or(0, |stored| {
            let own = stored.of.get(&location).copied().unwrap_or(0);
            stored.total.saturating_sub(own)
        })
    }

    /// Reads the clocks of all locations of an account; `None` when the storage does not answer.
    async fn read_stored(&self, account: &Account) -> Option<Stored> {
        let locations = account.locations.iter().map(|at| at.id.uuid());
        let keys: Vec<Key> = locations.clone().map(clock_key).collect();
        let clocks = Salvage::new(self).values(&keys).await.ok()?;
        let mut stored = Stored::default();
        for ((location, key), looked) in locations.zip(&keys).zip(clocks) {
            let Looked::Found(row) = looked else { continue };
            let clock = ChangeClock::read(key, row.as_ref()).ok();
            let Some(usage) = clock.and_then(|clock| clock.usage) else {
                continue;
            };
            let bytes = usage.total(self.now());
            stored.total = stored.total.saturating_add(bytes);
            stored.of.insert(location, bytes);
        }
        Some(stored)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{
        environment::{Environment, ManualClock},
        record::{
            AccountLocation, Attempt, Reads,
            keys::{Family, Part, key},
        },
        storage::{Value, memory::MemoryStorage, torn::TornArea},
        wire::{Timestamp, VatRate},
    };

    fn account(locations: u128) -> Account {
        let location = |number| AccountLocation {
            id: Uuid::from_u128(number).into(),
            name: "Here".into(),
            currency: "EUR".into(),
            default_vat_rate: VatRate::percent(9),
        };
        Account {
            id: Uuid::from_u128(100).into(),
            name: "Shop".into(),
            owner_email: "owner@shop.example".into(),
            sandbox: true,
            locations: (1..=locations).map(location).collect(),
            screens: Vec::new(),
        }
    }

    /// A busy location once had the clocks of all others read every ten seconds, and all of them so many.
    #[tokio::test]
    async fn an_account_is_read_once_in_ten_seconds() {
        let (storage, clock) = (MemoryStorage::new(), ManualClock::at(Timestamp::EPOCH));
        // The clock of the last location cannot be read.
        let torn = Arc::new(TornArea {
            storage,
            from: clock_key(Uuid::from_u128(4)),
            to: clock_key(Uuid::from_u128(5)),
            names_keys: false,
            reads: AtomicUsize::new(0),
        });
        let environment = Environment {
            clock: clock.clone(),
            ..Environment::default()
        };
        let store = Store::new(torn.clone(), environment);
        let account = account(4);
        let write = async |location: u128| {
            let location = Uuid::from_u128(location);
            let mut unit = store.attempts(location).begin();
            unit.load(Reads::of(location)).await.unwrap();
            unit.begin_counts();
            let id = Part::Id(store.environment().ids.next());
            unit.put_new(
                key(location, Family::Product, &[id]),
                Value::from(&[0; 67][..]),
            );
            assert_eq!(unit.commit().await.unwrap(), Attempt::Done);
        };
        for location in 1..4 {
            write(location).await;
        }
        let elsewhere = async |location: u128| {
            let before = torn.reads.load(Ordering::Relaxed);
            let bytes = store.bytes_elsewhere(&account, Uuid::from_u128(location));
            (bytes.await, torn.reads.load(Ordering::Relaxed) > before)
        };
        // A row with its key has 100 bytes.
        assert_eq!(elsewhere(1).await, (200, true));
        for (location, expected) in [(1, 200), (2, 200), (4, 300), (5, 300)] {
            assert_eq!(elsewhere(location).await, (expected, false), "{location}");
        }
        write(1).await;
        clock.advance(9);
        assert_eq!(elsewhere(2).await, (200, false));
        clock.advance(1);
        assert_eq!(elsewhere(2).await, (300, true));
        assert_eq!(elsewhere(3).await, (300, false));
    }

    /// Locations that find their account out of date at the same time do not all read it.
    #[test]
    fn one_caller_reads_what_is_too_old() {
        let (cache, account) = (UsageCache::default(), Uuid::nil());
        assert!(cache.stored(account, Duration::ZERO).is_none());
        cache.remember(account, Duration::ZERO, Arc::default());
        for (now, is_known) in [(9, true), (10, false), (10, true), (19, true), (20, false)] {
            let stored = cache.stored(account, Duration::from_secs(now));
            assert_eq!(stored.is_some(), is_known, "{now}");
        }
    }

    /// Ten thousand that were not too old once had each further one look at all of them.
    #[test]
    fn what_is_remembered_has_a_bound() {
        let cache = UsageCache::default();
        for number in 0..=MOST {
            let account = Uuid::from_u128(number as u128);
            cache.remember(account, Duration::ZERO, Arc::default());
            assert!(cache.stored(account, Duration::ZERO).is_some());
        }
        assert_eq!(cache.accounts.lock().len(), 1);
    }
}
