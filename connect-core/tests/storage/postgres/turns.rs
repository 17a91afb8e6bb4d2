//! Connections that are all in use: who comes next waits for its turn, and not for ever.

use std::{sync::Arc, time::Duration};

use connect_core::storage::{
    Commit, CommitError, Read, Storage, Write,
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use tokio_postgres::{Client, NoTls};

/// The longest wait for a connection.
const WAIT: Duration = Duration::from_secs(2);

/// A store with one connection for reads and one for writes.
struct Scene {
    store: Arc<PostgresStorage>,
    database: TestDatabase,
}

impl Scene {
    async fn open() -> Option<Self> {
        let database = TestDatabase::new()?;
        let options = PostgresOptions {
            readers: 1,
            writers: 1,
            wait: WAIT,
            ..PostgresOptions::default()
        };
        let store = PostgresStorage::open(&database.address(), options).await;
        let store = Arc::new(store.unwrap());
        // Opens both connections.
        store.commit(write(b"row")).await.unwrap();
        store.read(&[Read::Get(b"row")]).await.unwrap();
        Some(Self { store, database })
    }

    /// Keeps everybody else from the rows until it is dropped: a read that has begun does not end.
    async fn hold_up_reads(&self) -> Client {
        let connected = tokio_postgres::connect(&self.database.address(), NoTls).await;
        let (client, connection) = connected.unwrap();
        tokio::spawn(connection);
        let lock = "BEGIN; LOCK TABLE connect_rows IN ACCESS EXCLUSIVE MODE";
        client.batch_execute(lock).await.unwrap();
        client
    }

    /// Reads in a task of its own, which has begun when this returns.
    async fn read(&self) -> JoinHandle<Result<(), String>> {
        let store = self.store.clone();
        let reading = tokio::spawn(async move {
            let read = store.read(&[Read::Get(b"row")]).await;
            read.map(drop).map_err(|error| error.to_string())
        });
        sleep(Duration::from_millis(100)).await;
        reading
    }
}

fn write(key: &[u8]) -> Commit {
    Commit {
        writes: vec![(key.into(), Write::Put(b"value"[..].into()))],
        ..Commit::default()
    }
}

const BUSY: &str = "all connections to the database have been busy for too long";

#[tokio::test(flavor = "multi_thread")]
async fn a_read_waits_for_its_turn_and_not_for_ever() {
    let Some(scene) = Scene::open().await else {
        return;
    };
    let held = scene.hold_up_reads().await;
    let first = scene.read().await;
    let since = Instant::now();
    let refused = scene.read().await.await.unwrap().unwrap_err();
    assert!(refused.contains(BUSY), "{refused}");
    assert!(since.elapsed() >= WAIT, "{:?}", since.elapsed());
    // Whoever asks shortly before there is a connection gets it. The first one waits all the while.
    let next = scene.read().await;
    assert!(!first.is_finished() && !next.is_finished());
    drop(held);
    first.await.unwrap().unwrap();
    next.await.unwrap().unwrap();
    scene.store.read(&[Read::Get(b"row")]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_waits_for_its_turn_and_not_for_ever() {
    let Some(scene) = Scene::open().await else {
        return;
    };
    let held = scene.store.lock(b"guard").await.unwrap();
    let since = Instant::now();
    let refused = scene.store.commit(write(b"other")).await.unwrap_err();
    assert!(since.elapsed() >= WAIT, "{:?}", since.elapsed());
    // It was never sent, and that is known.
    let CommitError::NotApplied(reason) = refused else {
        panic!("{refused}");
    };
    assert!(reason.to_string().contains(BUSY), "{reason}");
    let refused = scene.store.lock(b"other").await.err().unwrap();
    assert!(refused.to_string().contains(BUSY), "{refused}");
    // Reads have connections of their own.
    let mut found = scene.store.read(&[Read::Get(b"other")]).await.unwrap();
    assert_eq!(found.value().unwrap(), None);
    let store = scene.store.clone();
    let next = tokio::spawn(async move { store.commit(write(b"other")).await });
    sleep(Duration::from_millis(100)).await;
    assert!(!next.is_finished());
    drop(held);
    next.await.unwrap().unwrap();
    let mut found = scene.store.read(&[Read::Get(b"other")]).await.unwrap();
    assert!(found.value().unwrap().is_some());
}
