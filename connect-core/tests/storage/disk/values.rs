//! Long values, and damaged ones.

use std::{fs, path::Path};

use connect_core::storage::{Commit, CommitError, Expectation, Storage, Write};

use super::{
    harness::{Engine, Sled, commit, get, put, scan, value, write},
    on_each_engine,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

on_each_engine!(
    nothing_is_left_of_long_values,
    flipped_bits_are_refused,
    damaged_rows_are_found,
    a_damaged_row_can_be_replaced,
);

async fn nothing_is_left_of_long_values<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    for len in [100_000, 50_000, 10, 90_000] {
        put(&store, b"shrinks", &vec![1; len]).await.unwrap();
        put(&store, b"goes", &vec![1; len]).await.unwrap();
    }
    put(&store, b"shrinks", b"").await.unwrap();
    let remove = (b"goes"[..].into(), Write::Remove);
    commit(&store, vec![remove]).await.unwrap();
    assert!(E::verify(&store).is_clean());
    drop(store);
    let keys: Vec<_> = E::raw(folder.path())
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, [b"m".to_vec(), b"rshrinks".to_vec()]);
}

/// Opens a store whose rows were changed behind its back, also if it tells.
fn open_anyway<E: Engine>(path: &Path) -> E::Store {
    E::open(path).unwrap_or_else(|_| {
        fs::write(path.join("connect.accept-loss"), "").unwrap();
        E::open(path).unwrap()
    })
}

/// Flips one bit of what the engine holds under a key.
fn flip<E: Engine>(path: &Path, key: &[u8], bit: usize) {
    let raw = E::raw(path);
    let (_, stored) = raw.iter().find(|(other, _)| other == key).unwrap();
    let mut stored = stored.clone();
    stored[bit / 8] ^= 1 << (bit % 8);
    E::set_raw(path, key, Some(&stored));
}

async fn flipped_bits_are_refused<E: Engine>() {
    for (key, bit) in [
        (&b"rshort"[..], 0),
        (b"rlong", 0),
        (b"rempty", 0),
        (b"rshort", 77),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = E::open(folder.path()).unwrap();
        put(&store, b"empty", b"").await.unwrap();
        put(&store, b"long", &[7; 9000]).await.unwrap();
        put(&store, b"short", b"a value").await.unwrap();
        put(&store, b"untouched", b"value").await.unwrap();
        drop(store);
        flip::<E>(folder.path(), key, bit);
        let store = open_anyway::<E>(folder.path());
        let error = get(&store, &key[1..]).await.unwrap_err().to_string();
        assert!(error.contains(&hex(&key[1..])), "{error}");
        assert!(error.contains("connect-server check"), "{error}");
        assert!(scan(&store).await.is_err());
        assert_eq!(get(&store, b"untouched").await.unwrap(), value(b"value"));
    }
}

async fn damaged_rows_are_found<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let mut writes = Vec::new();
    for row in 0..5000_u32 {
        let long = if row % 1000 == 0 { 5000 } else { 10 };
        writes.push(write(&row.to_be_bytes(), &vec![row as u8; long]));
    }
    commit(&store, writes).await.unwrap();
    let report = E::verify(&store);
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.rows, report.complete), (5000, Some(true)));
    drop(store);
    let key = |row: u32| [&b"r"[..], &row.to_be_bytes()].concat();
    flip::<E>(folder.path(), &key(7), 50);
    flip::<E>(folder.path(), &key(4999), 8);
    let store = open_anyway::<E>(folder.path());
    let report = E::verify(&store);
    assert_eq!((report.rows, report.damaged), (5000, 2), "{report:?}");
    assert_eq!(report.keys, [hex(&key(7)[1..]), hex(&key(4999)[1..])]);
    assert!(!report.is_clean());
}

async fn a_damaged_row_can_be_replaced<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    put(&store, b"row", &[7; 5000]).await.unwrap();
    drop(store);
    flip::<E>(folder.path(), b"rrow", 10);
    let store = open_anyway::<E>(folder.path());
    let expects = vec![(b"row"[..].into(), Expectation::Is([7; 5000][..].into()))];
    let expecting = Commit {
        expects,
        ..Commit::default()
    };
    let refused = store.commit(expecting).await;
    assert!(
        matches!(refused, Err(CommitError::NotApplied(_))),
        "{refused:?}"
    );
    put(&store, b"row", b"new").await.unwrap();
    assert_eq!(get(&store, b"row").await.unwrap(), value(b"new"));
    let report = E::verify(&store);
    assert!(
        report.is_clean() && report.complete == Some(true),
        "{report:?}"
    );
}

/// sled never syncs what it puts into files of its own, so nothing may get there.
#[tokio::test]
async fn sled_keeps_long_values_in_the_synced_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sled::open(folder.path()).unwrap();
    for len in [4_096, 4_097, 100_000, 1 << 20] {
        for row in 0..20_u8 {
            let key = [&[row][..], &[b'k'; 200]].concat();
            put(&store, &key, &vec![row; len]).await.unwrap();
        }
    }
    for row in 0..40_u8 {
        put(&store, &[row], &vec![row; 4_096]).await.unwrap();
    }
    assert_eq!(
        fs::read_dir(folder.path().join("sled/blobs"))
            .unwrap()
            .count(),
        0
    );
}
