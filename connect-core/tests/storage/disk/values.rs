//! Long values, too long ones, and damaged ones.

use std::{fs, path::Path};

use connect_core::storage::{Expectation, MAX_KEY_LEN, MAX_VALUE_LEN, Range, Read, Write};

use crate::storage::engines::{Engine, Store, is_refused, on_each_engine, put, value};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

on_each_engine!(
    nothing_is_left_of_long_values,
    flipped_bits_are_refused,
    damaged_rows_are_found_and_can_be_replaced,
);

async fn nothing_is_left_of_long_values(engine: Engine) {
    let (folder, store) = engine.fresh();
    let too_long = [
        store.put(&[0; MAX_KEY_LEN + 1], b"").await,
        store.put(b"k", &vec![0; MAX_VALUE_LEN + 1]).await,
    ];
    assert!(too_long.iter().all(is_refused), "{too_long:?}");
    for len in [100_000, 50_000, 10, 90_000] {
        store.put(b"shrinks", &vec![1; len]).await.unwrap();
        store.put(b"goes", &vec![1; len]).await.unwrap();
    }
    store.put(b"shrinks", b"").await.unwrap();
    store
        .write(vec![((*b"goes").into(), Write::Remove)])
        .await
        .unwrap();
    assert!(store.report().is_clean());
    drop(store);
    let keys = engine.raw(folder.path()).into_iter().map(|(key, _)| key);
    assert_eq!(
        keys.collect::<Vec<_>>(),
        [b"m".to_vec(), b"rshrinks".to_vec()]
    );
}

/// Opens a store whose rows were changed behind its back, and counts them anew.
fn open_anyway(engine: Engine, path: &Path) -> Store {
    fs::write(path.join("connect.accept-loss"), "").unwrap();
    engine.open(path).unwrap()
}

/// Flips one bit of what the engine holds under a key.
fn flip(engine: Engine, path: &Path, key: &[u8], bit: usize) {
    let mut raw = engine.raw(path).into_iter();
    let (_, mut stored) = raw.find(|(other, _)| other == key).unwrap();
    stored[bit / 8] ^= 1 << (bit % 8);
    engine.set_raw(path, key, &stored);
}

async fn flipped_bits_are_refused(engine: Engine) {
    for (key, bit) in [
        (&b"short"[..], 0),
        (b"long", 0),
        (b"empty", 0),
        (b"short", 77),
    ] {
        let (folder, store) = engine.fresh();
        store.put(b"empty", b"").await.unwrap();
        store.put(b"long", &[7; 9000]).await.unwrap();
        store.put(b"short", b"a value").await.unwrap();
        store.put(b"untouched", b"value").await.unwrap();
        drop(store);
        flip(engine, folder.path(), &[b"r", key].concat(), bit);
        let store = open_anyway(engine, folder.path());
        let error = store.get(key).await.unwrap_err().to_string();
        assert!(error.contains(&hex(key)), "{error}");
        assert!(error.contains("connect-server check"), "{error}");
        let everything = Range {
            from: b"",
            to: None,
        };
        let scan = Read::Scan {
            range: everything,
            limit: usize::MAX,
            newest_first: false,
        };
        assert!(store.read(&[scan]).await.is_err());
        assert_eq!(store.get(b"untouched").await.unwrap(), value(b"value"));
    }
}

async fn damaged_rows_are_found_and_can_be_replaced(engine: Engine) {
    let (folder, store) = engine.fresh();
    let key = |row: u32| row.to_be_bytes();
    let row = |row: u32| vec![row as u8; if row.is_multiple_of(1000) { 5000 } else { 10 }];
    let writes = (0..5000_u32).map(|number| put(&key(number), &row(number)));
    store.write(writes.collect()).await.unwrap();
    let report = store.report();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.rows, report.complete), (5000, Some(true)));
    drop(store);
    let damaged = [(7, 50), (4000, 10), (4999, 8)];
    for (row, bit) in damaged {
        flip(engine, folder.path(), &[&b"r"[..], &key(row)].concat(), bit);
    }
    let store = open_anyway(engine, folder.path());
    let report = store.report();
    assert!(!report.is_clean());
    assert_eq!((report.rows, report.damaged), (5000, 3), "{report:?}");
    assert_eq!(report.keys, damaged.map(|(row, _)| hex(&key(row))));
    let expects = vec![(key(4000).into(), Expectation::Is(row(4000).into()))];
    let refused = store.expecting(expects, Vec::new()).await;
    assert!(is_refused(&refused), "{refused:?}");
    for (row, _) in damaged {
        store.put(&key(row), b"new").await.unwrap();
        assert_eq!(store.get(&key(row)).await.unwrap(), value(b"new"));
    }
    let report = store.report();
    assert!(
        report.is_clean() && report.complete == Some(true),
        "{report:?}"
    );
}

/// sled never syncs what it puts into files of its own, so nothing may get there.
#[tokio::test]
async fn sled_keeps_long_values_in_the_synced_file() {
    let (folder, store) = Engine::Sled.fresh();
    for len in [4_096, 4_097, 100_000, 1 << 20] {
        for row in 0..20_u8 {
            let key = [&[row][..], &[b'k'; 200]].concat();
            store.put(&key, &vec![row; len]).await.unwrap();
        }
    }
    for row in 0..40_u8 {
        store.put(&[row], &vec![row; 4_096]).await.unwrap();
    }
    assert_eq!(
        fs::read_dir(folder.path().join("sled/blobs"))
            .unwrap()
            .count(),
        0
    );
}
