//! Large commits, which go in slices.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use connect_core::storage::{Commit, CommitError, Expectation, Range, Read, Storage, Write};

use super::{
    harness::{Engine, commit, get, put, scan, value, write},
    on_each_engine,
};

/// More rows than go in one group.
const ROWS: u32 = 20_000;

on_each_engine!(
    others_go_on_and_see_all_or_nothing,
    a_conflict_writes_nothing,
    two_at_once_come_one_after_another,
    is_there_after_reopening,
);

fn key(row: u32) -> Box<[u8]> {
    [&b"large/"[..], &row.to_be_bytes()].concat().into()
}

/// Sets every row; some values are long.
fn all(content: u8) -> Vec<(Box<[u8]>, Write)> {
    let value = |row: u32| vec![content; if row.is_multiple_of(5000) { 9000 } else { 20 }];
    (0..ROWS).map(|row| write(&key(row), &value(row))).collect()
}

/// What the rows hold at both ends, read in one state through look-ups and scans.
async fn ends(store: &impl Storage) -> Vec<Option<u8>> {
    let range = Range {
        from: b"large/",
        to: Some(b"large0"),
    };
    let (first, last) = (key(0), key(ROWS - 1));
    let scan = |newest_first| Read::Scan {
        range,
        limit: 3,
        newest_first,
    };
    let reads = [Read::Get(&first), scan(false), Read::Get(&last), scan(true)];
    let mut state = store.read(&reads).await.unwrap();
    let mut found = Vec::new();
    for _ in 0..2 {
        found.push(state.value().unwrap().map(|value| value[0]));
        let entries = state.entries().unwrap();
        assert!(entries.is_empty() || entries.len() == 3);
        found.push(entries.first().map(|(_, value)| value[0]));
    }
    found
}

async fn others_go_on_and_see_all_or_nothing<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(E::open(folder.path()).unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let small = Arc::new(AtomicUsize::new(0));
    let beside = tokio::spawn({
        let (store, is_over, small) = (store.clone(), is_over.clone(), small.clone());
        async move {
            while !is_over.load(Ordering::Relaxed) {
                put(&*store, b"beside", b"").await.unwrap();
                small.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let reader = tokio::spawn({
        let (store, is_over) = (store.clone(), is_over.clone());
        async move {
            let mut last = None;
            while !is_over.load(Ordering::Relaxed) {
                let found = ends(&*store).await;
                assert_eq!(found, [found[0]; 4]);
                assert!(found[0] >= last, "went back from {last:?} to {found:?}");
                last = found[0];
                tokio::task::yield_now().await;
            }
        }
    });
    for round in 1..=3 {
        let before = small.load(Ordering::Relaxed);
        commit(&*store, all(round)).await.unwrap();
        assert_eq!(ends(&*store).await, [Some(round); 4]);
        // Waits until everything is in its place.
        put(&*store, &key(7), &[round]).await.unwrap();
        assert_eq!(get(&*store, &key(7)).await.unwrap(), value(&[round]));
        assert!(small.load(Ordering::Relaxed) > before + 1);
    }
    is_over.store(true, Ordering::Relaxed);
    beside.await.unwrap();
    reader.await.unwrap();
    let report = E::verify(&*store);
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.rows, report.leftover), (u64::from(ROWS) + 1, 0));
    let removals = (0..ROWS).map(|row| (key(row), Write::Remove)).collect();
    commit(&*store, removals).await.unwrap();
    assert_eq!(scan(&*store).await.unwrap().len(), 1);
    drop(store);
    let raw: Vec<_> = E::raw(folder.path())
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(raw, [b"m".to_vec(), b"rbeside".to_vec()]);
}

async fn a_conflict_writes_nothing<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    put(&store, b"expected", b"this").await.unwrap();
    let expecting = |bytes: &[u8]| Commit {
        expects: vec![(b"expected"[..].into(), Expectation::Is(bytes.into()))],
        writes: all(1),
        ..Commit::default()
    };
    let refused = store.commit(expecting(b"that")).await;
    assert!(matches!(refused, Err(CommitError::Conflict)), "{refused:?}");
    assert_eq!(scan(&store).await.unwrap().len(), 1);
    store.commit(expecting(b"this")).await.unwrap();
    assert_eq!(scan(&store).await.unwrap().len(), 1 + ROWS as usize);
}

/// Each expects the row as the other may leave it: one wins.
async fn two_at_once_come_one_after_another<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(E::open(folder.path()).unwrap());
    let attempt = |content| {
        let store = store.clone();
        tokio::spawn(async move {
            let commit = Commit {
                expects: vec![(key(0), Expectation::Absent)],
                writes: all(content),
                ..Commit::default()
            };
            store.commit(commit).await.is_ok()
        })
    };
    let attempts = [attempt(1), attempt(2)];
    // A small one of the same keys, and one that has nothing to do with them.
    put(&*store, b"other", b"").await.unwrap();
    put(&*store, &key(3), &[9]).await.unwrap();
    let [first, second] = attempts;
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert!(first != second);
    let winner = if first { 1 } else { 2 };
    assert_eq!(ends(&*store).await, [Some(winner); 4]);
}

async fn is_there_after_reopening<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=2 {
        let store = E::open(folder.path()).unwrap();
        commit(&store, all(round)).await.unwrap();
        // Acknowledged, and most likely not in its place.
        drop(store);
        let store = E::open(folder.path()).unwrap();
        assert_eq!(ends(&store).await, [Some(round); 4]);
        assert!(E::verify(&store).is_clean());
    }
}
