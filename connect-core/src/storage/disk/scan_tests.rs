//! Scans of an index, while its entries move.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, sync::Arc};

use super::{engine::Engine, engine_tests::on_each_engine, space::SpaceOptions, store::DiskStore};
use crate::storage::{Commit, Key, Range, Read, Write, in_process::Local};

/// The number of index entries.
/// Each has a row with the time of the entry's key.
const ENTRIES: u32 = 300;

/// An entry of the index, by its time.
fn entry(time: u64, id: u32) -> Key {
    [&b"i"[..], &time.to_be_bytes(), &id.to_be_bytes()]
        .concat()
        .into()
}

fn row(id: u32) -> Key {
    [&b"r"[..], &id.to_be_bytes()].concat().into()
}

/// Moves entries of the index to a new time, in one commit.
struct Mover {
    times: Vec<u64>,
    now: u64,
}

impl Mover {
    async fn move_to_now<E: Engine>(
        &mut self,
        store: &DiskStore<E>,
        ids: impl Iterator<Item = u32>,
    ) {
        let mut writes = Vec::new();
        self.now += 1;
        for id in ids {
            let time = &mut self.times[id as usize];
            if *time > 0 {
                writes.push((entry(*time, id), Write::Remove));
            }
            *time = self.now;
            let value: crate::storage::Value = time.to_be_bytes().to_vec().into();
            writes.push((entry(*time, id), Write::Index(value.clone())));
            writes.push((row(id), Write::Put(value)));
        }
        let commit = Commit {
            writes,
            ..Commit::default()
        };
        store.apply(commit).await.unwrap();
    }
}

/// Scans the index and its rows, and checks for one state.
/// Returns the newest time.
async fn scan<E: Engine>(store: &DiskStore<E>, limit: usize) -> u64 {
    let mut from = entry(0, 0);
    let mut newest = 0;
    let mut seen = BTreeSet::new();
    loop {
        let read = Read::ScanFollow {
            range: Range {
                from: &from,
                to: Some(b"j"),
            },
            limit,
            newest_first: false,
            rows: b"r",
            tail: 4,
        };
        let found = store.read(&[read]).await.unwrap().joined().unwrap();
        for ((key, value), row) in &found {
            assert!(value.is_empty());
            let time = &key[1..9];
            assert_eq!(row.as_deref(), Some(time), "an entry and its row");
            newest = newest.max(u64::from_be_bytes(time.try_into().unwrap()));
            seen.insert(key[9..].to_vec());
        }
        match found.last() {
            Some(((last, _), _)) if found.len() == limit => from = [last, &[0][..]].concat().into(),
            _ => break,
        }
    }
    // Entries move only towards the end of the walk, so none is missed.
    assert_eq!(seen.len(), ENTRIES as usize, "every entry is found");
    newest
}

async fn scans_show_one_state<E: Engine<Options = u64>>() {
    let folder = tempfile::tempdir().unwrap();
    // A small cache, so rows have to make room.
    let cache_bytes = 32 * 1024;
    let space = SpaceOptions::default();
    let store = DiskStore::<E>::open(folder.path(), 1 << 24, cache_bytes, space, &[]).unwrap();
    let store = Arc::new(store);
    let mut mover = Mover {
        times: vec![0; ENTRIES as usize],
        now: 0,
    };
    mover.move_to_now(&store, 0..ENTRIES).await;
    let readers: Vec<_> = [7, 64, 1000]
        .into_iter()
        .map(|limit| {
            let store = store.clone();
            tokio::spawn(async move {
                while scan(&store, limit).await < 200 {
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    while mover.now < 200 {
        let step = mover.now as u32;
        // A group in the middle of the index, and every 50th time all entries.
        let ids = (0..5).map(|number| (step * 31 + number * 57) % ENTRIES);
        let ids: BTreeSet<u32> = if step % 50 == 49 {
            (0..ENTRIES).collect()
        } else {
            ids.collect()
        };
        mover.move_to_now(&store, ids.into_iter()).await;
        assert_eq!(scan(&store, 50).await, mover.now, "what was acknowledged");
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

on_each_engine!(scans_show_one_state);
