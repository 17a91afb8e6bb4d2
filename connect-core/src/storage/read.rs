//! Reads and their results, as plain data.

use super::{Entry, Key, StorageError, Value};

/// A half-open range of keys, `from <= key < to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<'a> {
    /// The first key of the range.
    pub from: &'a [u8],
    /// The first key after the range; `None` reads to the end.
    pub to: Option<&'a [u8]>,
}

impl Range<'_> {
    /// Returns whether the range ends at or before its start.
    pub fn is_empty(&self) -> bool {
        self.to.is_some_and(|to| to <= self.from)
    }
}

/// One of several reads of one state.
///
/// `Follow` and `ScanFollow` join an index with its rows, so finding a record through an index
/// takes no second round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// The value of a key. Answered by [`Found::Value`].
    Get(&'a [u8]),
    /// An index entry and its row.
    /// Answered by [`Found::Followed`]. The value of `key`, then the value of the key `rows ++
    /// value of key`.
    Follow {
        /// The key of the index entry.
        key: &'a [u8],
        /// The common prefix of the keys of all rows.
        rows: &'a [u8],
    },
    /// At most `limit` entries of `range`. Answered by [`Found::Entries`].
    Scan {
        /// The keys.
        range: Range<'a>,
        /// The most entries to return.
        limit: usize,
        /// Reads from the end of the range, in descending order.
        newest_first: bool,
    },
    /// As `Scan`, with the row of each entry.
    /// Answered by [`Found::Joined`]. The key of the row is `rows ++ the last tail bytes of the
    /// entry's key`.
    ScanFollow {
        /// The index entries.
        range: Range<'a>,
        /// The most entries to return.
        limit: usize,
        /// Reads from the end of the range, in descending order.
        newest_first: bool,
        /// The common prefix of the keys of all rows.
        rows: &'a [u8],
        /// The length of an entry key's end, the rest of its row's key, in bytes.
        /// An entry with a shorter key has no row.
        tail: usize,
    },
}

/// The answer to one [`Read`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// To [`Read::Get`]: the value, if there is one.
    Value(Option<Value>),
    /// To [`Read::Follow`]: the entry's value and its row, if they exist.
    Followed(Option<(Value, Option<Value>)>),
    /// To [`Read::Scan`]: the entries.
    Entries(Vec<Entry>),
    /// To [`Read::ScanFollow`]: the entries, each with its row, if there is one.
    /// Entries written as [`Write::Index`](super::Write::Index) or
    /// [`Write::NewIndex`](super::Write::NewIndex) have empty values.
    Joined(Vec<(Entry, Option<Value>)>),
}

/// The answers to several reads of one committed state.
#[derive(Clone, Debug)]
pub struct State {
    found: std::vec::IntoIter<Found>,
}

impl State {
    /// The answers to the reads, in the order of the reads.
    pub fn new(found: Vec<Found>) -> Self {
        Self {
            found: found.into_iter(),
        }
    }

    /// The answer to the next read, a [`Read::Get`].
    ///
    /// # Errors
    /// The backend gave an answer of another kind.
    pub fn value(&mut self) -> Result<Option<Value>, StorageError> {
        match self.found.next() {
            Some(Found::Value(value)) => Ok(value),
            other => Err(mismatch("a value", other.as_ref())),
        }
    }

    /// The answer to the next read, a [`Read::Follow`].
    ///
    /// # Errors
    /// The backend gave an answer of another kind.
    pub fn followed(&mut self) -> Result<Option<(Value, Option<Value>)>, StorageError> {
        match self.found.next() {
            Some(Found::Followed(found)) => Ok(found),
            other => Err(mismatch("a followed entry", other.as_ref())),
        }
    }

    /// The answer to the next read, a [`Read::Scan`].
    ///
    /// # Errors
    /// The backend gave an answer of another kind.
    pub fn entries(&mut self) -> Result<Vec<Entry>, StorageError> {
        match self.found.next() {
            Some(Found::Entries(entries)) => Ok(entries),
            other => Err(mismatch("entries", other.as_ref())),
        }
    }

    /// The answer to the next read, a [`Read::ScanFollow`].
    ///
    /// # Errors
    /// The backend gave an answer of another kind.
    pub fn joined(&mut self) -> Result<Vec<(Entry, Option<Value>)>, StorageError> {
        match self.found.next() {
            Some(Found::Joined(entries)) => Ok(entries),
            other => Err(mismatch("joined entries", other.as_ref())),
        }
    }
}

/// The remaining answers, in order.
impl Iterator for State {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        self.found.next()
    }
}

fn mismatch(wanted: &str, found: Option<&Found>) -> StorageError {
    let found = match found {
        None => "nothing",
        Some(Found::Value(_)) => "a value",
        Some(Found::Followed(_)) => "a followed entry",
        Some(Found::Entries(_)) => "entries",
        Some(Found::Joined(_)) => "joined entries",
    };
    StorageError::new(format_args!(
        "the backend answered with {found} where {wanted} was asked for"
    ))
}

/// One committed state of a store, with single look-ups and scans.
/// [`answer`] builds the answers to all kinds of [`Read`] from them.
pub trait Snapshot {
    /// The value of a key.
    ///
    /// # Errors
    /// The store cannot read it.
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError>;

    /// At most `limit` entries of `range`, ascending, or descending from the end.
    /// The range may be empty or end before it starts ([`Range::is_empty`]), and the limit may be
    /// any number.
    ///
    /// # Errors
    /// The store cannot read them.
    fn scan(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<Entry>, StorageError>;

    /// The entries of a scan, each with its row.
    /// `row_key` makes the key of the row from the key of the entry. A store that keeps rows with
    /// their index entries has them at hand.
    ///
    /// # Errors
    /// The store cannot read them.
    fn scan_follow(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
        row_key: impl Fn(&[u8]) -> Option<Key>,
    ) -> Result<Vec<(Entry, Option<Value>)>, StorageError> {
        let entries = self.scan(range, limit, newest_first)?.into_iter();
        let joined = entries.map(|(key, value)| {
            let row = row_key(&key).map_or(Ok(None), |row| self.get(&row))?;
            Ok(((key, value), row))
        });
        joined.collect()
    }
}

/// Answers all reads from one snapshot.
///
/// # Errors
/// The first failure among the reads.
pub fn answer(snapshot: &impl Snapshot, reads: &[Read<'_>]) -> Result<State, StorageError> {
    let found: Result<Vec<Found>, StorageError> = reads
        .iter()
        .map(|read| answer_one(snapshot, read))
        .collect();
    Ok(State::new(found?))
}

fn answer_one(snapshot: &impl Snapshot, read: &Read<'_>) -> Result<Found, StorageError> {
    Ok(match *read {
        Read::Get(key) => Found::Value(snapshot.get(key)?),
        Read::Follow { key, rows } => Found::Followed(match snapshot.get(key)? {
            Some(value) => {
                let row = snapshot.get(&[rows, &value].concat())?;
                Some((value, row))
            }
            None => None,
        }),
        Read::Scan {
            range,
            limit,
            newest_first,
        } => Found::Entries(snapshot.scan(range, limit, newest_first)?),
        Read::ScanFollow {
            range,
            limit,
            newest_first,
            rows,
            tail,
        } => {
            let row_key = |entry: &[u8]| {
                let start = entry.len().checked_sub(tail)?;
                Some([rows, &entry[start..]].concat().into())
            };
            Found::Joined(snapshot.scan_follow(range, limit, newest_first, row_key)?)
        }
    })
}
