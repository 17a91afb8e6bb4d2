//! Large commits, each one batch of the engine.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use connect_core::storage::{CommitError, Expectation, Key, Range, Read, Write};

use crate::storage::engines::{Engine, Store, on_each_engine, put, value};

/// More rows than a group of small commits has.
const ROWS: u32 = 20_000;

on_each_engine!(
    readers_go_on_and_see_all_or_nothing,
    large_ones_conflict_as_small_ones_do,
);

fn key(row: u32) -> Key {
    [&b"large/"[..], &row.to_be_bytes()].concat().into()
}

/// Sets every row; some values are long.
fn all(content: u8) -> Vec<(Key, Write)> {
    let value = |row: u32| vec![content; if row.is_multiple_of(5000) { 9000 } else { 20 }];
    (0..ROWS).map(|row| put(&key(row), &value(row))).collect()
}

/// What the rows hold at both ends, read in one state through look-ups and scans.
async fn ends(store: &Store) -> Vec<Option<u8>> {
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

async fn readers_go_on_and_see_all_or_nothing(engine: Engine) {
    let (folder, store) = engine.fresh();
    let is_over = Arc::new(AtomicBool::new(false));
    let beside = tokio::spawn({
        let (store, is_over) = (store.clone(), is_over.clone());
        async move {
            while !is_over.load(Ordering::Relaxed) {
                store.put(b"beside", b"").await.unwrap();
            }
        }
    });
    let reader = tokio::spawn({
        let (store, is_over) = (store.clone(), is_over.clone());
        async move {
            let mut last = None;
            while !is_over.load(Ordering::Relaxed) {
                let found = ends(&store).await;
                assert_eq!(found, [found[0]; 4]);
                assert!(found[0] >= last, "went back from {last:?} to {found:?}");
                last = found[0];
                tokio::task::yield_now().await;
            }
        }
    });
    for round in 1..=3 {
        store.write(all(round)).await.unwrap();
        assert_eq!(ends(&store).await, [Some(round); 4]);
        store.put(&key(7), &[round]).await.unwrap();
        assert_eq!(store.get(&key(7)).await.unwrap(), value(&[round]));
    }
    is_over.store(true, Ordering::Relaxed);
    beside.await.unwrap();
    reader.await.unwrap();
    let report = store.report();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.rows, report.leftover), (u64::from(ROWS) + 1, 0));
    let removals = (0..ROWS).map(|row| (key(row), Write::Remove)).collect();
    store.write(removals).await.unwrap();
    assert_eq!(store.rows().await, 1);
    drop(store);
    let raw = engine.raw(folder.path()).into_iter().map(|(key, _)| key);
    assert_eq!(
        raw.collect::<Vec<_>>(),
        [b"m".to_vec(), b"rbeside".to_vec()]
    );
}

/// Each of two at once expects the row as the other may leave it: one wins. It is there after closing, with
/// most of it not in its place.
async fn large_ones_conflict_as_small_ones_do(engine: Engine) {
    let (folder, store) = engine.fresh();
    store.put(b"expected", b"this").await.unwrap();
    let other = Expectation::Is(b"that"[..].into());
    let refused = store
        .expecting(vec![((*b"expected").into(), other)], all(1))
        .await;
    assert!(matches!(refused, Err(CommitError::Conflict)), "{refused:?}");
    assert_eq!(store.rows().await, 1);
    let attempts = [1, 2].map(|content| {
        let store = store.clone();
        tokio::spawn(async move {
            let absent = vec![(key(0), Expectation::Absent)];
            store.expecting(absent, all(content)).await.is_ok()
        })
    });
    // A small one of the same keys, and one that has nothing to do with them.
    store.put(b"other", b"").await.unwrap();
    store.put(&key(3), &[9]).await.unwrap();
    let [first, second] = attempts;
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert!(first != second);
    assert_eq!(ends(&store).await, [Some(if first { 1 } else { 2 }); 4]);
    store.write(all(3)).await.unwrap();
    drop(store);
    let store = engine.open(folder.path()).unwrap();
    assert_eq!(ends(&store).await, [Some(3); 4]);
    assert!(store.report().is_clean());
}
