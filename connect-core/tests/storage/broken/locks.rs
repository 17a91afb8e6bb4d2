//! Backends whose locks are broken, or whose commits and locks do not know of each other.

mod gates;
mod queue;

use std::{mem::ManuallyDrop, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Found, Locked, Read, State, Storage, StorageError, Value,
    memory::MemoryStorage,
};
use parking_lot::Mutex;

use self::{gates::Gates, queue::Queue};
use super::{faults, places::LEASE};

faults! {
    HoldsOffNobody: "locks::hold_off_commits" "progress::two_runs";
    LocksNothing: "locks::exclusive";
    LocksAllGuardsAtOnce: "locks::leave_others_alone";
    GrantsTheLastFirst: "locks::granted_in_order";
    WaitsForThoseWhoGaveUp: "locks::given_up_waiting";
    NeverReleases: "locks::released_when_dropped";
    LagsUnderLocks: "locks::see_what_was_before";
    FindsWhatIsOnlyLocked: "reads::many_under_a_lock";
    TakesAnyGuard: "locks::for_one_guard";
    HasNoLease: "leases::go_to_the_next";
    TakesLateCommits: "leases::go_to_the_next" "leases::refuse_late_commits";
    KeepsGuardsOfThoseWhoLeft: "cancellation::holds_nobody_up";
    ForgetsCommitsOfThoseWhoLeft: "cancellation::over_before_a_lock" "cancellation::under_a_lock";
}

pub(super) fn store(broken: Broken) -> Store {
    let lease = match broken {
        Broken::HasNoLease => Duration::from_secs(3600),
        _ => LEASE,
    };
    Store {
        broken,
        store: MemoryStorage::with_lease(lease),
        gates: Gates::default(),
        queue: Arc::default(),
        before: Arc::default(),
    }
}

#[derive(Clone)]
pub(super) struct Store {
    broken: Broken,
    /// Keeps the rows; its own locks are used by those that are broken in a small thing.
    store: MemoryStorage,
    gates: Gates,
    queue: Arc<Queue>,
    /// The last state that was read, for the one that lags.
    before: Arc<Mutex<Vec<Found>>>,
}

#[async_trait]
impl Storage for Store {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.store.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let guard = commit.guard.as_ref().map(|guard| guard.key.clone());
        match self.broken {
            Broken::LocksAllGuardsAtOnce => {
                let _entered = self.gates.enter(b"").await;
                self.store.commit(commit).await
            }
            Broken::GrantsTheLastFirst | Broken::WaitsForThoseWhoGaveUp => {
                let _entered = match &guard {
                    Some(guard) => Some(self.gates.enter(guard).await),
                    None => None,
                };
                self.store.commit(commit).await
            }
            Broken::KeepsGuardsOfThoseWhoLeft => {
                let entered = match &guard {
                    Some(guard) => Some(ManuallyDrop::new(self.gates.lock(guard).await)),
                    None => None,
                };
                tokio::task::yield_now().await;
                let result = self.store.commit(commit).await;
                // Whoever goes away before this leaves the guard taken for ever.
                drop(entered.map(ManuallyDrop::into_inner));
                result
            }
            Broken::ForgetsCommitsOfThoseWhoLeft => {
                let _entered = match &guard {
                    Some(guard) => Some(self.gates.enter(guard).await),
                    None => None,
                };
                self.apply_in_a_while(commit).await
            }
            _ => self.store.commit(commit).await,
        }
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let held: Held = match self.broken {
            Broken::LocksNothing | Broken::KeepsGuardsOfThoseWhoLeft => Box::new(()),
            Broken::LocksAllGuardsAtOnce => Box::new(self.gates.lock(b"").await),
            Broken::HoldsOffNobody | Broken::ForgetsCommitsOfThoseWhoLeft => {
                Box::new(self.gates.lock(guard).await)
            }
            Broken::GrantsTheLastFirst | Broken::WaitsForThoseWhoGaveUp => {
                let turn = self.queue.turn(self.broken).await;
                Box::new((turn, self.gates.lock(guard).await))
            }
            _ => {
                let inner = ManuallyDrop::new(self.store.lock(guard).await?);
                let store = self.clone();
                return Ok(Box::new(BrokenLock { inner, store }));
            }
        };
        Ok(Box::new(OwnLock {
            store: self.clone(),
            _held: held,
        }))
    }
}

impl Store {
    /// Applies a commit in a task of its own, which takes some time.
    async fn apply_in_a_while(&self, commit: Commit) -> Result<(), CommitError> {
        let store = self.store.clone();
        let applying = tokio::spawn(async move {
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            store.commit(commit).await
        });
        applying.await.unwrap()
    }
}

type Held = Box<dyn Send + Sync>;

/// A lock that is not one of memory's.
struct OwnLock {
    store: Store,
    _held: Held,
}

#[async_trait]
impl Locked for OwnLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.store.store.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        match self.store.broken {
            Broken::ForgetsCommitsOfThoseWhoLeft => self.store.apply_in_a_while(commit).await,
            _ => self.store.store.commit(commit).await,
        }
    }
}

fn find_nothing_as_empty(found: &mut [Found]) {
    for found in found {
        if let Found::Value(value @ None) | Found::Followed(Some((_, value @ None))) = found {
            *value = Some(Value::from([]));
        }
    }
}

/// One of memory's locks, and what is made of it.
struct BrokenLock {
    inner: ManuallyDrop<Box<dyn Locked>>,
    store: Store,
}

#[async_trait]
impl Locked for BrokenLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let mut found: Vec<_> = self.inner.read(reads).await?.collect();
        if self.store.broken == Broken::FindsWhatIsOnlyLocked {
            find_nothing_as_empty(&mut found);
        }
        let mut before = self.store.before.lock();
        if self.store.broken == Broken::LagsUnderLocks && !before.is_empty() {
            return Ok(State::new(std::mem::replace(&mut *before, found)));
        }
        before.clone_from(&found);
        Ok(State::new(found))
    }

    async fn commit(mut self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        let inner = std::mem::replace(&mut *self.inner, Box::new(Never));
        let result = inner.commit(commit.clone()).await;
        match (self.store.broken, result) {
            (Broken::TakesAnyGuard, Err(CommitError::NotApplied(_)))
            | (Broken::TakesLateCommits, Err(CommitError::Conflict)) => {
                self.store.store.commit(commit).await
            }
            (_, result) => result,
        }
    }
}

impl Drop for BrokenLock {
    fn drop(&mut self) {
        if self.store.broken != Broken::NeverReleases {
            let never = Box::new(Never);
            drop(std::mem::replace(&mut *self.inner, never));
        }
    }
}

/// The rest of a lock that was released.
struct Never;

#[async_trait]
impl Locked for Never {
    async fn read(&self, _: &[Read<'_>]) -> Result<State, StorageError> {
        Err(StorageError::new("released"))
    }

    async fn commit(self: Box<Self>, _: Commit) -> Result<(), CommitError> {
        Err(CommitError::Conflict)
    }
}
