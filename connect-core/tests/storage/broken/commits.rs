//! Backends whose commits are broken.

mod spoil;

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Key, Locked, Read, State, Storage, StorageError, Value, Write,
    memory::MemoryStorage,
};
use tokio::{sync::RwLock, task::yield_now, time::sleep};

use super::{faults, places::LEASE};

faults! {
    KeepsRowsOfIndex: "reads::index_entries";
    DropsEmptyValues: "values::empty_keys_and_values";
    EndsAtNul: "values::any_bytes";
    RemovesByEmptying: "values::removal";
    KeepsOldForNew: "values::new_over_old";
    CutsLongKeys: "values::long_keys";
    CutsLongValues: "values::long_values";
    LeavesTails: "values::long_values_change";
    AbsentMeansEmpty: "expectations::absent";
    ComparesStarts: "expectations::exact_value";
    AppliesBeforeChecking: "expectations::all_or_nothing";
    ChecksWrittenKeysOnly: "expectations::on_keys_not_written";
    SkipsCommitsWithoutWrites: "expectations::without_writes";
    TakesAnyFirstGuard: "guards::absent_at_first";
    IgnoresGuards: "guards::absent_at_first" "guards::checked_and_written";
    NeverWritesGuards: "guards::checked_and_written";
    WritesGuardsFirst: "guards::kept_when_refused" "guards::serial";
    CutsGuards: "guards::apart";
    ChecksThenWrites: "guards::one_winner" "contention::one_winner" "contention::counter";
    ChecksOthersFirst: "contention::skew";
    RefusesBesideOthers: "contention::disjoint";
    SaysUnknown: "contention::refusals_are_known";
    AppliesRowByRow: "snapshot::one_scan" "snapshot::long_values" "cancellation::whole_or_nothing";
    AcknowledgesFirst: "snapshot::acknowledged_is_seen";
    ReadsWait: "waiting::reads_go_on";
}

pub(super) fn store(broken: Broken) -> Store {
    Store {
        broken,
        store: MemoryStorage::with_lease(LEASE),
        is_busy: AtomicBool::new(false),
        committing: RwLock::default(),
    }
}

pub(super) struct Store {
    broken: Broken,
    store: MemoryStorage,
    is_busy: AtomicBool,
    committing: RwLock<()>,
}

#[async_trait]
impl Storage for Store {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let _waited = match self.broken {
            Broken::ReadsWait => Some(self.committing.read().await),
            _ => None,
        };
        self.store.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        match self.broken {
            Broken::AppliesBeforeChecking => {
                self.write(commit.writes.iter().take(1).cloned().collect())
                    .await?;
            }
            Broken::SkipsCommitsWithoutWrites if commit.writes.is_empty() => return Ok(()),
            Broken::WritesGuardsFirst => return self.guard_first(commit).await,
            Broken::ChecksThenWrites | Broken::AppliesRowByRow => {
                return self.check_then_write(commit).await;
            }
            Broken::ChecksOthersFirst => return self.check_others_first(commit).await,
            Broken::RefusesBesideOthers => {
                if self.is_busy.swap(true, Ordering::AcqRel) {
                    return Err(CommitError::Conflict);
                }
                yield_now().await;
                let result = self.store.commit(commit).await;
                self.is_busy.store(false, Ordering::Release);
                return result;
            }
            Broken::SaysUnknown => {
                let unknown = || CommitError::Unknown(StorageError::new("who knows"));
                return self.store.commit(commit).await.map_err(|_| unknown());
            }
            Broken::AcknowledgesFirst => {
                let store = self.store.clone();
                tokio::spawn(async move { store.commit(commit).await });
                return Ok(());
            }
            Broken::ReadsWait => {
                let _alone = self.committing.write().await;
                return self.store.commit(commit).await;
            }
            _ => {}
        }
        let commit = self.spoil(commit).await?;
        self.store.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.store.lock(guard).await
    }
}

impl Store {
    async fn get(&self, key: &[u8]) -> Result<Option<Value>, CommitError> {
        let found = self.store.read(&[Read::Get(key)]).await;
        found
            .and_then(|mut found| found.value())
            .map_err(CommitError::Unknown)
    }

    async fn write(&self, writes: Vec<(Key, Write)>) -> Result<(), CommitError> {
        let writes = Commit {
            writes,
            ..Commit::default()
        };
        self.store.commit(writes).await
    }

    async fn guard_first(&self, mut commit: Commit) -> Result<(), CommitError> {
        let guard = Commit {
            guard: commit.guard.take(),
            ..Commit::default()
        };
        self.store.commit(guard).await?;
        sleep(Duration::from_millis(1)).await;
        self.store.commit(commit).await
    }

    async fn check_then_write(&self, commit: Commit) -> Result<(), CommitError> {
        let Commit {
            expects, writes, ..
        } = commit.with_guard_as_row();
        let only = Commit {
            expects,
            ..Commit::default()
        };
        self.store.commit(only).await?;
        yield_now().await;
        if self.broken == Broken::ChecksThenWrites {
            return self.write(writes).await;
        }
        for one in writes {
            self.write(vec![one]).await?;
            yield_now().await;
        }
        Ok(())
    }

    /// Snapshot isolation: only what is written is checked when it is written.
    async fn check_others_first(&self, mut commit: Commit) -> Result<(), CommitError> {
        let written: BTreeSet<_> = commit.writes.iter().map(|(key, _)| key.clone()).collect();
        let is_written = |(key, _): &mut (Key, _)| written.contains(key);
        let mut own: Vec<_> = commit.expects.extract_if(.., is_written).collect();
        std::mem::swap(&mut own, &mut commit.expects);
        let others = Commit {
            expects: own,
            ..Commit::default()
        };
        self.store.commit(others).await?;
        yield_now().await;
        self.store.commit(commit).await
    }
}
