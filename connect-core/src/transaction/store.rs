//! The storage, with time, ids, and unique numbers of commits.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::Notify;
use uuid::Uuid;

use super::{
    Authorship, Fault, SecretSealer, StorageLimits, Webhooks,
    contended::Contended,
    environment::{Clock as _, Environment, Metrics, MonotonicClock, Skew},
    subscribers::WebhooksCache,
    usage_cache::UsageCache,
};
use crate::{
    storage::{Commit, CommitError, Key, Read, State, Storage, StorageError, Value},
    wire::Timestamp,
};

/// The store of all records, and the author of its commits.
#[derive(Clone)]
pub(crate) struct Store {
    shared: Arc<Shared>,
    /// The author and the origin of commits; `None` for the service itself.
    authorship: Option<Arc<Authorship>>,
}

/// The part of a store common to all authors.
struct Shared {
    storage: Arc<dyn Storage>,
    environment: Environment,
    clock: MonotonicClock,
    started: Duration,
    next_nonce: AtomicU64,
    work: Notify,
    webhooks: WebhooksCache,
    metrics: Metrics,
    contended: Contended,
    storage_limits: StorageLimits,
    trail_days: u32,
    usage: UsageCache,
}

impl Store {
    /// A store with the default limits.
    #[cfg(test)]
    pub(crate) fn new(storage: Arc<dyn Storage>, environment: Environment) -> Self {
        let limits = StorageLimits::default();
        let days = crate::wire::limits::DEFAULT_TRAIL_DAYS;
        Self::with_limits(storage, environment, limits, days)
    }

    /// A store with these limits on stored data. Entries of the trail are kept for `trail_days`.
    pub(crate) fn with_limits(
        storage: Arc<dyn Storage>,
        environment: Environment,
        storage_limits: StorageLimits,
        trail_days: u32,
    ) -> Self {
        // A random start keeps the numbers of several processes apart.
        let mut start = [0; 8];
        environment.randomness.fill(&mut start);
        let shared = Shared {
            storage,
            clock: MonotonicClock::new(environment.clock.clone()),
            started: environment.clock.elapsed(),
            environment,
            next_nonce: AtomicU64::new(u64::from_ne_bytes(start)),
            work: Notify::new(),
            webhooks: WebhooksCache::default(),
            metrics: Metrics::default(),
            contended: Contended::default(),
            storage_limits,
            trail_days,
            usage: UsageCache::default(),
        };
        Self {
            shared: Arc::new(shared),
            authorship: None,
        }
    }

    /// The same store, with another author of its commits.
    pub(crate) fn by(&self, authorship: Arc<Authorship>) -> Self {
        Self {
            shared: self.shared.clone(),
            authorship: Some(authorship),
        }
    }

    /// The author and the origin of commits; `None` for the service itself.
    pub(crate) fn authorship(&self) -> Option<&Arc<Authorship>> {
        self.authorship.as_ref()
    }

    /// The days to keep an entry of the trail.
    pub(crate) fn trail_days(&self) -> u32 {
        self.shared.trail_days
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.shared.storage
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.shared.environment
    }

    /// Seals and opens stored secrets by the present keys.
    pub(crate) fn sealer(&self) -> SecretSealer {
        SecretSealer::of(&self.shared.environment)
    }

    /// The current time, unaffected by steps of the machine's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// The time for signatures.
    pub(crate) fn signing_time(&self) -> Timestamp {
        let clock = self.shared.environment.signing_clock.as_ref();
        clock.map_or_else(|| self.now(), |clock| clock.now())
    }

    /// The skew of the machine's clock, while it is not trusted.
    pub(crate) fn skew(&self) -> Option<Skew> {
        self.shared.clock.skew()
    }

    /// The time since a fixed point.
    pub(crate) fn elapsed(&self) -> Duration {
        self.shared.clock.elapsed()
    }

    /// The time since this process created the store.
    pub(crate) fn uptime(&self) -> Duration {
        self.shared
            .clock
            .elapsed()
            .saturating_sub(self.shared.started)
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    pub(super) fn webhooks(&self) -> &WebhooksCache {
        &self.shared.webhooks
    }

    /// The limits on the data of an account and of each location.
    pub(crate) fn storage_limits(&self) -> &StorageLimits {
        &self.shared.storage_limits
    }

    /// The recently read counts of the locations of accounts.
    pub(crate) fn usage(&self) -> &UsageCache {
        &self.shared.usage
    }

    /// The partitions with concurrent writers.
    pub(super) fn contended(&self) -> &Contended {
        &self.shared.contended
    }

    /// A number unique to a commit.
    pub(crate) fn nonce(&self) -> u64 {
        self.shared.next_nonce.fetch_add(1, Ordering::Relaxed)
    }

    /// Wakes one worker of this process, now or at its next wait.
    /// Called when a queue has new work.
    pub(crate) fn wake(&self) {
        self.shared.work.notify_one();
    }

    /// Waits until this process queues work.
    pub(crate) async fn woken(&self) {
        self.shared.work.notified().await;
    }

    /// Answers all reads from one state, in one round trip.
    pub(crate) async fn read(&self, reads: &[Read<'_>]) -> Result<State, Fault> {
        Ok(self.ask(reads).await?)
    }

    /// The same, with the error of the storage.
    pub(super) async fn ask(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.shared.storage.read(reads).await;
        state.inspect_err(|_| self.shared.metrics.failed_reads.increase())
    }

    /// Commits without a unit of work.
    /// `false` on a conflict; the next round of maintenance or of a worker finds the work again.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<bool, Fault> {
        // The commit of a probe writes nothing, and is not counted.
        let is_counted = !commit.writes.is_empty();
        let result = committed(self.shared.storage.commit(commit).await);
        match &result {
            Ok(true) if is_counted => self.shared.metrics.commits.increase(),
            Ok(true) => {}
            Ok(false) => self.shared.metrics.conflicts.increase(),
            Err(_) => self.shared.metrics.failed_commits.increase(),
        }
        result
    }

    /// Reads the webhooks of an account.
    pub(crate) async fn webhooks_of(&self, account: Uuid) -> Result<Webhooks, Fault> {
        let key = Webhooks::key(account);
        Webhooks::read(&key, self.get(&key).await?.as_ref())
    }

    /// The value of one key.
    pub(crate) async fn get(&self, key: &Key) -> Result<Option<Value>, Fault> {
        Ok(self.read(&[Read::Get(key)]).await?.value()?)
    }
}

/// Returns whether a commit was applied; `false` on a conflict.
pub(crate) fn committed(outcome: Result<(), CommitError>) -> Result<bool, Fault> {
    match outcome {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict) => Ok(false),
        Err(CommitError::NotApplied(error)) => Err(Fault::NotApplied(error)),
        Err(CommitError::Unknown(error)) => Err(Fault::Unknown(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{storage::memory::MemoryStorage, transaction::environment::ManualClock};

    fn store(clock: &Arc<ManualClock>) -> Store {
        let environment = Environment {
            clock: clock.clone(),
            ..Environment::default()
        };
        Store::new(Arc::new(MemoryStorage::new()), environment)
    }

    #[test]
    fn time_passes_as_the_clock_has_it() {
        let clock = ManualClock::at(Timestamp::EPOCH);
        let store = store(&clock);
        let before = store.elapsed();
        clock.advance(90);
        assert_eq!(store.elapsed() - before, Duration::from_secs(90));
        assert_eq!(store.uptime(), Duration::from_secs(90));
        assert_eq!(store.now(), Timestamp::EPOCH.plus_seconds(90));
        assert!(std::ptr::eq(store.environment(), &store.shared.environment));
        assert!(std::ptr::eq(store.webhooks(), &store.shared.webhooks));
    }

    /// A writer recognizes its commit by its number after a lost answer.
    #[test]
    fn no_two_commits_have_the_same_number() {
        let clock = ManualClock::at(Timestamp::EPOCH);
        let stores = [store(&clock), store(&clock)];
        let numbers = stores
            .iter()
            .flat_map(|store| [store.nonce(), store.nonce()]);
        let numbers: std::collections::HashSet<u64> = numbers.collect();
        assert_eq!(numbers.len(), 4);
    }
}
