//! Scans through the cache of runs, while entries move.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, sync::Arc};

use super::{
    engine::Engine,
    engine_tests::on_each_engine,
    index_ranges::{At, IndexRange, IndexRangeCache, RangeRecorder},
    space::SpaceOptions,
    staged::LARGE_WRITES,
    store::DiskStore,
};
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
        mut writes: Vec<(Key, Write)>,
    ) {
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
    // A small cache, so runs have to make room for others.
    let cache_bytes = 32 * 1024;
    let space = SpaceOptions::default();
    let store = DiskStore::<E>::open(folder.path(), 1 << 24, cache_bytes, space, &[]).unwrap();
    let store = Arc::new(store);
    let mut mover = Mover {
        times: vec![0; ENTRIES as usize],
        now: 0,
    };
    mover.move_to_now(&store, 0..ENTRIES, Vec::new()).await;
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
        mover.move_to_now(&store, ids.into_iter(), Vec::new()).await;
        assert_eq!(scan(&store, 50).await, mover.now, "what was acknowledged");
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

/// Checks scans during a large commit; its slices move cached entries too.
async fn large_commits_are_scanned<E: Engine<Options = u64>>() {
    const OTHERS: u32 = LARGE_WRITES as u32;
    let folder = tempfile::tempdir().unwrap();
    let space = SpaceOptions::default();
    let store = DiskStore::<E>::open(folder.path(), 1 << 24, 1 << 24, space, &[]).unwrap();
    let mut mover = Mover {
        times: vec![0; ENTRIES as usize],
        now: 0,
    };
    for _ in 0..3 {
        mover.move_to_now(&store, 0..ENTRIES, Vec::new()).await;
        assert_eq!(scan(&store, 50).await, mover.now);
        let others = (0..OTHERS).map(|number| [&b"x"[..], &number.to_be_bytes()].concat().into());
        let others = others.map(|key| (key, Write::Remove)).collect();
        mover.move_to_now(&store, 0..ENTRIES, others).await;
        // During the move, and afterwards.
        for _ in 0..20 {
            assert_eq!(scan(&store, 50).await, mover.now);
        }
    }
}

on_each_engine!(scans_show_one_state, large_commits_are_scanned);

/// Runs of the entries at these times.
fn ranges(times: std::ops::Range<u64>) -> Vec<IndexRange> {
    let mut recorder = RangeRecorder::new(&entry(times.start, 0));
    for time in times.clone() {
        recorder.add(&entry(time, 0), false);
    }
    recorder.end_at(&entry(times.end, 0))
}

#[test]
fn a_run_ends_where_another_begins() {
    let cache = IndexRangeCache::new(1 << 20);
    cache.keep(ranges(100..300));
    let At::Gap(Some(next)) = cache.at(&entry(99, 0)) else {
        unreachable!("nothing was read there");
    };
    assert_eq!(next, entry(100, 0));
    let mut time = 100;
    let mut from = entry(100, 0);
    while let At::Run(run) = cache.at(&from) {
        for key in run.keys_from(&from) {
            assert_eq!(*key, entry(time, 0));
            time += 1;
        }
        from = run.to.clone();
    }
    assert_eq!(time, 300);
    assert_eq!(from, entry(300, 0));
}

#[test]
fn only_the_runs_around_written_keys_are_forgotten() {
    let cache = IndexRangeCache::new(1 << 20);
    cache.keep(ranges(0..200));
    // No such entry exists yet, but the run covers its key.
    cache.forget([entry(70, 1), entry(71, 0)].iter());
    assert!(matches!(cache.at(&entry(63, 0)), At::Run(_)));
    assert!(matches!(cache.at(&entry(64, 0)), At::Gap(_)));
    assert!(matches!(cache.at(&entry(127, 9)), At::Gap(_)));
    assert!(matches!(cache.at(&entry(128, 0)), At::Run(_)));
}

#[test]
fn entries_with_values_are_in_no_run() {
    let cache = IndexRangeCache::new(1 << 20);
    let mut recorder = RangeRecorder::new(&entry(0, 0));
    for time in 0..30 {
        recorder.add(&entry(time, 0), time == 15);
    }
    cache.keep(recorder.end_at(&entry(30, 0)));
    assert!(matches!(cache.at(&entry(14, 0)), At::Gap(_)));
    assert!(matches!(cache.at(&entry(15, 0)), At::Gap(_)));
    assert!(matches!(cache.at(&entry(16, 0)), At::Run(_)));
}

#[test]
fn the_runs_that_nobody_scans_make_room() {
    let cache = IndexRangeCache::new(50_000);
    cache.keep(ranges(0..64));
    for part in 1..100 {
        assert!(matches!(cache.at(&entry(0, 0)), At::Run(_)), "in use");
        cache.keep(ranges(part * 64..part * 64 + 64));
    }
    let is_kept = |part: &u64| matches!(cache.at(&entry(part * 64, 0)), At::Run(_));
    let kept = (0..100).filter(is_kept).count();
    assert!((5..30).contains(&kept), "{kept} runs of 64 entries");
}
