//! All rows of one moment, while commits go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use connect_core::storage::{Entry, Key, Write, disk::FrozenRows};

use crate::{
    faulty::rows,
    storage::engines::{Engine, on_each_engine},
};

fn key(number: usize) -> Key {
    format!("key {number:06}").into_bytes().into()
}

/// A row; every tenth is stored in parts.
fn put(number: usize, round: usize) -> (Key, Write) {
    let len = if number.is_multiple_of(10) { 9000 } else { 40 };
    let mut value = vec![number as u8; len];
    value[..8].copy_from_slice(&round.to_be_bytes());
    (key(number), Write::Put(value.into()))
}

/// All that is left to read.
fn left(frozen: &mut FrozenRows) -> Vec<Entry> {
    let pages = std::iter::from_fn(|| Some(frozen.next_page().unwrap()));
    pages
        .take_while(|page| !page.is_empty())
        .flatten()
        .collect()
}

async fn writes_after_the_moment_are_not_seen(engine: Engine) {
    const ROWS: usize = 4000;
    let (_folder, store) = engine.fresh();
    for first in (0..ROWS).step_by(1000) {
        let writes = (first..first + 1000).map(|number| put(2 * number, 0));
        store.write(writes.collect()).await.unwrap();
    }
    let before = rows(&*store.0).await;
    let mut frozen = store.frozen();
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
            let removed = |number: usize| (key(2 * number), Write::Remove);
            let small = |number: usize| vec![removed(number), put(2 * number + 1, round)];
            let (large, ..) = tokio::join!(
                writer.write(large),
                writer.write(small(17)),
                writer.write(small(2999)),
                writer.write(small(3999)),
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
    let expected = rows(&*store.0).await;
    assert!(expected != before && left(&mut store.frozen()) == expected);
    assert!(store.report().is_clean());
}

async fn a_store_closes_although_somebody_reads(engine: Engine) {
    let (folder, store) = engine.fresh();
    let writes = (0..2000).map(|number| put(number, 0)).collect();
    store.write(writes).await.unwrap();
    let mut frozen = store.frozen();
    frozen.next_page().unwrap();
    drop(store);
    let refused = frozen.next_page().unwrap_err().to_string();
    assert!(refused.contains("the store was closed"), "{refused}");
    engine.open(folder.path()).unwrap();
}

on_each_engine!(
    writes_after_the_moment_are_not_seen,
    a_store_closes_although_somebody_reads,
);
