//! An engine with failures: answers to callers, and recovery.

#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(feature = "redb")]
mod damage;

use std::{
    io,
    marker::PhantomData,
    path::Path,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Waker},
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::{
    Kind, OpenError,
    damage::{Checked, DamagedPages, DamagedRange, Pages},
    engine::{ApplyError, Batch, Engine, EngineSnapshot, EngineWrite, ReadFault},
    engine_keys,
    engine_tests::on_each_engine,
    health::Health,
    opening,
    progress::StoreMark,
    queue::Message,
    space::SpaceOptions,
    store::DiskStore,
};
use crate::storage::{
    Commit, CommitError, Expectation, Key, Read, StorageError, Value, Write, in_process::Local,
};

/// The timeout of these tests, for a busy machine.
const HANGS: Duration = Duration::from_secs(60);

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Nothing is applied, and the engine reports it.
    Refused,
    /// Nothing is applied, and the engine does not know.
    Lost,
    /// All is applied and durable, and the engine does not know.
    Done,
    /// The engine panics before any work.
    Panic,
}

/// The failure to come.
#[derive(Default)]
struct Plan {
    /// The number of successful batches before the failure, and the failure.
    failure: Mutex<Option<(usize, Failure)>>,
    cannot_open: AtomicBool,
    /// The number of openings of the engine.
    openings: AtomicUsize,
    /// The next opening panics.
    panics: AtomicBool,
    /// The engine key to fail the next read of.
    unreadable: Mutex<Option<Vec<u8>>>,
    /// The engine key to lose in the next opening, as in sled.
    lost: Mutex<Option<Vec<u8>>>,
    /// A gate: the engine applies no batch while it is held.
    gate: Mutex<()>,
    /// Whether the engine waits at the gate to apply a batch.
    is_at_gate: AtomicBool,
    /// A gate for the next check of pages to wait at.
    check_gate: Mutex<Option<mpsc::Receiver<()>>>,
    /// The number of ended checks of pages.
    checks: AtomicUsize,
    /// The number of times the disk cannot return a whole page.
    unread: AtomicUsize,
    /// Damaged pages found.
    found: AtomicUsize,
}

impl Plan {
    fn fail(&self, after: usize, failure: Failure) {
        *self.failure.lock() = Some((after, failure));
    }

    fn next(&self) -> Option<Failure> {
        let mut planned = self.failure.lock();
        match planned.take() {
            Some((0, failure)) => Some(failure),
            Some((after, failure)) => {
                *planned = Some((after - 1, failure));
                None
            }
            None => None,
        }
    }

    /// The page the disk cannot return this time.
    fn unread(&self) -> Option<DamagedRange> {
        let one_less = |times: usize| times.checked_sub(1);
        let planned = self
            .unread
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        planned.ok().map(|_| DamagedRange {
            from: engine_keys::row_key(b"x"),
            to: Some(engine_keys::row_key(b"y")),
            row: None,
        })
    }

    /// Waits until the gate holds up the writer.
    fn wait_for_the_writer(&self) {
        let give_up = Instant::now() + HANGS;
        while !self.is_at_gate.load(Ordering::SeqCst) {
            assert!(Instant::now() < give_up, "the writer does not come");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Pages with their checks as planned.
struct FailingPages {
    pages: Box<dyn Pages>,
    plan: Arc<Plan>,
}

impl FailingPages {
    fn check(
        &self,
        check: impl FnOnce(&dyn Pages) -> Result<Checked, StorageError>,
    ) -> Result<Checked, StorageError> {
        let gate = self.plan.check_gate.lock().take();
        gate.map(|gate| gate.recv());
        let mut checked = check(&*self.pages)?;
        if let Some(span) = self.plan.unread() {
            checked.damaged.push(span);
            checked.is_unread = true;
        }
        let found = checked.damaged.len();
        self.plan.found.fetch_add(found, Ordering::SeqCst);
        self.plan.checks.fetch_add(1, Ordering::SeqCst);
        Ok(checked)
    }
}

impl Pages for FailingPages {
    fn check_all(&self) -> Result<Checked, StorageError> {
        self.check(|pages| pages.check_all())
    }

    fn check_some(&self, from: &[u8], at_most: u64) -> Result<Checked, StorageError> {
        self.check(|pages| pages.check_some(from, at_most))
    }

    fn check_again(&self, found: &[DamagedRange]) -> Result<Vec<DamagedRange>, StorageError> {
        let mut damaged = self.pages.check_again(found)?;
        damaged.extend(self.plan.unread());
        Ok(damaged)
    }
}

/// An engine with planned failures.
struct Failing<E> {
    engine: E,
    plan: Arc<Plan>,
}

/// A snapshot with planned failures.
struct FailingSnapshot<S> {
    snapshot: S,
    plan: Arc<Plan>,
}

impl<S: EngineSnapshot> EngineSnapshot for FailingSnapshot<S> {
    fn get<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, ReadFault> {
        let mut unreadable = self.plan.unreadable.lock();
        if unreadable
            .take_if(|unreadable| *unreadable == key)
            .is_some()
        {
            return Err(ReadFault::Engine(StorageError::new("as planned")));
        }
        drop(unreadable);
        self.snapshot.get(key, read)
    }

    fn visit(
        &self,
        from: &[u8],
        to: &[u8],
        newest_first: bool,
        each: impl FnMut(&[u8], &[u8]) -> Result<bool, ReadFault>,
    ) -> Result<(), ReadFault> {
        self.snapshot.visit(from, to, newest_first, each)
    }
}

impl<E: Engine<Options = u64>> Engine for Failing<E> {
    const KIND: Kind = E::KIND;
    const PART_LEN: usize = E::PART_LEN;
    const IS_LIVE: bool = E::IS_LIVE;
    const DROPS_ROWS: bool = E::DROPS_ROWS;

    type Options = Arc<Plan>;
    type Snapshot = FailingSnapshot<E::Snapshot>;

    fn open(path: &Path, plan: &Arc<Plan>) -> Result<Self, OpenError> {
        assert!(!plan.panics.swap(false, Ordering::Relaxed), "as planned");
        if plan.cannot_open.load(Ordering::Relaxed) {
            return Err(OpenError::io(path)(io::Error::other("as planned")));
        }
        plan.openings.fetch_add(1, Ordering::Relaxed);
        let mut engine = E::open(path, &(1 << 20))?;
        if let Some(key) = plan.lost.lock().take() {
            let mark = opening::mark(&engine).unwrap().unwrap();
            let (value, was) = (None, None);
            engine
                .apply(vec![EngineWrite { key, value, was }], mark)
                .unwrap();
        }
        Ok(Self {
            engine,
            plan: plan.clone(),
        })
    }

    fn room_for(writes: u64, content: u64, file: u64) -> u64 {
        E::room_for(writes, content, file)
    }

    fn snapshot(&self) -> Result<Self::Snapshot, ReadFault> {
        Ok(FailingSnapshot {
            snapshot: self.engine.snapshot()?,
            plan: self.plan.clone(),
        })
    }

    fn apply(&mut self, batch: Batch, mark: StoreMark) -> Result<StoreMark, ApplyError> {
        let error = || StorageError::new("as planned");
        self.plan.is_at_gate.store(true, Ordering::SeqCst);
        drop(self.plan.gate.lock());
        self.plan.is_at_gate.store(false, Ordering::SeqCst);
        match self.plan.next() {
            None => self.engine.apply(batch, mark),
            Some(Failure::Refused) => Err(ApplyError::NotApplied(error())),
            Some(Failure::Lost) => Err(ApplyError::Unknown(error())),
            Some(Failure::Done) => {
                self.engine.apply(batch, mark)?;
                Err(ApplyError::Unknown(error()))
            }
            Some(Failure::Panic) => panic!("as planned"),
        }
    }

    fn pages(&self) -> Result<Option<Box<dyn Pages>>, StorageError> {
        let plan = self.plan.clone();
        let pages = self.engine.pages()?;
        Ok(pages.map(|pages| Box::new(FailingPages { pages, plan }) as Box<dyn Pages>))
    }

    fn damage(&self) -> Option<&Arc<DamagedPages>> {
        self.engine.damage()
    }
}

struct Store<E: Engine<Options = u64>> {
    store: Arc<DiskStore<Failing<E>>>,
    plan: Arc<Plan>,
    folder: tempfile::TempDir,
    _engine: PhantomData<E>,
}

fn value(bytes: &[u8]) -> Option<Value> {
    Some(bytes.into())
}

fn is_not_applied(answer: &Result<(), CommitError>) {
    assert!(
        matches!(answer, Err(CommitError::NotApplied(_))),
        "{answer:?}"
    );
}

fn put(key: &[u8], bytes: &[u8]) -> Commit {
    Commit {
        writes: vec![(key.into(), Write::Put(bytes.into()))],
        ..Commit::default()
    }
}

impl<E: Engine<Options = u64>> Store<E> {
    fn open() -> Self {
        Self::open_in(tempfile::tempdir().unwrap(), Arc::default())
    }

    fn open_in(folder: tempfile::TempDir, plan: Arc<Plan>) -> Self {
        let path = folder.path();
        let store = DiskStore::open(path, plan.clone(), 1 << 24, SpaceOptions::default(), &[]);
        Self {
            store: Arc::new(store.unwrap()),
            plan,
            folder,
            _engine: PhantomData,
        }
    }

    async fn put(&self, key: &[u8], bytes: &[u8]) -> Result<(), CommitError> {
        self.store.apply(put(key, bytes)).await
    }

    async fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        self.store.read(&[Read::Get(key)]).await?.value()
    }

    /// Puts a small commit into the queue, before this returns.
    fn send(&self, commit: Commit) -> Applying<'_> {
        let mut applying = self.store.apply(commit);
        let polled = applying
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "{polled:?}");
        applying
    }
}

/// A commit under way.
type Applying<'a> = Pin<Box<dyn Future<Output = Result<(), CommitError>> + Send + 'a>>;

/// Checks for the true answer after a failure of a commit, small or large.
async fn the_truth_is_told<E: Engine<Options = u64>>() {
    let failures = [
        Failure::Refused,
        Failure::Lost,
        Failure::Done,
        Failure::Panic,
    ];
    for (rows, failure) in failures
        .iter()
        .flat_map(|failure| [(1, *failure), (9000, *failure)])
    {
        let case = format!("{failure:?} of {rows} rows");
        let store = Store::<E>::open();
        store.put(b"row", b"before").await.unwrap();
        store.plan.fail(0, failure);
        let key = |row: u32| match row {
            0 => Key::from(*b"row"),
            row => [&b"large"[..], &row.to_be_bytes()].concat().into(),
        };
        let write = |row| (key(row), Write::Put(b"after"[..].into()));
        let commit = Commit {
            writes: (0..rows).map(write).collect(),
            ..Commit::default()
        };
        let answer = store.store.apply(commit).await;
        let is_there = answer.is_ok();
        assert_eq!(is_there, failure == Failure::Done, "{case}: {answer:?}");
        if !is_there {
            is_not_applied(&answer);
        }
        for row in [0, rows / 2, rows - 1] {
            let wanted = match (is_there, row) {
                (true, _) => value(b"after"),
                (false, 0) => value(b"before"),
                (false, _) => None,
            };
            assert_eq!(store.get(&key(row)).await.unwrap(), wanted, "{case}");
        }
        // Waits for the end.
        store.put(b"row", b"later").await.unwrap();
        assert_eq!(store.get(b"row").await.unwrap(), value(b"later"));
        assert_eq!(store.store.health().health(), Health::Working);
        let report = store.store.verify(&mut |_| {}).unwrap();
        assert!(report.is_clean(), "{case}: {report:?}");
        assert_eq!((report.leftover, report.complete), (0, Some(true)));
        let rows = if is_there { u64::from(rows) } else { 1 };
        assert_eq!(report.rows, rows, "{case}");
    }
}

/// Checks a store during failing openings of its engine.
/// Rows in memory are read, commits are refused, and the commit under way waits for its outcome.
async fn goes_on_by_itself<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    for row in [b"one", b"two"] {
        store.put(row, b"before").await.unwrap();
        store.get(row).await.unwrap();
    }
    store.plan.cannot_open.store(true, Ordering::Relaxed);
    store.plan.fail(0, Failure::Done);
    let under_way = tokio::spawn({
        let store = store.store.clone();
        async move { store.apply(put(b"one", b"after")).await }
    });
    while store.store.health().health() == Health::Working {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let refused = store.put(b"three", b"").await;
    is_not_applied(&refused);
    assert_eq!(store.get(b"two").await.unwrap(), value(b"before"));
    assert_ne!(store.get(b"one").await.ok(), Some(value(b"after")));
    assert!(!under_way.is_finished());
    store.plan.cannot_open.store(false, Ordering::Relaxed);
    under_way.await.unwrap().unwrap();
    assert_eq!(store.get(b"one").await.unwrap(), value(b"after"));
    assert_eq!(store.store.health().health(), Health::Working);
}

/// Checks for an answer in bounded time, then for unreadable keys.
/// Once a commit's outcome was answered as unknown, no read may return the old values of its keys.
async fn what_is_not_known_is_not_read<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    for row in [b"one", b"two"] {
        store.put(row, b"before").await.unwrap();
        store.get(row).await.unwrap();
    }
    store.plan.cannot_open.store(true, Ordering::Relaxed);
    store.plan.fail(0, Failure::Done);
    let answer = store.put(b"one", b"after").await;
    assert!(matches!(answer, Err(CommitError::Unknown(_))), "{answer:?}");
    assert!(store.get(b"one").await.is_err());
    assert_eq!(store.get(b"two").await.unwrap(), value(b"before"));
    store.plan.cannot_open.store(false, Ordering::Relaxed);
    while store.store.health().health() != Health::Working {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(store.get(b"one").await.unwrap(), value(b"after"));
}

/// Checks for no acknowledgement in a group with an unreadable row.
/// The group is not applied.
async fn a_group_that_was_not_applied_is_not_acknowledged<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    store.put(b"row", b"before").await.unwrap();
    // The next two wait for this one, and so join one group.
    let gate = store.plan.gate.lock();
    let first = store.send(put(b"first", b""));
    store.plan.wait_for_the_writer();
    *store.plan.unreadable.lock() = Some(engine_keys::row_key(b"unreadable"));
    let second = store.send(put(b"row", b"after"));
    let third = store.send(Commit {
        expects: vec![((*b"unreadable").into(), Expectation::Absent)],
        ..put(b"unreadable", b"")
    });
    drop(gate);
    first.await.unwrap();
    for answer in [second.await, third.await] {
        is_not_applied(&answer);
    }
    assert_eq!(store.get(b"row").await.unwrap(), value(b"before"));
}

/// Checks for a group of its own: the failure of a large commit is not that of the small one before it.
async fn a_large_commit_shares_no_group<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    store.plan.fail(2, Failure::Refused);
    // The next two wait for this one.
    let gate = store.plan.gate.lock();
    let first = store.send(put(b"first", b""));
    store.plan.wait_for_the_writer();
    let small = store.send(put(b"small", b""));
    let write = |row: u32| (row.to_be_bytes().into(), Write::Put(b""[..].into()));
    let large = store.send(Commit {
        writes: (0..9000).map(write).collect(),
        ..Commit::default()
    });
    drop(gate);
    first.await.unwrap();
    small.await.unwrap();
    is_not_applied(&large.await);
}

/// Checks for the end of closing, also with a failed engine.
async fn closing_ends<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    store.plan.cannot_open.store(true, Ordering::Relaxed);
    store.plan.fail(1, Failure::Lost);
    // Holds the writer until the rest of the queue is there.
    let gate = store.plan.gate.lock();
    let _first = store.send(put(b"row", b""));
    store.plan.wait_for_the_writer();
    let failing = store.send(put(b"row", b""));
    store.store.queue.send(Message::Close).unwrap();
    drop(gate);
    let (ended, end) = std::sync::mpsc::channel();
    let closing = store.store.clone();
    thread::spawn(move || {
        closing.close();
        ended.send(())
    });
    end.recv_timeout(HANGS).unwrap();
    assert!(failing.await.is_err());
}

/// Checks for growing pauses between reopenings after failed reads.
async fn lasting_failures_reopen_rarely<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    let end = Instant::now() + Duration::from_millis(4500);
    while Instant::now() < end {
        *store.plan.unreadable.lock() = Some(engine_keys::row_key(b"row"));
        let _ = store.get(b"row").await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The first opening, then others after 1 and 2 seconds. The next would be after 4.
    let openings = store.plan.openings.load(Ordering::Relaxed);
    assert!((2..=3).contains(&openings), "{openings} openings");
}

/// Engines panic on some damaged files.
async fn a_panic_in_opening_is_an_error<E: Engine<Options = u64>>() {
    let store = Store::<E>::open();
    store.plan.panics.store(true, Ordering::Relaxed);
    store.plan.fail(0, Failure::Lost);
    let answer = store.put(b"row", b"lost").await;
    is_not_applied(&answer);
    store.put(b"row", b"later").await.unwrap();

    let (folder, plan) = (tempfile::tempdir().unwrap(), Arc::<Plan>::default());
    plan.panics.store(true, Ordering::Relaxed);
    let options = SpaceOptions::default();
    let opened = DiskStore::<Failing<E>>::open(folder.path(), plan, 1 << 24, options, &[]);
    assert!(matches!(opened.err(), Some(OpenError::Damaged { .. })));
}

/// sled silently drops unreadable data when opened.
#[cfg(feature = "sled")]
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_lost_in_opening_again_are_missed() {
    let store = Store::<super::sled::Sled>::open();
    for row in [b"one", b"two"] {
        store.put(row, b"before").await.unwrap();
    }
    *store.plan.lost.lock() = Some(engine_keys::row_key(b"two"));
    store.plan.fail(0, Failure::Lost);
    let answer = store.put(b"one", b"after").await;
    assert!(matches!(answer, Err(CommitError::Unknown(_))), "{answer:?}");
    let health = store.store.health().health();
    let Health::Failed { reason } = health else {
        panic!("{health:?} without a row");
    };
    assert!(reason.contains("has lost rows"), "{reason}");
    assert_ne!(store.get(b"two").await.ok(), Some(None));
}

/// redb's own check would repair a damaged file by dropping the last commit.
#[cfg(feature = "redb")]
#[tokio::test(flavor = "multi_thread")]
async fn a_check_takes_nothing_back() {
    use std::{
        fs::File,
        io::{Seek, SeekFrom, Write as _},
    };

    let folder = tempfile::tempdir().unwrap();
    let options = SpaceOptions::default();
    let open = || DiskStore::<super::redb::Redb>::open(folder.path(), 0, 0, options, &[]).unwrap();
    let store = open();
    let row = [0x5A; 3000];
    for key in [b"one", b"two"] {
        store.apply(put(key, &row)).await.unwrap();
    }
    drop(store);
    let path = folder.path().join("store.redb");
    let bytes = std::fs::read(&path).unwrap();
    let mut file = File::options().write(true).open(&path).unwrap();
    for at in (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"rtwo")) {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(b"rtwx").unwrap();
    }
    drop(file);
    let store = open();
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(!report.is_clean(), "{report:?}");
    assert_eq!(report.keys, [hex::encode("twx")], "{report:?}");
    let found = store.read(&[Read::Get(b"one"), Read::Get(b"twx")]).await;
    assert!(found.is_err(), "{found:?}");
    let mut found = store.read(&[Read::Get(b"one")]).await.unwrap();
    assert_eq!(found.value().unwrap().as_deref(), Some(&row[..]));
    let health = store.health().health();
    assert!(matches!(health, Health::Damaged { .. }), "{health:?}");
}

/// Probes report the current state, without a refused or a successful commit.
#[cfg(feature = "redb")]
#[tokio::test(flavor = "multi_thread")]
async fn the_room_is_judged_when_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let open = |reserve_bytes| {
        let options = SpaceOptions {
            reserve_bytes,
            ballast_bytes: 0,
        };
        DiskStore::<super::redb::Redb>::open(folder.path(), 0, 0, options, &[]).unwrap()
    };
    // More than any disk has.
    let store = open(1 << 60);
    assert_eq!(store.health().health(), Health::Full);
    drop(store);
    let store = open(0);
    // The state after a commit without room.
    store.health().set(Health::Full);
    assert_eq!(store.health().health(), Health::Working);
}

on_each_engine!(
    the_truth_is_told,
    goes_on_by_itself,
    what_is_not_known_is_not_read,
    a_group_that_was_not_applied_is_not_acknowledged,
    a_large_commit_shares_no_group,
    closing_ends,
    a_panic_in_opening_is_an_error,
    lasting_failures_reopen_rarely,
);
