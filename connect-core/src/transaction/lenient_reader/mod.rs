//! Reads that go around damage: what the storage cannot return is narrowed down to single rows,
//! and the rest is read.

use std::sync::atomic::{AtomicUsize, Ordering};

use uuid::Uuid;

use super::{Fault, Store, clock::clock_key};
use crate::storage::{Entry, Key, Locked, MAX_KEY_LEN, Range, Read, State, StorageError, Value};

/// A reader for a store that may be damaged.
pub(crate) struct Salvage<'s> {
    store: &'s Store,
    lock: Option<Box<dyn Locked>>,
    /// Rows in a row that could not be read.
    failed: AtomicUsize,
}

/// More rows in a row than this that cannot be read are taken for an area that is damaged: there
/// are more keys in one than can be asked for.
const MOST_ALONE: usize = 16;

/// The longest key that is tried as the end of a damaged area.
const END_LEN: usize = 48;

/// The rows that were found at a place of the key space.
pub(crate) struct Piece {
    /// The rows that can be read, in order. None when the first row is damaged.
    pub(crate) entries: Vec<Entry>,
    /// The key of the first row, when the storage cannot return that. Further rows behind it may be
    /// lost with it, up to the next piece.
    pub(crate) damaged: Option<(Key, StorageError)>,
    /// The beginning of the next piece; `None` at the end.
    pub(crate) next: Option<Key>,
}

/// The result of a look-up.
#[derive(Clone, Debug)]
pub(crate) enum Looked {
    /// The row, if there is one.
    Found(Option<Value>),
    /// A row that the storage cannot return.
    Damaged,
}

impl Piece {
    /// The rows that a read of at most `limit` found.
    fn whole(entries: Vec<Entry>, limit: usize) -> Self {
        let last = entries.last().filter(|_| entries.len() == limit);
        Self {
            next: last.map(|(key, _)| after(key)),
            entries,
            damaged: None,
        }
    }
}

impl<'s> Salvage<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self {
            store,
            lock: None,
            failed: AtomicUsize::new(0),
        }
    }

    /// A reader beside which nobody commits to `partition`, until it is dropped or the lock's lease
    /// is over.
    pub(crate) async fn under_lock(store: &'s Store, partition: Uuid) -> Result<Self, Fault> {
        let lock = store.storage().lock(&clock_key(partition)).await?;
        Ok(Self {
            store,
            lock: Some(lock),
            failed: AtomicUsize::new(0),
        })
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

    /// Reads at most `limit` rows. When they cannot be read at once, fewer of them, down to the
    /// damaged one.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn piece(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        limit: usize,
    ) -> Result<Piece, Fault> {
        let mut limit = limit;
        loop {
            match self.scan(from, to, limit).await {
                Ok(entries) => {
                    self.failed.store(0, Ordering::Relaxed);
                    return Ok(Piece::whole(entries, limit));
                }
                Err(_) if limit > 1 => limit /= 2,
                Err(error) => {
                    self.probe().await?;
                    return self.damaged(from, to, error).await;
                }
            }
        }
    }

    /// Reads at most `limit` rows of each range, all in one read. When that fails, each range by
    /// itself.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn pieces(
        &self,
        ranges: &[Range<'_>],
        limit: usize,
    ) -> Result<Vec<Piece>, Fault> {
        let scans = ranges.iter().map(|range| scan(*range, limit));
        let scans: Vec<_> = scans.collect();
        let mut pieces = Vec::with_capacity(ranges.len());
        if let Ok(mut state) = self.read(&scans).await {
            for _ in ranges {
                pieces.push(Piece::whole(state.entries()?, limit));
            }
        } else {
            for range in ranges {
                pieces.push(self.piece(range.from, range.to, limit).await?);
            }
        }
        Ok(pieces)
    }

    /// Looks up rows in one read; when that fails, in parts, down to the damaged ones.
    ///
    /// # Errors
    /// The storage does not answer at all.
    pub(crate) async fn values(&self, keys: &[Key]) -> Result<Vec<Looked>, Fault> {
        let mut found = vec![Looked::Damaged; keys.len()];
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
                        *looked = Looked::Found(state.value()?);
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

    /// The clock of a partition and the last row in a range, both in one state.
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

    /// Asks for a row that no store has: an error means that the storage answers nothing at all,
    /// rather than that a row is damaged.
    pub(super) async fn probe(&self) -> Result<(), Fault> {
        self.read(&[Read::Get(&[0xFF; 17])]).await?;
        Ok(())
    }

    /// The piece that begins with something damaged, and the place behind that.
    async fn damaged(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        error: StorageError,
    ) -> Result<Piece, Fault> {
        if let Some(keys) = error.unreadable_keys() {
            let key: Key = from.max(&keys.from).into();
            let end = keys.to.clone();
            let is_inside = |end: &Key| to.is_none_or(|to| **end < *to);
            return Ok(Piece {
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
        Ok(Piece {
            entries: Vec::new(),
            next,
            damaged: Some((key, error)),
        })
    }

    /// A key behind an area that cannot be read, from which on reads go well again; `None` when
    /// there is none in the range.
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

    /// The key of the first row of a range, which cannot be returned: a range that ends behind it
    /// cannot be read, one that ends at it or before it can. `None` when that is not so, and the
    /// first failure was none of the row.
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

    /// Checks whether the first row from `from` on, which cannot be returned, is before `key`.
    async fn is_before(&self, from: &[u8], key: &[u8]) -> bool {
        key > from && self.scan(from, Some(key), 1).await.is_err()
    }
}

/// The read of at most `limit` rows from the beginning of a range.
fn scan(range: Range<'_>, limit: usize) -> Read<'_> {
    Read::Scan {
        range,
        limit,
        newest_first: false,
    }
}

/// The first key behind all that begin with this one; `None` when it is all ones.
fn next_of_len(start: &[u8]) -> Option<Vec<u8>> {
    let last = start.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut next = start[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

/// The key in the middle of two of the same length.
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

/// The next key in order: this one with a zero byte behind it.
fn after(key: &[u8]) -> Key {
    [key, &[0]].concat().into()
}

#[cfg(test)]
mod tests;
