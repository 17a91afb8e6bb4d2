//! Damage anywhere in the files of a store: it is found, and nothing wrong is read. Files that are written anew.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use connect_core::storage::{Key, Range, Read, Storage, StorageError, Value, Write, disk::Health};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{
    harness::{Engine, Redb, commit, get, put, write},
    on_each_engine,
};

type Rows = BTreeMap<Key, Value>;

on_each_engine!(damage_is_found_and_nothing_wrong_is_read);

/// The number of damaged copies.
const CASES: u32 = 60;

/// Fills a store with rows of many lengths, and removes a part of them again.
async fn fill<E: Engine>(folder: &Path, pieces: u8, random: &mut StdRng) -> Rows {
    let store = E::open(folder).unwrap();
    let mut rows = Rows::new();
    for piece in 0..pieces {
        let mut writes = Vec::new();
        for row in 0..1000 {
            let number: u64 = random.random();
            let key = [&number.to_be_bytes()[..], b"key", &[piece; 20]].concat();
            let len = if row % 500 == 0 {
                20_000
            } else {
                random.random_range(0..300)
            };
            let value = vec![row as u8; len];
            writes.push(write(&key, &value));
            rows.insert(key.into(), value.into());
        }
        commit(&store, writes).await.unwrap();
    }
    let gone: Vec<Key> = rows.keys().step_by(7).cloned().collect();
    let removed = gone.iter().map(|key| (key.clone(), Write::Remove));
    commit(&store, removed.collect()).await.unwrap();
    rows.retain(|key, _| !gone.contains(key));
    rows
}

/// The outcome of reading a store from one end to the other.
#[derive(Debug, Default)]
struct Outcome {
    /// Rows that were read.
    read: usize,
    /// Reads that were refused.
    refused: usize,
}

impl Outcome {
    /// Counts a read that was refused, and not by a panic of the engine.
    fn refuse(&mut self, error: &StorageError) {
        assert!(!error.to_string().contains("panicked"), "{error}");
        self.refused += 1;
    }
}

/// Reads everything, in pages in both directions and row by row. Whatever is read has to be right.
async fn read_all(store: &impl Storage, rows: &Rows) -> Outcome {
    let mut outcome = Outcome::default();
    let keys: Vec<&Key> = rows.keys().collect();
    for page in keys.chunks(50) {
        let (from, last) = (page[0], page[page.len() - 1]);
        let to = [&last[..], &[0]].concat();
        let expected: Vec<_> = page
            .iter()
            .map(|key| ((*key).clone(), rows[*key].clone()))
            .collect();
        for newest_first in [false, true] {
            let scan = Read::Scan {
                range: Range {
                    from,
                    to: Some(&to),
                },
                limit: 100,
                newest_first,
            };
            let mut found = match store.read(&[scan]).await {
                Ok(mut state) => state.entries().unwrap(),
                Err(error) => {
                    outcome.refuse(&error);
                    continue;
                }
            };
            if newest_first {
                found.reverse();
            }
            assert!(found == expected, "a page is short or wrong");
            outcome.read += found.len();
        }
        match get(store, from).await {
            Ok(found) => assert!(found.as_ref() == Some(&rows[from])),
            Err(error) => outcome.refuse(&error),
        }
    }
    outcome
}

/// Flips a bit near the beginning of a page, where heads and keys are, or fills a page with zeros.
fn damage(file: &Path, zeros: bool, random: &mut StdRng) {
    let mut bytes = fs::read(file).unwrap();
    let pages = bytes.len().div_ceil(4096);
    let page = random.random_range(0..pages) * 4096;
    let len = bytes.len();
    if zeros {
        bytes[page..len.min(page + 4096)].fill(0);
    } else {
        let at = page + random.random_range(0..600);
        bytes[at.min(len - 1)] ^= 1 << random.random_range(0..8);
    }
    fs::write(file, bytes).unwrap();
}

/// The files below a folder that are not empty, with their paths from there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|below| name.join(below)));
        } else if path.metadata().unwrap().len() > 0 {
            found.push(name);
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

async fn damage_is_found_and_nothing_wrong_is_read<E: Engine>() {
    let mut random = StdRng::seed_from_u64(32);
    let origin = tempfile::tempdir().unwrap();
    let rows = fill::<E>(origin.path(), 8, &mut random).await;
    let files = files(origin.path());
    let length = |file: &&PathBuf| origin.path().join(file).metadata().unwrap().len();
    let is_data = |file: &&PathBuf| !file.ends_with("connect.ballast");
    let data = files.iter().filter(is_data).max_by_key(length).unwrap();
    let (mut harmless, mut damaged, mut refused) = (0, 0, 0);
    for case in 0..CASES {
        let folder = tempfile::tempdir().unwrap();
        copy(origin.path(), folder.path());
        // Most of the damage is to the file of the rows.
        let file = match case % 4 {
            0 => &files[random.random_range(0..files.len())],
            _ => data,
        };
        damage(&folder.path().join(file), case % 2 == 0, &mut random);
        let Ok(store) = E::open(folder.path()) else {
            refused += 1;
            continue;
        };
        let outcome = read_all(&store, &rows).await;
        let is_damaged = matches!(E::health(&store).health(), Health::Damaged { .. });
        let written = put(&store, b"new", b"row").await;
        let report = E::verify(&store);
        let case = format_args!("case {case}: {outcome:?}, {report:?}, {written:?}").to_string();
        assert_eq!(is_damaged, outcome.refused > 0, "{case}");
        assert_eq!(is_damaged, written.is_err(), "{case}");
        assert_eq!(is_damaged, !report.is_clean(), "{case}");
        if is_damaged {
            damaged += 1;
            assert!(outcome.read > rows.len(), "{case}");
        } else {
            harmless += 1;
        }
    }
    assert!(
        damaged + refused >= 8,
        "{harmless} harmless, {damaged} damaged, {refused} refused"
    );
}

/// Without a copy, the operator goes on with what is left.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_goes_on_without_its_damaged_pages() {
    let mut random = StdRng::seed_from_u64(33);
    let folder = tempfile::tempdir().unwrap();
    let rows = fill::<Redb>(folder.path(), 4, &mut random).await;
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
    let store = Redb::open(folder.path()).unwrap();
    let health = Redb::health(&store).health();
    assert!(matches!(health, Health::Damaged { .. }), "{health:?}");
    drop(store);
    fs::write(folder.path().join("connect.accept-loss"), "").unwrap();
    let store = Redb::open(folder.path()).unwrap();
    assert_eq!(Redb::health(&store).health(), Health::Working);
    put(&store, b"new", b"row").await.unwrap();
    let report = Redb::verify(&store);
    assert!(report.is_clean(), "{report:?}");
    assert!(report.rows + 60 > rows.len() as u64, "{report:?}");
    let mut gone = 0;
    for (key, value) in &rows {
        match get(&store, key).await.unwrap() {
            Some(found) => assert!(found == *value),
            None => gone += 1,
        }
    }
    assert!((1..60).contains(&gone), "{gone} rows are gone");
}

/// redb uses the room of removed rows again, and keeps it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_mostly_unused_gets_shorter_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let key = |row: u32| Key::from(&row.to_be_bytes()[..]);
    let value = Value::from(vec![7; 40_000]);
    let store = Redb::open(folder.path()).unwrap();
    for rows in (0..2000).collect::<Vec<_>>().chunks(100) {
        let put = |row: &u32| (key(*row), Write::Put(value.clone()));
        commit(&store, rows.iter().map(put).collect())
            .await
            .unwrap();
    }
    drop(store);
    let length = || fs::metadata(&file).unwrap().len();
    let full = length();
    let store = Redb::open(folder.path()).unwrap();
    assert_eq!(length(), full, "all of it is in use");
    let removed = (100..2000).map(|row| (key(row), Write::Remove));
    commit(&store, removed.collect()).await.unwrap();
    drop(store);
    // A process that was killed while it wrote the file anew has left this.
    let unfinished = folder.path().join("store.redb.new");
    fs::write(&unfinished, "half").unwrap();
    let store = Redb::open(folder.path()).unwrap();
    assert!(length() < full / 4, "{} of {full} bytes", length());
    assert!(!unfinished.exists());
    let report = Redb::verify(&store);
    assert!(report.is_clean() && report.rows == 100, "{report:?}");
}
