//! The wrappers of the conformance checks do what they say.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use connect_core::storage::{
    Commit, Guard, Read, Storage, Write,
    conformance::{Alternating, Distant},
    memory::MemoryStorage,
};

const READ: &[Read<'static>] = &[Read::Get(b"k"), Read::Get(b"l")];

fn commit(value: &[u8]) -> Commit {
    Commit {
        writes: vec![(b"k"[..].into(), Write::Put(value.into()))],
        ..Commit::default()
    }
}

#[tokio::test]
async fn a_distant_store_takes_its_time_and_counts_trips() {
    let distance = Duration::from_millis(10);
    let store = Distant::new(Arc::new(MemoryStorage::new()), distance);
    assert_eq!(store.trips(), 0);
    let start = Instant::now();
    store.read(READ).await.unwrap();
    assert_eq!(store.trips(), 1);
    store.commit(commit(b"1")).await.unwrap();
    assert_eq!(store.trips(), 2);
    let lock = store.lock(b"g").await.unwrap();
    lock.read(READ).await.unwrap();
    let guarded = Commit {
        guard: Some(Guard {
            key: b"g"[..].into(),
            was: None,
            becomes: b"1"[..].into(),
        }),
        ..commit(b"2")
    };
    lock.commit(guarded).await.unwrap();
    // To release a lock is no trip: nobody waits for it.
    assert_eq!(store.trips(), 5);
    assert!(start.elapsed() >= 5 * 2 * distance);
}

#[tokio::test]
async fn calls_go_to_two_handles_in_turn() {
    // Two stores that know nothing of each other show which of them was called.
    let stores = [MemoryStorage::new(), MemoryStorage::new()];
    let [first, second] = stores.clone();
    let store = Alternating::new([Arc::new(first), Arc::new(second)]);
    for value in [b"1", b"2", b"3"] {
        store.commit(commit(value)).await.unwrap();
    }
    let mut found = Vec::new();
    for store in &stores {
        found.push(store.read(READ).await.unwrap().value().unwrap());
    }
    assert_eq!(found, [Some(b"3"[..].into()), Some(b"2"[..].into())]);
    let seen = store.read(READ).await.unwrap().value().unwrap();
    assert_eq!(seen, Some(b"2"[..].into()));
}
