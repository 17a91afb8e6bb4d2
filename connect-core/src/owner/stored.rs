//! Bytes and records of accounts, and their limits.

use crate::{
    engine::Connect,
    transaction::{
        Account, ChangeClock, Error, Fault, LenientReader, Lookup, StorageLimits, Usage, clock_key,
        keys::{Family, key},
    },
    wire::{Id, Location, Timestamp},
};

/// The number of account rows per read.
const PIECE: usize = 500;

/// The share of a limit, in percent, considered near.
const NEAR: u64 = 80;

/// The bytes and records of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountStored {
    /// The bytes of all locations.
    pub bytes: u64,
    /// Its locations, oldest first.
    pub locations: Vec<LocationStored>,
    /// The limits of the account.
    pub limits: StorageLimits,
}

/// The bytes and records of a location.
/// All are 0 before the first count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocationStored {
    /// The location.
    pub location: Id<Location>,
    /// Its products.
    pub products: u64,
    /// Its categories.
    pub categories: u64,
    /// Its option groups.
    pub option_groups: u64,
    /// The bytes of keys and values in its rows.
    /// Events, stored answers and deliveries count until they are purged.
    pub bytes: u64,
    /// Unset until a [migration](Connect::migrate) has counted the rows of an older program.
    pub is_counted: bool,
}

/// The sums of all accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredTotals {
    /// The bytes of all accounts.
    pub bytes: u64,
    /// The bytes of the largest account.
    pub largest: u64,
    /// The accounts with four fifths of a limit used.
    /// Counts bytes, and the records of each location.
    pub near_limit: usize,
}

impl AccountStored {
    /// Returns whether four fifths of a limit are used up.
    pub fn is_near_limit(&self) -> bool {
        let limits = &self.limits;
        let records = self.locations.iter().flat_map(|at| {
            [
                (at.products, limits.products),
                (at.categories, limits.categories),
                (at.option_groups, limits.option_groups),
            ]
        });
        let mut all = records.chain([(self.bytes, limits.account_bytes)]);
        all.any(|(used, most)| used.saturating_mul(100) >= most.saturating_mul(NEAR))
    }
}

impl LocationStored {
    fn of(location: Id<Location>, usage: Option<&Usage>, now: Timestamp) -> Self {
        let of = |count: fn(&Usage) -> u64| usage.map_or(0, count);
        Self {
            location,
            products: of(|usage| usage.products),
            categories: of(|usage| usage.categories),
            option_groups: of(|usage| usage.option_groups),
            bytes: usage.map_or(0, |usage| usage.total(now)),
            is_counted: usage.is_some(),
        }
    }
}

impl Connect {
    /// The storage limits of an account and each of its locations.
    pub fn storage_limits(&self) -> &StorageLimits {
        self.store().storage_limits()
    }

    /// Counts the bytes and records of an account.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Internal`].
    pub async fn stored(&self, account: Id<Account>) -> Result<AccountStored, Error> {
        let account = self.account(account).await?;
        Ok(self.stored_by(&[account]).await?.remove(0))
    }

    /// Adds up the storage of all accounts. Unreadable rows are left out.
    pub(crate) async fn stored_totals(&self) -> Result<StoredTotals, Error> {
        let mut totals = StoredTotals::default();
        for ids in self.account_ids().await?.chunks(PIECE) {
            let keys: Vec<_> =
                (ids.iter().map(|id| key(id.uuid(), Family::Account, &[]))).collect();
            let rows = LenientReader::new(self.store()).values(&keys).await?;
            let account = |row| match row {
                Lookup::Found(Some(row)) => serde_json::from_slice::<Account>(&row).ok(),
                _ => None,
            };
            let accounts: Vec<Account> = rows.into_iter().filter_map(account).collect();
            for stored in self.stored_by(&accounts).await? {
                totals.bytes = totals.bytes.saturating_add(stored.bytes);
                totals.largest = totals.largest.max(stored.bytes);
                totals.near_limit += usize::from(stored.is_near_limit());
            }
        }
        Ok(totals)
    }

    async fn stored_by(&self, accounts: &[Account]) -> Result<Vec<AccountStored>, Fault> {
        let now = self.now();
        let locations = accounts.iter().flat_map(|account| &account.locations);
        let keys: Vec<_> = locations.map(|at| clock_key(at.id.uuid())).collect();
        let clocks = LenientReader::new(self.store()).values(&keys).await?;
        let mut clocks = keys.iter().zip(clocks).map(|(key, row)| match row {
            // A location without a first write has nothing.
            Lookup::Found(None) => Some(Usage::default()),
            Lookup::Found(row) => ChangeClock::read(key, row.as_ref()).ok()?.usage,
            Lookup::Damaged => None,
        });
        let stored = accounts.iter().map(|account| {
            let of = |at: &crate::transaction::AccountLocation| {
                let usage = clocks.next().flatten();
                LocationStored::of(at.id, usage.as_ref(), now)
            };
            let locations: Vec<_> = account.locations.iter().map(of).collect();
            let bytes = locations.iter().map(|at| at.bytes);
            AccountStored {
                bytes: bytes.fold(0, u64::saturating_add),
                locations,
                limits: *self.storage_limits(),
            }
        });
        Ok(stored.collect())
    }
}
