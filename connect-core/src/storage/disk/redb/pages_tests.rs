//! Tests of checking a redb file's pages during writes.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    sync::Arc,
};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{Redb, pages::FilePages};
use crate::storage::{
    Commit, Key, Read, Write,
    disk::{Health, SpaceOptions, damage::Pages as _, store::DiskStore},
    in_process::Local,
};

const CACHE: u64 = 1 << 20;

fn open(folder: &Path) -> Result<DiskStore<Redb>, crate::storage::disk::OpenError> {
    let space = SpaceOptions {
        reserve_bytes: 0,
        ballast_bytes: 0,
    };
    DiskStore::open(folder, CACHE, 0, space, &[])
}

fn commit(writes: Vec<(Key, Write)>) -> Commit {
    Commit {
        writes,
        ..Commit::default()
    }
}

/// Checks for intact pages of the last commit during writes.
#[tokio::test]
async fn a_store_at_work_is_found_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path()).unwrap());
    let mut random = StdRng::seed_from_u64(7);
    let checked = {
        let store = store.clone();
        std::thread::spawn(move || {
            let mut pieces = 0;
            let mut from = Vec::new();
            while Arc::strong_count(&store) > 1 {
                let (reply, answer) = std::sync::mpsc::sync_channel(1);
                store
                    .queue
                    .send(crate::storage::disk::queue::Message::Pages(reply))
                    .unwrap();
                let pages = answer.recv().unwrap().unwrap().unwrap();
                let checked = if pieces % 5 == 0 {
                    pages.check_all().unwrap()
                } else {
                    pages.check_some(&from, 32).unwrap()
                };
                assert_eq!(checked.damaged, []);
                from = checked.next.unwrap_or_default();
                pieces += 1;
            }
            pieces
        })
    };
    for round in 0..400_u32 {
        let writes = (0..40).map(|_| {
            let key: [u8; 2] = random.random();
            let value = vec![round as u8; random.random_range(0..2000)];
            let write = if round % 3 == 0 {
                Write::Remove
            } else {
                Write::Put(value.into())
            };
            (Key::from(&key[..]), write)
        });
        let writes: BTreeMap<_, _> = writes.collect();
        store
            .apply(commit(writes.into_iter().collect()))
            .await
            .unwrap();
    }
    assert_eq!(store.health().health(), Health::Working);
    drop(store);
    assert!(checked.join().unwrap() > 10);
}

/// Checks for the previous commit after a torn header.
#[tokio::test]
async fn a_header_that_a_crash_has_torn_is_recovered() {
    let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(folder.path()).unwrap();
    let put = |key: &[u8]| commit(vec![(Key::from(key), Write::Put(vec![7; 60].into()))]);
    store.apply(put(b"one")).await.unwrap();
    let progress = fs::read(folder.path().join("connect.progress")).unwrap();
    store.apply(put(b"two")).await.unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), crashed.path().join(file.file_name())).unwrap();
    }
    fs::write(crashed.path().join("connect.progress"), progress).unwrap();
    let path = crashed.path().join("store.redb");
    let mut bytes = fs::read(&path).unwrap();
    let (flags, slot_len) = (bytes[9], 128);
    assert_eq!(flags & 2, 2, "the file is open");
    // The last byte of the checksum of the slot in use.
    bytes[64 + slot_len * usize::from(flags & 1) + slot_len - 1] ^= 1;
    fs::write(&path, bytes).unwrap();
    let store = open(crashed.path()).unwrap();
    let found = store.read(&[Read::Get(b"one"), Read::Get(b"two")]).await;
    let mut found = found.unwrap();
    assert!(found.value().unwrap().is_some());
    assert_eq!(found.value().unwrap(), None);
    assert_eq!(store.health().health(), Health::Working);
    store.apply(put(b"three")).await.unwrap();
}

/// Pages in each other's place may lead to each other, and none is read twice.
#[tokio::test]
async fn a_walk_goes_round_in_no_circle() {
    const LEN: usize = 4096;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    for first in (0..8000_u32).step_by(1000) {
        let put = |row: u32| {
            (
                Key::from(&[&row.to_be_bytes()[..], &[7; 300]].concat()[..]),
                Write::Put(vec![].into()),
            )
        };
        store
            .apply(commit((first..first + 1000).map(put).collect()))
            .await
            .unwrap();
    }
    drop(store);
    let path = folder.path().join("store.redb");
    let whole = fs::read(&path).unwrap();
    let check = || {
        let pages = FilePages::read(Arc::new(File::open(&path).unwrap()), ()).unwrap();
        pages.check_some(&[], u64::MAX).unwrap()
    };
    let of_whole = check();
    assert!(of_whole.damaged.is_empty() && of_whole.next.is_none());
    let branches: Vec<_> = (1..whole.len() / LEN)
        .filter(|page| whole[page * LEN] == 2)
        .collect();
    let mut random = StdRng::seed_from_u64(35);
    let mut found = 0;
    for _ in 0..100 {
        let [one, other] = [(); 2].map(|()| branches[random.random_range(0..branches.len())] * LEN);
        let mut bytes = whole.clone();
        bytes[one..one + LEN].copy_from_slice(&whole[other..other + LEN]);
        bytes[other..other + LEN].copy_from_slice(&whole[one..one + LEN]);
        fs::write(&path, bytes).unwrap();
        let checked = check();
        assert!(checked.bytes <= of_whole.bytes);
        found += checked.damaged.len();
    }
    assert!(found > 0);
}
