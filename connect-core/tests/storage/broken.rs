//! The conformance checks find what they are for: each broken backend fails the check meant.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Entry, Expectation, Range, Storage, StorageError, Value,
    conformance::{CHECKS, Place, run_all},
    memory::MemoryStorage,
};

/// What is wrong with it.
#[derive(Clone, Copy)]
enum Broken {
    AppliesBeforeChecking,
    AbsentMeansEmpty,
    ChecksWrittenKeysOnly,
    ChecksThenWrites,
    ScansRowByRow,
    GetsKeyByKey,
    AppliesRowByRow,
    IncludesTheEnd,
    ForgetsTheLimit,
    CutsLongValues,
    OrdersAsSigned,
    ForgetsOnClose,
}

struct BrokenStorage(Broken, MemoryStorage);

#[async_trait]
impl Storage for BrokenStorage {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        let mut found = Vec::new();
        if !matches!(self.0, Broken::GetsKeyByKey) {
            return self.1.get(keys).await;
        }
        for key in keys {
            found.append(&mut self.1.get(&[key]).await?);
            tokio::task::yield_now().await;
        }
        Ok(found)
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        let mut found = match self.0 {
            Broken::ForgetsTheLimit => self.1.scan(range, limit.max(1)).await?,
            _ => self.1.scan(range, limit).await?,
        };
        match self.0 {
            Broken::ScansRowByRow => {
                for (key, value) in &mut found {
                    tokio::task::yield_now().await;
                    if let Some(now) = self.1.get(&[key]).await?.remove(0) {
                        *value = now;
                    }
                }
            }
            Broken::IncludesTheEnd => {
                if let Some(Some(value)) = self.1.get(&[range.to.unwrap_or(b"?")]).await?.pop() {
                    found.push((range.to.unwrap_or(b"?").into(), value));
                }
            }
            Broken::OrdersAsSigned => {
                found.sort_by_key(|(key, _)| {
                    key.iter().map(|b| b.cast_signed()).collect::<Vec<_>>()
                });
            }
            _ => {}
        }
        Ok(found)
    }

    async fn commit(&self, mut commit: Commit) -> Result<(), CommitError> {
        let write = async |writes| {
            self.1
                .commit(Commit {
                    expects: Vec::new(),
                    writes,
                })
                .await
        };
        match self.0 {
            Broken::AppliesBeforeChecking => {
                write(commit.writes.iter().take(1).cloned().collect()).await?
            }
            Broken::AbsentMeansEmpty => {
                for (key, expected) in &mut commit.expects {
                    let found = self.1.get(&[key]).await?.remove(0);
                    if *expected == Expectation::Absent && found.as_deref() == Some(b"") {
                        *expected = Expectation::unchanged(found);
                    }
                }
            }
            Broken::ChecksWrittenKeysOnly => {
                let writes: BTreeMap<_, _> = commit.writes.iter().cloned().collect();
                commit.expects.retain(|(key, _)| writes.contains_key(key));
            }
            Broken::ChecksThenWrites => {
                let only = Commit {
                    expects: commit.expects,
                    writes: Vec::new(),
                };
                self.1.commit(only).await?;
                tokio::task::yield_now().await;
                return write(commit.writes).await;
            }
            Broken::AppliesRowByRow => {
                let only = Commit {
                    expects: commit.expects,
                    writes: Vec::new(),
                };
                self.1.commit(only).await?;
                for one in commit.writes {
                    tokio::task::yield_now().await;
                    write(vec![one]).await?;
                }
                return Ok(());
            }
            Broken::CutsLongValues => {
                for (_, value) in &mut commit.writes {
                    *value = value
                        .take()
                        .map(|value| value[..value.len().min(70_000)].into());
                }
            }
            _ => {}
        }
        self.1.commit(commit).await
    }
}

#[async_trait]
impl Place for Broken {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(Arc::new(BrokenStorage(*self, MemoryStorage::new())))
    }

    fn persists(&self) -> bool {
        matches!(self, Self::ForgetsOnClose)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_is_found_by_the_check_meant_for_it() {
    let cases = [
        (Broken::AppliesBeforeChecking, "all_or_nothing"),
        (Broken::AbsentMeansEmpty, "absent"),
        (Broken::ChecksWrittenKeysOnly, "on_keys_not_written"),
        (Broken::ChecksThenWrites, "counter"),
        (Broken::ChecksThenWrites, "one_winner"),
        (Broken::ScansRowByRow, "scan_sees_whole_commits"),
        (Broken::GetsKeyByKey, "get_sees_whole_commits"),
        (Broken::AppliesRowByRow, "scan_sees_whole_commits"),
        (Broken::AppliesRowByRow, "whole_or_nothing"),
        (Broken::IncludesTheEnd, "range_ends"),
        (Broken::ForgetsTheLimit, "limits"),
        (Broken::CutsLongValues, "long_values"),
        (Broken::OrdersAsSigned, "unsigned_bytes"),
        (Broken::ForgetsOnClose, "keeps_everything"),
    ];
    for (broken, name) in cases {
        let check = CHECKS.iter().find(|check| check.name == name).unwrap();
        // A check for a race may miss it once on a busy machine, but not time after time.
        let mut found = false;
        for _ in 0..50 {
            if check.run(&broken).await.is_err() {
                found = true;
                break;
            }
        }
        assert!(found, "{name} has found nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_named_and_explained() {
    let failures = run_all(|| Broken::IncludesTheEnd).await.unwrap_err();
    let text = failures.to_string();
    assert!(
        text.contains("range_ends: promised is that a range has its first key"),
        "{text}"
    );
    assert!(
        text.contains("a scan from \"b\" to Some(\"f\"): found ["),
        "{text}"
    );
}
