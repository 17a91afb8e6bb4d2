//! Reads of possibly damaged stores.
//! A failed read is narrowed down to single rows, and the rest is read.

use std::sync::atomic::{AtomicUsize, Ordering};

use uuid::Uuid;

use super::{Fault, Store, clock::clock_key, committed};
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
    pub(super) async fn probe(&self) -> Result<(), Fault> {
        self.read(&[Read::Get(&[0xFF; 17])]).await?;
        Ok(())
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
            let end = keys.to.clone();
            let is_inside = |end: &Key| to.is_none_or(|to| **end < *to);
            return Ok(Chunk {
                entries: Vec::new(),
                next: end.filter(|end| is_inside(end) && *end > key),
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
        let mut low = from[..from.len().min(END_LEN)].to_vec();
        low.resize(END_LEN, 0);
        // First further and further away, by a shorter and shorter beginning of the key.
        let nearer = (1..=END_LEN)
            .rev()
            .filter_map(|len| next_of_len(&low[..len]));
        let further = (low[0]..u8::MAX).map(|first| vec![first + 1]);
        let ends: Vec<_> = nearer.chain(further).collect();
        let mut high = None;
        for end in ends {
            if to.is_some_and(|to| *end >= *to) {
                break;
            }
            if self.scan(&end, to, 1).await.is_ok() {
                high = Some(end);
                break;
            }
            low = end;
        }
        let mut high = high?;
        // Then back, by halves of the beginning that was left free.
        high.resize(END_LEN, 0);
        low.resize(END_LEN, 0);
        for _ in 0..8 * END_LEN {
            let middle = half_way(&low, &high);
            if middle == low {
                break;
            }
            if self.scan(&middle, to, 1).await.is_ok() {
                high = middle;
            } else {
                low = middle;
            }
        }
        // A shorter key may be the first that can be read.
        let last = high.iter().rposition(|byte| *byte != 0);
        let shorter = high[..last.map_or(0, |last| last + 1)].to_vec();
        if *shorter > *from && self.scan(&shorter, to, 1).await.is_ok() {
            high = shorter;
        }
        Some(high.into())
    }

    /// Finds the key of the first, unreadable row of a range.
    /// A read up to a key behind the row fails; a read up to the row or less succeeds. `None` when
    /// this does not hold: the first failure had another cause.
    async fn first_key(&self, from: &[u8], to: Option<&[u8]>) -> Option<Key> {
        // All keys of a range begin with what its two ends have in common.
        let ends = from.iter().zip(to.unwrap_or_default());
        let common = ends.take_while(|(from, to)| from == to);
        let mut key: Vec<u8> = common.map(|(byte, _)| *byte).collect();
        while key.len() <= MAX_KEY_LEN {
            if self.is_before(from, &after(&key)).await {
                return to.is_none_or(|to| *key < *to).then(|| key.into());
            }
            // The largest next byte with which the row is not before the key.
            let (mut least, mut most) = (0u8, u8::MAX);
            while least < most {
                let middle = most - (most - least) / 2;
                key.push(middle);
                let is_before = self.is_before(from, &key).await;
                key.pop();
                if is_before {
                    most = middle - 1;
                } else {
                    least = middle;
                }
            }
            key.push(least);
        }
        None
    }

    /// Returns whether the first, unreadable row from `from` on is before `key`.
    async fn is_before(&self, from: &[u8], key: &[u8]) -> bool {
        key > from && self.scan(from, Some(key), 1).await.is_err()
    }
}

/// The read of a range's first `limit` rows.
fn scan(range: Range<'_>, limit: usize) -> Read<'_> {
    Read::Scan {
        range,
        limit,
        newest_first: false,
    }
}

/// The first key behind a prefix; `None` for all ones.
fn next_of_len(start: &[u8]) -> Option<Vec<u8>> {
    let last = start.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut next = start[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

/// The key in the middle of two keys of the same length.
fn half_way(low: &[u8], high: &[u8]) -> Vec<u8> {
    let mut sum = vec![0; low.len()];
    let mut carry = 0;
    for (place, (low, high)) in sum.iter_mut().zip(low.iter().zip(high)).rev() {
        let digit = u16::from(*low) + u16::from(*high) + carry;
        carry = digit >> 8;
        *place = (digit & 0xFF) as u8;
    }
    for place in &mut sum {
        let digit = carry << 8 | u16::from(*place);
        *place = (digit / 2) as u8;
        carry = digit % 2;
    }
    sum
}

/// The next key in order: this one with a zero byte appended.
fn after(key: &[u8]) -> Key {
    [key, &[0]].concat().into()
}

#[cfg(test)]
mod tests;
