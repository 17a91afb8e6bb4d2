//! Reads of possibly damaged stores.
//! A failed read is narrowed down to single rows, and the rest is read.

use std::sync::atomic::{AtomicUsize, Ordering};

use uuid::Uuid;

use super::{Fault, Store, clock::clock_key, committed, keys::after_prefix};
use crate::storage::{
    Commit, Entry, Key, Locked, MAX_KEY_LEN, Range, Read, State, StorageError, Value,
};

/// A reader for possibly damaged stores.
pub(crate) struct LenientReader<'s> {
    store: &'s Store,
    lock: Option<Box<dyn Locked>>,
    /// The number of consecutive unreadable rows.
    failed: AtomicUsize,
}

/// The most consecutive unreadable rows handled one by one.
/// More of them count as a damaged area: an area has too many keys to search one by one.
const MOST_ALONE: usize = 16;

/// The greatest length of keys tried as the end of a damaged area.
const END_LEN: usize = 48;

/// The result of reading rows from one place of the key space.
pub(crate) struct Chunk {
    /// The readable rows, in order. Empty when the first row is damaged.
    pub(crate) entries: Vec<Entry>,
    /// The key of the first row, if unreadable.
    /// Further rows behind it, up to the next piece, may be lost with it.
    pub(crate) damaged: Option<(Key, StorageError)>,
    /// The beginning of the next piece; `None` at the end.
    pub(crate) next: Option<Key>,
}

/// The result of a look-up.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    /// The row, if there is one.
    Found(Option<Value>),
    /// A row the storage cannot return.
    Damaged,
}

impl Chunk {
    /// A piece from a read of at most `limit` rows.
    fn whole(entries: Vec<Entry>, limit: usize) -> Self {
        let last = entries.last().filter(|_| entries.len() == limit);
        Self {
            next: last.map(|(key, _)| after(key)),
            entries,
            damaged: None,
        }
    }
}

impl<'s> LenientReader<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self {
            store,
            lock: None,
            failed: AtomicUsize::new(0),
        }
    }

    /// A reader under the lock of `partition`.
    /// No writer commits there until the reader is dropped or the lock's lease is over.
    pub(crate) async fn under_lock(store: &'s Store, partition: Uuid) -> Result<Self, Fault> {
        let lock = store.storage().lock(&clock_key(partition)).await?;
        Ok(Self {
            store,
            lock: Some(lock),
            failed: AtomicUsize::new(0),
        })
    }

    /// Commits changes based on the reads; `false` on a conflict.
    pub(crate) async fn commit(self, commit: Commit) -> Result<bool, Fault> {
        match self.lock {
            Some(lock) if commit.guard.is_some() => committed(lock.commit(commit).await),
            _ => self.store.commit(commit).await,
        }
    }

    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        match &self.lock {
            Some(lock) => lock.read(reads).await,
            None => self.store.ask(reads).await,
        }
    }

    async fn scan(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<Entry>, StorageError> {
        let scan = scan(Range { from, to }, limit);
        self.read(&[scan]).await?.entries()
    }

    /// Reads at most `limit` rows.
    /// When this fails, reads fewer and fewer, down to the damaged row.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn piece(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        limit: usize,
    ) -> Result<Chunk, Fault> {
        let mut limit = limit;
        loop {
            match self.scan(from, to, limit).await {
                Ok(entries) => {
                    self.failed.store(0, Ordering::Relaxed);
                    return Ok(Chunk::whole(entries, limit));
                }
                Err(_) if limit > 1 => limit /= 2,
                Err(error) => {
                    self.probe().await?;
                    return self.damaged(from, to, error).await;
                }
            }
        }
    }

    /// Reads at most `limit` rows of each range, in one read.
    /// When this fails, reads each range by itself.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn pieces(
        &self,
        ranges: &[Range<'_>],
        limit: usize,
    ) -> Result<Vec<Chunk>, Fault> {
        let scans = ranges.iter().map(|range| scan(*range, limit));
        let scans: Vec<_> = scans.collect();
        let mut pieces = Vec::with_capacity(ranges.len());
        if let Ok(mut state) = self.read(&scans).await {
            for _ in ranges {
                pieces.push(Chunk::whole(state.entries()?, limit));
            }
        } else {
            for range in ranges {
                pieces.push(self.piece(range.from, range.to, limit).await?);
            }
        }
        Ok(pieces)
    }

    /// Looks up rows in one read.
    /// When this fails, reads smaller and smaller parts, down to the damaged rows.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn values(&self, keys: &[Key]) -> Result<Vec<Lookup>, Fault> {
        let mut found = vec![Lookup::Damaged; keys.len()];
        let mut left: Vec<std::ops::Range<usize>> = Vec::new();
        left.extend((!keys.is_empty()).then_some(0..keys.len()));
        while let Some(part) = left.pop() {
            let reads: Vec<_> = keys[part.clone()]
                .iter()
                .map(|key| Read::Get(key))
                .collect();
            match self.read(&reads).await {
                Ok(mut state) => {
                    for looked in &mut found[part] {
                        *looked = Lookup::Found(state.value()?);
                    }
                }
                Err(_) if part.len() > 1 => {
                    let middle = part.start + part.len() / 2;
                    left.extend([part.start..middle, middle..part.end]);
                }
                Err(_) => self.probe().await?,
            }
        }
        Ok(found)
    }

    /// The clock of a partition and a range's last row, in one state.
    pub(crate) async fn clock_and_last(
        &self,
        partition: Uuid,
        range: Range<'_>,
    ) -> Result<(Option<Value>, Option<Entry>), Fault> {
        let clock = clock_key(partition);
        let last = Read::Scan {
            range,
            limit: 1,
            newest_first: true,
        };
        let mut state = self.read(&[Read::Get(&clock), last]).await?;
        Ok((state.value()?, state.entries()?.pop()))
    }

    /// Reads a key absent from every store.
    /// An error means that the storage does not answer at all, rather than that a row is damaged.
    pub(crate) async fn probe(&self) -> Result<(), Fault> {
        match self.read(&[Read::Get(&[0xFF; 17])]).await {
            // The last page may be the damaged one. Then the storage does answer.
            Err(error) if error.unreadable_keys().is_none() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the piece for damage at the start of a range.
    async fn damaged(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        error: StorageError,
    ) -> Result<Chunk, Fault> {
        if let Some(keys) = error.unreadable_keys() {
            let key: Key = from.max(&keys.from).into();
            return Ok(Chunk {
                entries: Vec::new(),
                next: keys.to.clone().map(|end| end.max(after(&key))),
                damaged: Some((key, error)),
            });
        }
        let is_area = self.failed.fetch_add(1, Ordering::Relaxed) >= MOST_ALONE;
        let (key, next) = if is_area {
            (from.into(), self.end_of_area(from, to).await)
        } else {
            let key = self.first_key(from, to).await.ok_or(error.clone())?;
            (key.clone(), Some(after(&key)))
        };
        Ok(Chunk {
            entries: Vec::new(),
            next,
            damaged: Some((key, error)),
        })
    }

    /// Finds a key behind a damaged area.
    /// Reads from this key on succeed. `None` when the range has no such key.
    async fn end_of_area(&self, from: &[u8], to: Option<&[u8]>) -> Option<Key> {
        // First further and further away, by a shorter and shorter beginning of the key.
        let start = &from[..from.len().min(END_LEN)];
        let nearer = (1..=start.len())
            .rev()
            .map(|len| after_prefix(&start[..len]));
        let first = start.first().copied().unwrap_or(0);
        let further = (first..=u8::MAX).map(|byte| [byte].into());
        let ends: Vec<Key> = nearer.chain(further).collect();
        let mut high = None;
        for end in ends {
            if to.is_some_and(|to| *end >= *to) {
                break;
            }
            if self.scan(from.max(&end), to, 1).await.is_ok() {
                high = Some(end);
                break;
            }
        }
        // Then back: the last byte of this key is smaller, and further ones follow.
        let high = high?;
        let (_, common) = high.split_last()?;
        let edge = Edge::Area {
            from,
            high: &high,
            to,
        };
        Some(match self.last_before(edge, common, END_LEN).await {
            Ok(last) => after(&last),
            Err(last) => after_prefix(&last),
        })
    }

    /// Finds the key of the first, unreadable row of a range.
    /// `None` when there is none: the first failure had another cause.
    async fn first_key(&self, from: &[u8], to: Option<&[u8]>) -> Option<Key> {
        // All keys of a range begin with what its two ends have in common.
        let ends = from.iter().zip(to.unwrap_or_default());
        let common = ends.take_while(|(from, to)| from == to);
        let common: Vec<u8> = common.map(|(byte, _)| *byte).collect();
        let found = self.last_before(Edge::Row(from), &common, MAX_KEY_LEN);
        let found = found.await.ok()?;
        to.is_none_or(|to| *found < *to).then(|| found.into())
    }

    /// Finds the last key before an edge, among the keys with a common beginning.
    ///
    /// # Errors
    /// The beginning of the key, when it has more than `most` bytes.
    async fn last_before(
        &self,
        edge: Edge<'_>,
        common: &[u8],
        most: usize,
    ) -> Result<Vec<u8>, Vec<u8>> {
        let mut key = common.to_vec();
        while key.len() <= most {
            if self.is_behind(edge, &after(&key)).await {
                return Ok(key);
            }
            // The largest next byte with which the key is before the edge.
            let (mut least, mut most) = (0u8, u8::MAX);
            while least < most {
                let middle = most - (most - least) / 2;
                key.push(middle);
                let is_behind = self.is_behind(edge, &key).await;
                key.pop();
                if is_behind {
                    most = middle - 1;
                } else {
                    least = middle;
                }
            }
            key.push(least);
        }
        Err(key)
    }

    async fn is_behind(&self, edge: Edge<'_>, key: &[u8]) -> bool {
        match edge {
            Edge::Row(from) => self.scan(from, Some(key), 1).await.is_err(),
            Edge::Area { from, high, to } => {
                self.scan(key.max(from).min(high), to, 1).await.is_ok()
            }
        }
    }
}

/// A place among the keys, found by reads.
#[derive(Clone, Copy)]
enum Edge<'k> {
    /// Behind the first, unreadable row from this key on.
    /// A read up to a key behind the row fails; a read up to the row or less succeeds.
    Row(&'k [u8]),
    /// The end of a damaged area.
    /// A read from this end on succeeds, as from the key `high`.
    Area {
        from: &'k [u8],
        high: &'k [u8],
        to: Option<&'k [u8]>,
    },
}

/// The read of a range's first `limit` rows.
fn scan(range: Range<'_>, limit: usize) -> Read<'_> {
    Read::Scan {
        range,
        limit,
        newest_first: false,
    }
}

/// The next key in order: this one with a zero byte appended.
fn after(key: &[u8]) -> Key {
    [key, &[0]].concat().into()
}

#[cfg(test)]
mod tests;
