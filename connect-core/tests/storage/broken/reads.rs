//! Backends whose reads are broken.

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Entry, Found, Locked, Range, Read, State, Storage, StorageError, Value,
    memory::MemoryStorage,
};
use tokio::task::yield_now;

use super::{faults, places::LEASE};

faults! {
    OrdersAsSigned: "order::unsigned_bytes";
    IncludesTheEnd: "order::range_ends";
    TurnsRangesAround: "order::empty_ranges";
    TakesLimitZeroForOne: "order::limits";
    IgnoresNewestFirst: "order::newest_first" "model::fixed_seed";
    AnswersGetsFirst: "reads::in_order_asked";
    HidesEntriesWithoutRow: "reads::follow" "reads::scan_follow";
    FollowsManyToTheSameRows: "reads::many";
    HidesRowlessAmongMany: "reads::many";
    TakesShortKeysWhole: "reads::short_keys";
    ReadsOneByOne: "snapshot::several_gets" "snapshot::all_kinds";
    ScansRowByRow: "snapshot::one_scan";
    FollowsLater: "snapshot::follow";
    JoinsLater: "snapshot::scan_follow";
    ReadsLongValuesLater: "snapshot::long_values";
    ReadsVeryLongValuesLater: "snapshot::very_long_values";
}

pub(super) fn store(broken: Broken) -> Store {
    Store(broken, MemoryStorage::with_lease(LEASE))
}

pub(super) struct Store(Broken, MemoryStorage);

#[async_trait]
impl Storage for Store {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let Self(broken, store) = self;
        let mut found = Vec::new();
        match broken {
            Broken::ReadsOneByOne => {
                for read in reads {
                    found.extend(store.read(&[*read]).await?);
                    yield_now().await;
                }
            }
            _ => {
                let mut asked: Vec<_> = reads.iter().map(|read| self.asked(*read)).collect();
                if *broken == Broken::FollowsManyToTheSameRows && asked.len() > 64 {
                    follow_to_the_same(&mut asked);
                }
                found.extend(store.read(&asked).await?);
            }
        }
        if *broken == Broken::HidesRowlessAmongMany && reads.len() > 64 {
            hide_rowless(&mut found);
        }
        for (read, found) in reads.iter().zip(&mut found) {
            self.spoil(*read, found).await?;
        }
        if *broken == Broken::AnswersGetsFirst {
            found.sort_by_key(|found| !matches!(found, Found::Value(_)));
        }
        Ok(State::new(found))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.1.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.1.lock(guard).await
    }
}

fn hide_rowless(found: &mut [Found]) {
    for found in found {
        if let Found::Followed(entry @ Some((_, None))) = found {
            *entry = None;
        }
    }
}

/// Has all reads that follow do so to the rows of the last one.
fn follow_to_the_same(reads: &mut [Read<'_>]) {
    let mut all = reads.iter_mut().rev().filter_map(|read| match read {
        Read::Follow { rows, .. } => Some(rows),
        _ => None,
    });
    if let Some(last) = all.next() {
        all.for_each(|rows| *rows = last);
    }
}

impl Store {
    /// The read that is made instead.
    fn asked<'a>(&self, mut read: Read<'a>) -> Read<'a> {
        if let Read::Scan {
            range,
            limit,
            newest_first,
        }
        | Read::ScanFollow {
            range,
            limit,
            newest_first,
            ..
        } = &mut read
        {
            match (self.0, range.to) {
                (Broken::TurnsRangesAround, Some(to)) if to < range.from => {
                    *range = Range {
                        from: to,
                        to: Some(range.from),
                    };
                }
                (Broken::TakesLimitZeroForOne, _) => *limit = (*limit).max(1),
                (Broken::IgnoresNewestFirst, _) => *newest_first = false,
                _ => {}
            }
        }
        read
    }

    async fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        yield_now().await;
        self.1.read(&[Read::Get(key)]).await?.value()
    }

    /// Spoils an answer.
    async fn spoil(&self, read: Read<'_>, found: &mut Found) -> Result<(), StorageError> {
        match (read, found) {
            (Read::Follow { rows, .. }, Found::Followed(followed)) => match followed {
                Some((_, None)) if self.0 == Broken::HidesEntriesWithoutRow => *followed = None,
                Some((value, row)) if self.0 == Broken::FollowsLater => {
                    *row = self.get(&[rows, value].concat()).await?;
                }
                _ => {}
            },
            (Read::Scan { range, .. }, Found::Entries(entries)) => {
                self.spoil_scan(range, entries).await?;
            }
            (Read::ScanFollow { rows, tail, .. }, Found::Joined(entries)) => {
                if self.0 == Broken::HidesEntriesWithoutRow {
                    entries.retain(|(_, row)| row.is_some());
                }
                for ((key, _), row) in entries {
                    let at = key.len().checked_sub(tail);
                    if at.is_none() && self.0 == Broken::TakesShortKeysWhole
                        || at.is_some() && self.0 == Broken::JoinsLater
                    {
                        *row = self.get(&[rows, &key[at.unwrap_or(0)..]].concat()).await?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn spoil_scan(
        &self,
        range: Range<'_>,
        entries: &mut Vec<Entry>,
    ) -> Result<(), StorageError> {
        match self.0 {
            Broken::OrdersAsSigned => entries
                .sort_by_key(|(key, _)| key.iter().map(|b| b.cast_signed()).collect::<Vec<_>>()),
            Broken::IncludesTheEnd => {
                let end = range.to.unwrap_or(b"?");
                if let Some(value) = self.get(end).await? {
                    entries.push((end.into(), value));
                }
            }
            Broken::ScansRowByRow => self.read_again(entries, 0).await?,
            Broken::ReadsLongValuesLater => self.read_again(entries, 4_000).await?,
            Broken::ReadsVeryLongValuesLater => self.read_again(entries, 128_000).await?,
            _ => {}
        }
        Ok(())
    }

    /// Reads values from this length on as they are now.
    async fn read_again(&self, entries: &mut [Entry], len: usize) -> Result<(), StorageError> {
        for (key, value) in entries {
            if value.len() >= len
                && let Some(now) = self.get(key).await?
            {
                *value = now;
            }
        }
        Ok(())
    }
}
