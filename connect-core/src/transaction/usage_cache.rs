//! A cache of the bytes of accounts, for some seconds.
//!
//! A write has the exact counts of its own location. Exact counts of the account's other locations would take
//! a read of one row each, or one row written by all locations, with conflicts. So they are only read now and
//! then, and may be a few seconds old.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use uuid::Uuid;

/// The time before read bytes count as outdated.
const FRESH: Duration = Duration::from_secs(10);

/// The most accounts to remember.
/// With one more, all are forgotten, and read again.
const MOST: usize = 10_000;

/// The bytes at the locations of accounts, as of the last read.
#[derive(Default)]
pub(crate) struct UsageCache {
    accounts: Mutex<HashMap<Uuid, CachedUsage>>,
}

struct CachedUsage {
    read_at: Duration,
    stored: Arc<StoredUsage>,
}

/// The bytes at the locations of an account.
#[derive(Default)]
pub(super) struct StoredUsage {
    pub(super) total: u64,
    pub(super) of: HashMap<Uuid, u64>,
}

impl UsageCache {
    /// Returns the bytes at the locations of an account; `None` if the caller is to read them.
    /// Only one caller reads outdated bytes again. Further callers get the outdated ones meanwhile.
    pub(super) fn stored(&self, account: Uuid, now: Duration) -> Option<Arc<StoredUsage>> {
        let mut accounts = self.accounts.lock();
        let known = accounts.get_mut(&account)?;
        if now.saturating_sub(known.read_at) < FRESH {
            return Some(known.stored.clone());
        }
        known.read_at = now;
        None
    }

    pub(super) fn remember(&self, account: Uuid, now: Duration, stored: Arc<StoredUsage>) {
        let mut accounts = self.accounts.lock();
        if accounts.len() >= MOST && !accounts.contains_key(&account) {
            accounts.clear();
        }
        let read_at = now;
        accounts.insert(account, CachedUsage { read_at, stored });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of several locations with an outdated account, only one reads it.
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

    /// Beyond ten thousand fresh accounts, each further one once looked at all of them.
    #[test]
    fn what_is_remembered_has_a_bound() {
        let cache = UsageCache::default();
        for number in 0..=MOST {
            let account = Uuid::from_u128(number as u128);
            cache.remember(account, Duration::ZERO, Arc::default());
            assert!(cache.stored(account, Duration::ZERO).is_some());
            assert_eq!(cache.accounts.lock().len(), number % MOST + 1);
        }
    }
}
