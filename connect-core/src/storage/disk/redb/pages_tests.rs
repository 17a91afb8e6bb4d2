//! The pages of a redb file: checked while it is written to, left out, written anew.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::Redb;
use crate::storage::{
    Commit, Key, Read, Value, Write,
    disk::{Health, SpaceOptions, store::DiskStore},
    in_process::Local,
};

const CACHE: u64 = 1 << 20;

type Rows = BTreeMap<Key, Value>;

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

/// A store of rows of many lengths, a part of which was removed again.
async fn fill(folder: &Path, count: u32, random: &mut StdRng) -> Rows {
    let store = open(folder).unwrap();
    let mut rows = Rows::new();
    for piece in 0..count / 1000 {
        let mut writes = Vec::new();
        for row in 0..1000 {
            let number: u64 = random.random();
            let key: Key = [&number.to_be_bytes()[..], b"key", &[piece as u8; 20]]
                .concat()
                .into();
            let len = if row % 500 == 0 {
                20_000
            } else {
                random.random_range(0..300)
            };
            let value: Value = vec![row as u8; len].into();
            rows.insert(key.clone(), value.clone());
            writes.push((key, Write::Put(value)));
        }
        store.apply(commit(writes)).await.unwrap();
    }
    let gone: Vec<Key> = rows.keys().step_by(7).cloned().collect();
    for gone in gone.chunks(1000) {
        let writes = gone.iter().map(|key| (key.clone(), Write::Remove));
        store.apply(commit(writes.collect())).await.unwrap();
    }
    rows.retain(|key, _| !gone.contains(key));
    rows
}

/// Without a copy, the operator goes on with what is left.
#[tokio::test]
async fn a_store_goes_on_without_its_damaged_pages() {
    let mut random = StdRng::seed_from_u64(33);
    let folder = tempfile::tempdir().unwrap();
    let rows = fill(folder.path(), 4000, &mut random).await;
    let file = folder.path().join("store.redb");
    let whole = fs::read(&file).unwrap();
    // A row that is in use, by its bytes; every copy of it.
    let key = rows.keys().nth(1000).unwrap();
    let mut bytes = whole.clone();
    for at in 0..bytes.len() - key.len() {
        if bytes[at..].starts_with(key) {
            bytes[at] ^= 1;
        }
    }
    fs::write(&file, bytes).unwrap();
    let store = open(folder.path()).unwrap();
    let health = store.health().health();
    assert!(matches!(health, Health::Damaged { .. }), "{health:?}");
    drop(store);
    fs::write(folder.path().join("connect.accept-loss"), "").unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(store.health().health(), Health::Working);
    let new = commit(vec![(
        b"new".as_slice().into(),
        Write::Put(b"row".as_slice().into()),
    )]);
    store.apply(new).await.unwrap();
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert!(report.rows + 60 > rows.len() as u64, "{report:?}");
    let mut gone = 0;
    for (key, value) in &rows {
        let mut state = store.read(&[Read::Get(key)]).await.unwrap();
        match state.value().unwrap() {
            Some(found) => assert!(found == *value),
            None => gone += 1,
        }
    }
    assert!((1..60).contains(&gone), "{gone} rows are gone");
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

/// redb uses the room of removed rows again, and keeps it.
#[tokio::test]
async fn a_file_that_is_mostly_unused_gets_shorter_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let key = |row: u32| Key::from(&row.to_be_bytes()[..]);
    let value = Value::from(vec![7; 40_000]);
    let store = open(folder.path()).unwrap();
    for rows in (0..2000).collect::<Vec<_>>().chunks(100) {
        let put = |row: &u32| (key(*row), Write::Put(value.clone()));
        store
            .apply(commit(rows.iter().map(put).collect()))
            .await
            .unwrap();
    }
    drop(store);
    let length = || fs::metadata(&file).unwrap().len();
    let full = length();
    let store = open(folder.path()).unwrap();
    assert_eq!(length(), full, "all of it is in use");
    let removed = (100..2000).map(|row| (key(row), Write::Remove));
    store.apply(commit(removed.collect())).await.unwrap();
    drop(store);
    // A process that was killed while it wrote the file anew has left this.
    let unfinished = folder.path().join("store.redb.new");
    fs::write(&unfinished, "half").unwrap();
    let store = open(folder.path()).unwrap();
    assert!(length() < full / 4, "{} of {full} bytes", length());
    assert!(!unfinished.exists());
    let report = store.verify(&mut |_| {}).unwrap();
    assert!(report.is_clean() && report.rows == 100, "{report:?}");
}
