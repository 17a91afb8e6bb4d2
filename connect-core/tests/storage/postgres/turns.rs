//! Connections that are all in use: who comes next waits for its turn, and not for ever.

use std::time::Duration;

use connect_core::storage::{
    Read, Storage as _,
    postgres::{PostgresOptions, testing::TestDatabase},
};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use tokio_postgres::NoTls;

use super::{Store, database, get, narrow, on_one_server, open, put, refusal};

/// The longest wait for a connection.
const WAIT: Duration = Duration::from_secs(1);

/// A store with one connection for reads and one for writes, both open.
async fn opened(database: &TestDatabase) -> Store {
    let options = |options: &mut PostgresOptions| {
        narrow(options);
        options.wait = WAIT;
    };
    let store = open(&database.address(), options).await;
    store.commit(put(*b"row", b"value")).await.unwrap();
    store.read(&[Read::Get(b"row")]).await.unwrap();
    store
}

/// Reads in a task of its own, begun when this returns.
async fn read(store: &Store) -> JoinHandle<Result<(), String>> {
    let store = store.clone();
    let reading = tokio::spawn(async move {
        let read = store.read(&[Read::Get(b"row")]).await;
        read.map(drop).map_err(|error| error.to_string())
    });
    sleep(Duration::from_millis(100)).await;
    reading
}

const BUSY: &str = "all connections to the database have been busy for too long";

on_one_server!(
    who_comes_next_waits_for_its_turn_and_not_for_ever:
    a_read_waits_for_its_turn_and_not_for_ever,
    a_write_waits_for_its_turn_and_not_for_ever,
);

async fn a_read_waits_for_its_turn_and_not_for_ever() {
    let database = database!();
    let store = opened(&database).await;
    // Keeps everybody else from the rows until it is dropped: a read that has begun does not end.
    let connected = tokio_postgres::connect(&database.address(), NoTls).await;
    let (held, connection) = connected.unwrap();
    tokio::spawn(connection);
    let lock = "BEGIN; LOCK TABLE connect_rows IN ACCESS EXCLUSIVE MODE";
    held.batch_execute(lock).await.unwrap();
    let first = read(&store).await;
    let since = Instant::now();
    let refused = read(&store).await.await.unwrap().unwrap_err();
    assert!(refused.contains(BUSY), "{refused}");
    assert!(since.elapsed() >= WAIT, "{:?}", since.elapsed());
    // Whoever asks shortly before there is a connection gets it. The first one waits all the while.
    let next = read(&store).await;
    assert!(!first.is_finished() && !next.is_finished());
    drop(held);
    first.await.unwrap().unwrap();
    next.await.unwrap().unwrap();
    store.read(&[Read::Get(b"row")]).await.unwrap();
}

async fn a_write_waits_for_its_turn_and_not_for_ever() {
    let database = database!();
    let store = opened(&database).await;
    let held = store.lock(b"guard").await.unwrap();
    let since = Instant::now();
    // It was never sent, and that is known.
    let refused = refusal(store.commit(put(*b"other", b"value")).await);
    assert!(since.elapsed() >= WAIT, "{:?}", since.elapsed());
    assert!(refused.to_string().contains(BUSY), "{refused}");
    let refused = store.lock(b"other").await.err().unwrap();
    assert!(refused.to_string().contains(BUSY), "{refused}");
    // Reads have connections of their own.
    assert_eq!(get(&*store, b"other").await, None);
    let next = tokio::spawn({
        let store = store.clone();
        async move { store.commit(put(*b"other", b"value")).await }
    });
    sleep(Duration::from_millis(100)).await;
    assert!(!next.is_finished());
    drop(held);
    next.await.unwrap().unwrap();
    assert!(get(&*store, b"other").await.is_some());
}
