//! The pages of a redb file are checked while it is written to.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::Redb;
use crate::storage::{
    Commit, Key, Write,
    disk::{Health, SpaceOptions, store::DiskStore},
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

/// The pages of a file that is written to are those of the last commit, all the time.
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
