//! All rows of one moment, while commits go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use connect_core::storage::{Commit, Entry, Storage as _, Write, disk::FrozenRows};

use super::{harness::Engine, on_each_engine};
use crate::faulty::rows;

fn key(number: usize) -> Box<[u8]> {
    format!("key {number:06}").into_bytes().into()
}

/// Values of which every tenth is stored in parts.
fn value(number: usize, round: usize) -> Arc<[u8]> {
    let len = if number.is_multiple_of(10) { 9000 } else { 40 };
    let mut value = vec![number as u8; len];
    value[..8].copy_from_slice(&round.to_be_bytes());
    value.into()
}

fn commit(writes: Vec<(Box<[u8]>, Write)>) -> Commit {
    Commit {
        writes,
        ..Commit::default()
    }
}

/// All that is left to read.
fn left(frozen: &mut FrozenRows) -> Vec<Entry> {
    let mut rows = Vec::new();
    loop {
        let page = frozen.next_page().unwrap();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

async fn writes_after_the_moment_are_not_seen<E: Engine>() {
    const ROWS: usize = 4000;
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(E::open(folder.path()).unwrap());
    let put = |number, round| (key(number), Write::Put(value(number, round)));
    for first in (0..ROWS).step_by(1000) {
        let writes = (first..first + 1000).map(|number| put(2 * number, 0));
        store.commit(commit(writes.collect())).await.unwrap();
    }
    let before = rows(&*store).await;
    let mut frozen = E::freeze(&store);
    let mut found = frozen.next_page().unwrap();
    assert!(found.len() < ROWS);

    // Changes, removals, new rows and a large commit, before and behind what was read, in groups
    // that go on while the rest is read.
    let is_over = Arc::new(AtomicBool::new(false));
    let (writer, ends) = (store.clone(), is_over.clone());
    let writing = tokio::spawn(async move {
        let mut round = 1;
        while round < 4 || !ends.load(Ordering::Relaxed) {
            let large = (0..5000).map(|number| put(number, round)).collect();
            let small = |number: usize| {
                let removed = (key(2 * number), Write::Remove);
                commit(vec![removed, put(2 * number + 1, round)])
            };
            let (large, ..) = tokio::join!(
                writer.commit(commit(large)),
                writer.commit(small(17)),
                writer.commit(small(2999)),
                writer.commit(small(3999)),
            );
            large.unwrap();
            round += 1;
        }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let rest = tokio::task::spawn_blocking(move || left(&mut frozen));
    found.extend(rest.await.unwrap());
    is_over.store(true, Ordering::Relaxed);
    writing.await.unwrap();
    assert_eq!(found.len(), before.len());
    assert!(found == before);
    let now = E::freeze(&store);
    let expected = rows(&*store).await;
    assert!(expected != before);
    let (mut now, store) = (now, store);
    assert!(left(&mut now) == expected);
    assert!(E::verify(&store).is_clean());
}

async fn a_store_closes_although_somebody_reads<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let put = |number| (key(number), Write::Put(value(number, 0)));
    let writes = (0..2000).map(put).collect();
    store.commit(commit(writes)).await.unwrap();
    let mut frozen = E::freeze(&store);
    frozen.next_page().unwrap();
    drop(store);
    let refused = frozen.next_page().unwrap_err().to_string();
    assert!(refused.contains("the store was closed"), "{refused}");
    E::open(folder.path()).unwrap();
}

on_each_engine! {
    writes_after_the_moment_are_not_seen,
    a_store_closes_although_somebody_reads,
}
