//! Reads the bytes stored at the other locations of an account.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    Account, ChangeClock, LenientReader, Lookup, Store, clock_key, usage_cache::StoredUsage,
};
use crate::storage::Key;

impl Store {
    /// Returns the recent bytes of an account's other locations. Unreadable rows count as
    /// nothing: writes of their own location find them, and they harm no other.
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

    /// Reads the clocks of an account's locations; `None` if the storage fails.
    async fn read_stored(&self, account: &Account) -> Option<StoredUsage> {
        let locations = account.locations.iter().map(|at| at.id.uuid());
        let keys: Vec<Key> = locations.clone().map(clock_key).collect();
        let clocks = LenientReader::new(self).values(&keys).await.ok()?;
        let mut stored = StoredUsage::default();
        for ((location, key), looked) in locations.zip(&keys).zip(clocks) {
            let Lookup::Found(row) = looked else { continue };
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
        storage::{Value, failing_row::TornArea, memory::MemoryStorage},
        transaction::{
            AccountLocation, Reads, UnitOfWork,
            environment::{Environment, ManualClock},
            keys::{Family, KeyPart, key},
        },
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
            sandbox: true,
            locations: (1..=locations).map(location).collect(),
            screens: Vec::new(),
            users: Vec::new(),
            requires_second_factor: false,
            erasures: Vec::new(),
            retention: crate::transaction::Retention::default(),
        }
    }

    /// Each busy location once read the clocks of all other locations every ten seconds.
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
            let mut unit = UnitOfWork::new(&store, location, None);
            unit.load(Reads::of(location)).await.unwrap();
            unit.begin_counts();
            let id = KeyPart::Id(store.environment().ids.next());
            unit.put_new(
                key(location, Family::ImageJob, &[id]),
                Value::from(&[0; 67][..]),
            );
            assert!(unit.commit().await.unwrap());
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
}
