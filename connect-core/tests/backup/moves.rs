//! What was in one store is in the other.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;

use connect_core::{
    storage::{
        Commit, CommitError, Entry, Found, Locked, MAX_VALUE_LEN, Read, State, Storage,
        StorageError, Write,
    },
    transfer::{ExportOptions, Stage, TransferProgress, export as export_with},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};

use super::{Engine, engines, export, export_anew, fill, import, many, row, store, with_rows};
use crate::faulty::rows as all_rows;

/// Any rows: keys that begin alike, and values of all lengths.
fn rows() -> impl Strategy<Value = Vec<Entry>> {
    let byte = prop_oneof![Just(0), Just(1), Just(255), any::<u8>()];
    let key = prop_oneof![
        4 => proptest::collection::vec(byte, 0..40),
        1 => proptest::collection::vec(any::<u8>(), 2048),
    ];
    let length = prop_oneof![8 => 0..60_usize, 2 => 0..5000_usize, 1 => 300_000..700_000_usize];
    let value = (length, any::<u8>()).prop_map(|(length, seed)| {
        let byte = |at: usize| (at as u8).wrapping_mul(31).wrapping_add(seed);
        (0..length).map(byte).collect::<Vec<u8>>()
    });
    let rows = proptest::collection::btree_map(key, value, 0..60);
    rows.prop_map(|rows: BTreeMap<_, _>| {
        let rows = rows.into_iter().map(|(key, value)| row(key, value));
        rows.collect()
    })
}

/// Carries rows from one backend to another, and that one's to a file again.
async fn carry(rows: &[Entry], from: Engine, to: Engine) {
    let (source, _source_folder) = store(from).await;
    fill(&*source, rows).await;
    let folder = tempfile::tempdir().unwrap();
    let (file, again) = (folder.path().join("one"), folder.path().join("two"));
    let written = export(&*source, &file).await.unwrap();
    assert_eq!(written.rows, rows.len() as u64);
    let bytes = rows.iter().map(|(key, value)| key.len() + value.len());
    assert_eq!(written.bytes, bytes.sum::<usize>() as u64);
    let (target, _target_folder) = store(to).await;
    assert_eq!(import(&*target, &file).await.unwrap(), written);
    assert_eq!(all_rows(&*target).await, rows);
    // The same rows make the same file, wherever they are.
    assert_eq!(export(&*target, &again).await.unwrap(), written);
    assert!(std::fs::read(&file).unwrap() == std::fs::read(&again).unwrap());
}

/// The file has nothing of the backend, so each of them beside memory stands for any two.
#[test]
fn any_rows_move_from_any_backend_and_into_any() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for engine in engines() {
        for (from, to) in [(engine, Engine::Memory), (Engine::Memory, engine)] {
            let mut runner = TestRunner::new(Config {
                cases: 4,
                rng_seed: RngSeed::Fixed(20_261_122),
                failure_persistence: None,
                ..Config::default()
            });
            let carried = runner.run(&rows(), |rows| {
                runtime.block_on(carry(&rows, from, to));
                Ok(())
            });
            carried.unwrap();
        }
    }
}

#[tokio::test]
async fn the_longest_key_and_the_longest_value_move() {
    let rows = [
        row([], vec![7; MAX_VALUE_LEN]),
        row([0; 2048], []),
        row([255; 2048], vec![9; MAX_VALUE_LEN]),
    ];
    // Not in sled, whose last flush does not always come to an end after values of this length.
    carry(&rows, Engine::Redb, Engine::Memory).await;
    carry(&rows, Engine::Memory, Engine::Redb).await;
}

#[tokio::test]
async fn an_empty_store_moves() {
    carry(&[], Engine::Memory, Engine::Redb).await;
}

/// Memory keeps the row with the entry; what comes from a file is an entry with an empty value.
#[tokio::test]
async fn an_index_entry_leads_to_its_row_as_before() {
    let (source, _folder) = store(Engine::Memory).await;
    let (product, other) = (row("row/7", "a row"), row("row/8", "another"));
    let entry = |row: &Entry, key: &str| (key.as_bytes().into(), Write::Index(row.1.clone()));
    let commit = Commit {
        writes: vec![
            entry(&product, "by time/3/7"),
            entry(&other, "by time/4/8"),
            (product.0.clone(), Write::Put(product.1.clone())),
            (other.0.clone(), Write::Put(other.1.clone())),
        ],
        ..Commit::default()
    };
    source.commit(commit).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    export(&*source, &file).await.unwrap();
    for engine in engines() {
        let (target, _folder) = store(engine).await;
        import(&*target, &file).await.unwrap();
        let joined = async |storage: &dyn Storage| {
            let read = Read::ScanFollow {
                range: connect_core::storage::Range {
                    from: b"by time/",
                    to: Some(b"by timf"),
                },
                limit: 10,
                newest_first: true,
                rows: b"row/",
                tail: 1,
            };
            storage.read(&[read]).await.unwrap().collect::<Vec<Found>>()
        };
        let found = joined(&*target).await;
        assert_eq!(found, joined(&*source).await, "{engine:?}");
        let expected = vec![
            (row("by time/4/8", ""), Some(other.1.clone())),
            (row("by time/3/7", ""), Some(product.1.clone())),
        ];
        assert_eq!(found, [Found::Joined(expected)]);
    }
}

#[tokio::test]
async fn progress_is_told_for_each_part_of_the_work() {
    let source = with_rows(&many(5000)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let mut told = Vec::new();
    let mut note = |progress: TransferProgress| told.push(progress);
    let options = ExportOptions::default();
    let exported = export_with(&*source, &file, options, &mut note).await;
    exported.unwrap();
    let of = |stage, of| {
        let at = move |rows| TransferProgress { stage, rows, of };
        [2000, 4000, 5000].map(at)
    };
    let compared = of(Stage::Comparing, Some(5000));
    assert_eq!(told[..2], of(Stage::Moving, None)[..2]);
    assert_eq!(told[2..], compared);

    let (target, _folder) = store(Engine::Memory).await;
    let mut told = Vec::new();
    let mut note = |progress: TransferProgress| told.push(progress);
    let imported = connect_core::transfer::import(&*target, &file, &mut note).await;
    imported.unwrap();
    let (checked, moved) = (of(Stage::Checking, None), of(Stage::Moving, Some(5000)));
    assert_eq!(told, [checked, moved, compared].concat());
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
    let source = with_rows(&many(3)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let mode = || std::fs::metadata(&file).unwrap().mode() & 0o777;
    export(&*source, &file).await.unwrap();
    assert_eq!(mode(), 0o600);
    // A copy may have been given to others.
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    export_anew(&*source, &file).await.unwrap();
    assert_eq!(mode(), 0o600);
}

/// Notes the bytes of each page that is read.
struct Pages {
    storage: Arc<dyn Storage>,
    bytes: Mutex<Vec<usize>>,
}

#[async_trait]
impl Storage for Pages {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.storage.read(reads).await?;
        let found: Vec<Found> = state.collect();
        if let [Found::Entries(page)] = &found[..] {
            let bytes = page.iter().map(|(key, value)| key.len() + value.len());
            self.bytes.lock().unwrap().push(bytes.sum());
        }
        Ok(State::new(found))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

/// Long rows are read a few at a time, short ones many.
#[tokio::test]
async fn pages_are_bounded_in_bytes() {
    const MIB: usize = 1024 * 1024;
    let short = many(3000);
    let mut rows = short.clone();
    rows.extend((0..300).map(|n| row(format!("long {n:03}"), vec![1; MIB])));
    rows.extend((0..3000).map(|n| row(format!("short {n:04}"), "")));
    let pages = Pages {
        storage: with_rows(&rows).await,
        bytes: Mutex::default(),
    };
    let folder = tempfile::tempdir().unwrap();
    export(&pages, &folder.path().join("file")).await.unwrap();
    let bytes = pages.bytes.into_inner().unwrap();
    // The first page that comes upon them, once for the export and once for the comparison.
    let surprises = bytes.iter().filter(|bytes| **bytes > 5 * MIB).count();
    assert!(surprises <= 2, "{surprises}");
    assert!(*bytes.iter().max().unwrap() <= 129 * MIB);
    assert!(bytes.len() < 300, "{} reads", bytes.len());
}
