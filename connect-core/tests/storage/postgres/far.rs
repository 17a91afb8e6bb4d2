//! The store on a database that is some way off.

use std::{
    env,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, Guard, Read, Storage, StorageError, Write,
    conformance::{self, Place},
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};

use super::{LEASE, crashes::ROUNDS_VARIABLE, distance};

const HALF_A_MILLISECOND: Duration = Duration::from_micros(500);

/// A database a millisecond away, there and back.
struct Far {
    port: u16,
    database: TestDatabase,
}

impl Far {
    fn new() -> Self {
        let database = TestDatabase::new().unwrap();
        let port = distance::between(database.port(), HALF_A_MILLISECOND);
        Self { port, database }
    }
}

#[async_trait]
impl Place for Far {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let options = PostgresOptions {
            lease: LEASE,
            ..PostgresOptions::default()
        };
        let address = self.database.address_at(self.port);
        let storage = PostgresStorage::open(&address, options).await;
        Ok(Arc::new(storage.map_err(StorageError::new)?))
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

/// The checks that depend on time, or on what comes first.
const ON_TIME: [&str; 8] = [
    "guards",
    "snapshot",
    "contention",
    "locks",
    "leases",
    "progress",
    "cancellation",
    "waiting",
];

/// All promises where long runs are asked for; otherwise those that depend on time.
#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_its_promises_a_millisecond_away() -> Result<(), conformance::Failures> {
    if TestDatabase::new().is_none() {
        return Ok(());
    }
    if env::var_os(ROUNDS_VARIABLE).is_some() {
        return conformance::run_all(Far::new).await;
    }
    let is_on_time = |name: &str| ON_TIME.iter().any(|group| name.starts_with(group));
    let (mut failures, mut run) = (Vec::new(), 0);
    for check in conformance::CHECKS {
        if is_on_time(check.name) {
            run += 1;
            let checked = check.run(&Far::new()).await;
            failures.extend(checked.err().map(|fault| (check, fault)));
        }
    }
    assert!(run > 25, "{run}");
    if failures.is_empty() {
        Ok(())
    } else {
        Err(conformance::Failures(failures))
    }
}

/// Sends back what it gets, over one connection.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = socket.read(&mut buffer) {
            socket.write_all(&buffer[..read]).unwrap();
        }
    });
    port
}

#[test]
fn the_way_takes_a_millisecond_however_much_is_under_way() {
    const MANY: usize = 2000;
    let port = distance::between(echo(), HALF_A_MILLISECOND);
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_nodelay(true).unwrap();
    for _ in 0..50 {
        let start = Instant::now();
        socket.write_all(b"x").unwrap();
        socket.read_exact(&mut [0]).unwrap();
        assert!(start.elapsed() >= 2 * HALF_A_MILLISECOND);
    }
    let start = Instant::now();
    for _ in 0..MANY {
        socket.write_all(b"x").unwrap();
    }
    socket.read_exact(&mut [0; MANY]).unwrap();
    // One after another they would take two seconds.
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(1), "{taken:?}");
}

/// Checks the trips that [`Storage`] promises of each of its methods, by the time that they take. A lock where
/// there is no row is the exception.
#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_one_trip() {
    const EACH_WAY: Duration = Duration::from_millis(40);
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let port = distance::between(database.port(), EACH_WAY);
    let options = PostgresOptions {
        readers: 1,
        writers: 1,
        ..PostgresOptions::default()
    };
    let store = PostgresStorage::open(&database.address_at(port), options).await;
    let store = store.unwrap();
    let commit = |value: &[u8]| Commit {
        writes: vec![(b"k"[..].into(), Write::Put(value.into()))],
        ..Commit::default()
    };
    let reads = [Read::Get(b"k"), Read::Get(b"l")];
    // The connections are opened, and know their statements.
    store.read(&reads).await.unwrap();
    store.commit(commit(b"1")).await.unwrap();
    let mut start = Instant::now();
    let mut trips = || {
        let taken = std::mem::replace(&mut start, Instant::now()).elapsed();
        taken.as_millis() / (2 * EACH_WAY).as_millis()
    };
    store.read(&reads).await.unwrap();
    assert_eq!(trips(), 1, "read");
    store.commit(commit(b"2")).await.unwrap();
    assert_eq!(trips(), 1, "commit");
    // Prepares the statement of a lock, and waits until the connection is free again.
    drop(store.lock(b"other").await.unwrap());
    store.commit(commit(b"2")).await.unwrap();
    trips();
    let lock = store.lock(b"g").await.unwrap();
    assert_eq!(trips(), 2, "lock where there is no row");
    lock.read(&reads[..1]).await.unwrap();
    trips();
    lock.read(&reads[..1]).await.unwrap();
    assert_eq!(trips(), 1, "read under a lock");
    let guard = Guard {
        key: b"g"[..].into(),
        was: None,
        becomes: b"1"[..].into(),
    };
    let guarded = Commit {
        guard: Some(guard),
        ..commit(b"3")
    };
    lock.commit(guarded).await.unwrap();
    assert_eq!(trips(), 1, "commit under a lock");
    store.lock(b"g").await.unwrap();
    assert_eq!(trips(), 1, "lock");
}
