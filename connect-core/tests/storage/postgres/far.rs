//! The store on a database that is some way off.

use std::{
    env,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use connect_core::storage::{Read, Storage as _, conformance};

use super::{
    Database, crashes::ROUNDS_VARIABLE, database, distance, guarded, narrow, on_one_server, open,
    put,
};

const HALF_A_MILLISECOND: Duration = Duration::from_micros(500);

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

on_one_server!(
    it_keeps_its_promises_and_its_trips_some_way_off:
    it_keeps_its_promises_a_millisecond_away,
    each_call_is_one_trip,
);

/// All promises where long runs are asked for; otherwise those that depend on time.
async fn it_keeps_its_promises_a_millisecond_away() {
    let _database = database!();
    let far = || {
        let near = Database::new(true);
        let port = distance::between(near.port, HALF_A_MILLISECOND);
        Database { port, ..near }
    };
    let is_long = env::var_os(ROUNDS_VARIABLE).is_some();
    let is_on_time = |name: &str| ON_TIME.iter().any(|group| name.starts_with(group));
    let checks = conformance::CHECKS.iter();
    let checks: Vec<_> = checks
        .filter(|check| is_long || is_on_time(check.name))
        .collect();
    assert!(checks.len() > 25, "{}", checks.len());
    conformance::run(checks, far).await.unwrap();
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
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
}

/// Checks the trips that [`Storage`](connect_core::storage::Storage) promises of each of its methods, by the
/// time that they take. A lock where there is no row is the exception.
async fn each_call_is_one_trip() {
    const EACH_WAY: Duration = Duration::from_millis(40);
    let database = database!();
    let port = distance::between(database.port(), EACH_WAY);
    let store = open(&database.address_at(port), narrow).await;
    let commit = |value: &[u8]| put(*b"k", value);
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
    lock.commit(guarded(*b"g", None, b"1", commit(b"3")))
        .await
        .unwrap();
    assert_eq!(trips(), 1, "commit under a lock");
    store.lock(b"g").await.unwrap();
    assert_eq!(trips(), 1, "lock");
}
