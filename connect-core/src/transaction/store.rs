//! The storage with what every unit of work needs besides: time, ids, and numbers that tell
//! commits apart.

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
    Fault, StorageLimits, Webhooks,
    contended::Contended,
    environment::{Clock as _, Drift, Environment, Figures, SteadyClock},
    subscribers::WebhooksCache,
    usage_cache::UsageCache,
};
use crate::{
    storage::{Commit, CommitError, Key, Read, State, Storage, StorageError, Value},
    wire::Timestamp,
};

/// All records, wherever they are stored.
pub(crate) struct Store {
    storage: Arc<dyn Storage>,
    environment: Environment,
    clock: SteadyClock,
    started: Duration,
    next_nonce: AtomicU64,
    work: Notify,
    webhooks: WebhooksCache,
    figures: Figures,
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
            clock: SteadyClock::new(environment.clock.clone()),
            started: environment.clock.elapsed(),
            environment,
            next_nonce: AtomicU64::new(u64::from_ne_bytes(start)),
            work: Notify::new(),
            webhooks: WebhooksCache::default(),
            figures: Figures::default(),
            contended: Contended::default(),
            storage_limits: StorageLimits::default(),
            usage: UsageCache::default(),
        }
    }

    /// The same with other limits on what is stored.
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

    /// The time now. Steps of the machine's clock do not move it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The time by which signatures are dated.
    pub(crate) fn signing_time(&self) -> Timestamp {
        let clock = self.environment.signing_clock.as_ref();
        clock.map_or_else(|| self.now(), |clock| clock.now())
    }

    /// The distance of the machine's clock from the time that is used, when it is not believed.
    pub(crate) fn drift(&self) -> Option<Drift> {
        self.clock.drift()
    }

    /// The time that has passed since some fixed point.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// For how long this process has had the store.
    pub(crate) fn uptime(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    /// The counts of what was done.
    pub(crate) fn figures(&self) -> &Figures {
        &self.figures
    }

    pub(super) fn webhooks(&self) -> &WebhooksCache {
        &self.webhooks
    }

    /// The most that is stored for an account and each of its locations.
    pub(crate) fn storage_limits(&self) -> &StorageLimits {
        &self.storage_limits
    }

    /// The counts of the locations of accounts, as far as they were read lately.
    pub(crate) fn usage(&self) -> &UsageCache {
        &self.usage
    }

    /// The partitions that others write to.
    pub(super) fn contended(&self) -> &Contended {
        &self.contended
    }

    /// A number that no other commit has.
    pub(crate) fn nonce(&self) -> u64 {
        self.next_nonce.fetch_add(1, Ordering::Relaxed)
    }

    /// Wakes one worker of this process, now or when it next waits: there is work in a queue.
    pub(crate) fn wake(&self) {
        self.work.notify_one();
    }

    /// Waits until this process has put work into a queue.
    pub(crate) async fn woken(&self) {
        self.work.notified().await;
    }

    /// Answers all reads from one state, in one round trip.
    pub(crate) async fn read(&self, reads: &[Read<'_>]) -> Result<State, Fault> {
        Ok(self.ask(reads).await?)
    }

    /// The same with the error of the storage.
    pub(super) async fn ask(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.storage.read(reads).await;
        state.inspect_err(|_| self.figures.failed_reads.increase())
    }

    /// A commit outside every unit of work. `false`: others have changed what it expects; the next round
    /// of maintenance or of a worker finds it again.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<bool, Fault> {
        // That of a probe changes nothing, and is no commit to anybody.
        let is_counted = !commit.writes.is_empty();
        let result = committed(self.storage.commit(commit).await);
        match &result {
            Ok(true) if is_counted => self.figures.commits.increase(),
            Ok(true) => {}
            Ok(false) => self.figures.conflicts.increase(),
            Err(_) => self.figures.failed_commits.increase(),
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

/// Tells whether a commit was applied; `false` when another one was faster.
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

    /// A writer that lost its answer knows its commit by its number.
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
