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
    Fault, SecretSealer, StorageLimits, Webhooks,
    contended::Contended,
    environment::{Clock as _, Environment, Metrics, MonotonicClock, Skew},
    subscribers::WebhooksCache,
    usage_cache::UsageCache,
};
use crate::{
    storage::{Commit, CommitError, Key, Read, State, Storage, StorageError, Value},
    wire::Timestamp,
};

/// The store of all records.
pub(crate) struct Store {
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
    usage: UsageCache,
}

impl Store {
    pub(crate) fn new(storage: Arc<dyn Storage>, environment: Environment) -> Self {
        // A random start keeps the numbers of several processes apart.
        let mut start = [0; 8];
        environment.randomness.fill(&mut start);
        Self {
            storage,
            clock: MonotonicClock::new(environment.clock.clone()),
            started: environment.clock.elapsed(),
            environment,
            next_nonce: AtomicU64::new(u64::from_ne_bytes(start)),
            work: Notify::new(),
            webhooks: WebhooksCache::default(),
            metrics: Metrics::default(),
            contended: Contended::default(),
            storage_limits: StorageLimits::default(),
            usage: UsageCache::default(),
        }
    }

    /// Replaces the limits on stored data.
    pub(crate) fn with_storage_limits(self, storage_limits: StorageLimits) -> Self {
        Self {
            storage_limits,
            ..self
        }
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Seals and opens stored secrets by the present keys.
    pub(crate) fn sealer(&self) -> SecretSealer {
        SecretSealer::of(&self.environment)
    }

    /// The current time, unaffected by steps of the machine's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The time for signatures.
    pub(crate) fn signing_time(&self) -> Timestamp {
        let clock = self.environment.signing_clock.as_ref();
        clock.map_or_else(|| self.now(), |clock| clock.now())
    }

    /// The skew of the machine's clock, while it is not trusted.
    pub(crate) fn skew(&self) -> Option<Skew> {
        self.clock.skew()
    }

    /// The time since a fixed point.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// The time since this process created the store.
    pub(crate) fn uptime(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(super) fn webhooks(&self) -> &WebhooksCache {
        &self.webhooks
    }

    /// The limits on the data of an account and of each location.
    pub(crate) fn storage_limits(&self) -> &StorageLimits {
        &self.storage_limits
    }

    /// The recently read counts of the locations of accounts.
    pub(crate) fn usage(&self) -> &UsageCache {
        &self.usage
    }

    /// The partitions with concurrent writers.
    pub(super) fn contended(&self) -> &Contended {
        &self.contended
    }

    /// A number unique to a commit.
    pub(crate) fn nonce(&self) -> u64 {
        self.next_nonce.fetch_add(1, Ordering::Relaxed)
    }

    /// Wakes one worker of this process, now or at its next wait.
    /// Called when a queue has new work.
    pub(crate) fn wake(&self) {
        self.work.notify_one();
    }

    /// Waits until this process queues work.
    pub(crate) async fn woken(&self) {
        self.work.notified().await;
    }

    /// Answers all reads from one state, in one round trip.
    pub(crate) async fn read(&self, reads: &[Read<'_>]) -> Result<State, Fault> {
        Ok(self.ask(reads).await?)
    }

    /// The same, with the error of the storage.
    pub(super) async fn ask(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.storage.read(reads).await;
        state.inspect_err(|_| self.metrics.failed_reads.increase())
    }

    /// Commits without a unit of work.
    /// `false` on a conflict; the next round of maintenance or of a worker finds the work again.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<bool, Fault> {
        // The commit of a probe writes nothing, and is not counted.
        let is_counted = !commit.writes.is_empty();
        let result = committed(self.storage.commit(commit).await);
        match &result {
            Ok(true) if is_counted => self.metrics.commits.increase(),
            Ok(true) => {}
            Ok(false) => self.metrics.conflicts.increase(),
            Err(_) => self.metrics.failed_commits.increase(),
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
        assert!(std::ptr::eq(store.environment(), &store.environment));
        assert!(std::ptr::eq(store.webhooks(), &store.webhooks));
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
