//! A store that notes what it was asked for, so that floors do the same.

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Locked, Range, Read, State, Storage, StorageError,
};
use parking_lot::Mutex;

/// Notes what goes to a store.
pub struct Recorder {
    store: Arc<dyn Storage>,
    noted: Mutex<Option<Noted>>,
}

/// The commits and reads since [`Recorder::begin`].
#[derive(Default)]
pub struct Noted {
    pub commits: Vec<Commit>,
    pub reads: Vec<Vec<OwnedRead>>,
}

impl Recorder {
    pub fn of(store: impl Storage) -> Self {
        Self {
            store: Arc::new(store),
            noted: Mutex::default(),
        }
    }

    /// Notes what comes from now on.
    pub fn begin(&self) {
        *self.noted.lock() = Some(Noted::default());
    }

    /// Ends that, and returns what came.
    pub fn end(&self) -> Noted {
        self.noted.lock().take().unwrap()
    }
}

#[async_trait]
impl Storage for Recorder {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        if let Some(noted) = &mut *self.noted.lock() {
            noted.reads.push(reads.iter().map(OwnedRead::of).collect());
        }
        self.store.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        if let Some(noted) = &mut *self.noted.lock() {
            noted.commits.push(commit.clone());
        }
        self.store.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.store.lock(guard).await
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }
}

/// A [`Read`] with keys of its own.
pub enum OwnedRead {
    Point {
        key: Vec<u8>,
        rows: Option<Vec<u8>>,
    },
    Range {
        from: Vec<u8>,
        to: Option<Vec<u8>>,
        limit: usize,
        newest_first: bool,
        rows: Option<(Vec<u8>, usize)>,
    },
}

impl OwnedRead {
    fn of(read: &Read<'_>) -> Self {
        let range = |range: Range<'_>, limit, newest_first, rows| Self::Range {
            from: range.from.to_vec(),
            to: range.to.map(<[u8]>::to_vec),
            limit,
            newest_first,
            rows,
        };
        match *read {
            Read::Get(key) => Self::Point {
                key: key.to_vec(),
                rows: None,
            },
            Read::Follow { key, rows } => Self::Point {
                key: key.to_vec(),
                rows: Some(rows.to_vec()),
            },
            Read::Scan {
                range: of,
                limit,
                newest_first,
            } => range(of, limit, newest_first, None),
            Read::ScanFollow {
                range: of,
                limit,
                newest_first,
                rows,
                tail,
            } => range(of, limit, newest_first, Some((rows.to_vec(), tail))),
        }
    }

    pub fn as_read(&self) -> Read<'_> {
        match self {
            Self::Point { key, rows: None } => Read::Get(key),
            Self::Point {
                key,
                rows: Some(rows),
            } => Read::Follow { key, rows },
            Self::Range {
                from,
                to,
                limit,
                newest_first,
                rows,
            } => {
                let range = Range {
                    from,
                    to: to.as_deref(),
                };
                let (limit, newest_first) = (*limit, *newest_first);
                match rows {
                    None => Read::Scan {
                        range,
                        limit,
                        newest_first,
                    },
                    Some((rows, tail)) => Read::ScanFollow {
                        range,
                        limit,
                        newest_first,
                        rows,
                        tail: *tail,
                    },
                }
            }
        }
    }
}
