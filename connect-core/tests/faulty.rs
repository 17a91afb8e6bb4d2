//! A storage with counted rows, commits and reads, failing as a test orders.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Found, Locked, Read, State, Storage, StorageError,
};
use tokio::sync::oneshot;

/// What becomes of a commit with a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It is applied, and acknowledged.
    Acknowledged,
    /// It is applied, and the answer is lost.
    AppliedWithoutAnswer,
    /// It is lost on the way, and so is the answer.
    Lost,
    /// It is refused.
    Refused,
    /// It is applied, and then the backend panics.
    AppliedWithPanic,
}

/// A storage with faults. Cheap to clone; all clones are the same store.
#[derive(Clone)]
pub(crate) struct Faulty {
    storage: Arc<dyn Storage>,
    faults: Arc<Mutex<Faults>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    trips: AtomicU64,
    reads: AtomicU64,
    scanned: AtomicU64,
}

#[derive(Default)]
struct Faults {
    unreadable: Vec<Vec<u8>>,
    fates: VecDeque<Fate>,
    /// How many reads fail after the next commit without an answer.
    later_reads: usize,
    /// Set while commits without a guard are refused.
    refuses_unguarded: bool,
    /// How many reads fail from now on.
    failing_reads: usize,
    /// The most rows that one read has asked for by their keys.
    most_gets: usize,
    held: Option<Held>,
}

/// A read that waits behind its answer.
struct Held {
    reached: oneshot::Sender<()>,
    released: oneshot::Receiver<()>,
}

impl Faulty {
    pub(crate) fn new(storage: Arc<dyn Storage>) -> Arc<Self> {
        Arc::new(Self {
            storage,
            faults: Arc::default(),
            counts: Arc::default(),
        })
    }

    /// Returns whether no task holds the storage besides.
    pub(crate) fn is_held_once(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 && Arc::strong_count(&self.storage) == 1
    }

    /// The number of calls so far, those on locks included.
    pub(crate) fn trips(&self) -> u64 {
        self.counts.trips.load(Relaxed)
    }

    /// The number of single reads in these calls.
    pub(crate) fn reads(&self) -> u64 {
        self.counts.reads.load(Relaxed)
    }

    /// The number of rows and entries returned by scans.
    pub(crate) fn scanned(&self) -> u64 {
        self.counts.scanned.load(Relaxed)
    }

    /// From now on no row can be read whose key holds these bytes, neither alone nor in a scan.
    pub(crate) fn damage(&self, part_of_key: &[u8]) {
        self.faults
            .lock()
            .unwrap()
            .unreadable
            .push(part_of_key.into());
    }

    /// Makes every row readable again.
    pub(crate) fn heal(&self) {
        self.faults.lock().unwrap().unreadable.clear();
    }

    /// Decides what becomes of the next commits with a guard.
    pub(crate) fn decide(&self, fates: impl IntoIterator<Item = Fate>) {
        self.faults.lock().unwrap().fates.extend(fates);
    }

    /// From now on commits without a guard are refused, or no longer.
    pub(crate) fn refuse_unguarded(&self, is_refused: bool) {
        self.faults.lock().unwrap().refuses_unguarded = is_refused;
    }

    /// After the next commit that has no answer, so many reads fail.
    pub(crate) fn fail_reads_after(&self, reads: usize) {
        self.faults.lock().unwrap().later_reads = reads;
    }

    /// So many reads fail from now on.
    pub(crate) fn fail_reads(&self, reads: usize) {
        self.faults.lock().unwrap().failing_reads = reads;
    }

    /// The most rows that were asked for at a time by their keys, since the last call.
    pub(crate) fn take_most_gets(&self) -> usize {
        std::mem::take(&mut self.faults.lock().unwrap().most_gets)
    }

    /// Holds the next read back once it has its answer. The first channel tells that it has, the
    /// second lets it go.
    pub(crate) fn hold_next_read(&self) -> (oneshot::Receiver<()>, oneshot::Sender<()>) {
        let (reached, is_reached) = oneshot::channel();
        let (release, released) = oneshot::channel();
        self.faults.lock().unwrap().held = Some(Held { reached, released });
        (is_reached, release)
    }

    fn count_trip(&self) {
        self.counts.trips.fetch_add(1, Relaxed);
    }

    async fn answer(&self, reads: &[Read<'_>], state: State) -> Result<State, StorageError> {
        self.count_trip();
        self.counts.reads.fetch_add(reads.len() as u64, Relaxed);
        let (unreadable, held) = {
            let mut faults = self.faults.lock().unwrap();
            let gets = reads.iter().filter(|read| matches!(read, Read::Get(_)));
            faults.most_gets = faults.most_gets.max(gets.count());
            if faults.failing_reads > 0 {
                faults.failing_reads -= 1;
                return Err(StorageError::new("out of reach"));
            }
            (faults.unreadable.clone(), faults.held.take())
        };
        if let Some(Held { reached, released }) = held {
            reached.send(()).unwrap();
            released.await.unwrap();
        }
        let found: Vec<Found> = state.collect();
        let scanned = found.iter().map(|found| match found {
            Found::Entries(entries) => entries.len(),
            Found::Joined(entries) => entries.len(),
            _ => 0,
        });
        let scanned = scanned.sum::<usize>() as u64;
        self.counts.scanned.fetch_add(scanned, Relaxed);
        if unreadable.is_empty() {
            return Ok(State::new(found));
        }
        for (read, found) in reads.iter().zip(&found) {
            for key in keys_of(read, found) {
                let is_in = |part: &Vec<u8>| key.windows(part.len()).any(|bytes| bytes == part);
                if unreadable.iter().any(is_in) {
                    return Err(StorageError::new("a damaged row"));
                }
            }
        }
        Ok(State::new(found))
    }

    fn fate(&self, commit: &Commit) -> Fate {
        self.count_trip();
        let mut faults = self.faults.lock().unwrap();
        let fate = match commit.guard {
            Some(_) => faults.fates.pop_front(),
            None => faults.refuses_unguarded.then_some(Fate::Refused),
        };
        let fate = fate.unwrap_or(Fate::Acknowledged);
        if !matches!(fate, Fate::Acknowledged | Fate::Refused) {
            faults.failing_reads = std::mem::take(&mut faults.later_reads);
        }
        fate
    }
}

/// The keys whose rows a read has met.
fn keys_of(read: &Read<'_>, found: &Found) -> Vec<Vec<u8>> {
    match (read, found) {
        (Read::Get(key), Found::Value(Some(_))) => vec![key.to_vec()],
        (Read::Follow { key, rows }, Found::Followed(Some((entry, _)))) => {
            vec![key.to_vec(), [rows, &entry[..]].concat()]
        }
        (_, Found::Entries(entries)) => entries.iter().map(|(key, _)| key.to_vec()).collect(),
        (Read::ScanFollow { rows, tail, .. }, Found::Joined(entries)) => {
            let keys = entries.iter().flat_map(|((key, _), _)| {
                let row = [rows, &key[key.len() - tail..]].concat();
                [key.to_vec(), row]
            });
            keys.collect()
        }
        _ => Vec::new(),
    }
}

fn lost() -> CommitError {
    CommitError::Unknown(StorageError::new("the answer is lost"))
}

/// What an outcome becomes on its way back.
fn told(fate: Fate, outcome: Result<(), CommitError>) -> Result<(), CommitError> {
    match fate {
        Fate::AppliedWithoutAnswer => outcome.and(Err(lost())),
        Fate::AppliedWithPanic => panic!("as the test wants it"),
        _ => outcome,
    }
}

fn refused() -> CommitError {
    CommitError::NotApplied(StorageError::new("no room"))
}

#[async_trait]
impl Storage for Faulty {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.storage.read(reads).await?;
        self.answer(reads, state).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        match self.fate(&commit) {
            Fate::Lost => Err(lost()),
            Fate::Refused => Err(refused()),
            fate => told(fate, self.storage.commit(commit).await),
        }
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.count_trip();
        let lock = self.storage.lock(guard).await?;
        let store = self.clone();
        Ok(Box::new(FaultyLock { lock, store }))
    }
}

struct FaultyLock {
    lock: Box<dyn Locked>,
    store: Faulty,
}

#[async_trait]
impl Locked for FaultyLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.lock.read(reads).await?;
        self.store.answer(reads, state).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        match self.store.fate(&commit) {
            Fate::Lost => Err(lost()),
            Fate::Refused => Err(refused()),
            fate => told(fate, self.lock.commit(commit).await),
        }
    }
}

/// Every row of a storage.
pub(crate) async fn rows(storage: &dyn Storage) -> Vec<connect_core::storage::Entry> {
    let read = Read::Scan {
        range: connect_core::storage::Range {
            from: b"",
            to: None,
        },
        limit: usize::MAX,
        newest_first: false,
    };
    storage.read(&[read]).await.unwrap().entries().unwrap()
}
