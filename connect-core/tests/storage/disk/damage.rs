//! Damage anywhere in the files of a store: it is found, and nothing wrong is read. Files that are written anew.
//!
//! `CONNECT_DAMAGE_ROUNDS=500 cargo test -p connect-core --test all damage_is_found` damages 500 copies of each
//! store, in place of a few.

use std::{collections::BTreeMap, env, fs, path::Path};

use connect_core::storage::{Key, Range, Read, StorageError, Value, Write, disk::Health};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::storage::engines::{Engine, Store, copy, files, on_each_engine, put};

type Rows = BTreeMap<Key, Value>;

on_each_engine!(damage_is_found_and_nothing_wrong_is_read);

/// The number of damaged copies of each store, unless this variable asks for another.
const ROUNDS: u32 = 60;
const ROUNDS_VARIABLE: &str = "CONNECT_DAMAGE_ROUNDS";

/// The length of a page, and of what a disk writes at a time.
const PAGE: usize = 4096;

/// Fills a store with rows of many lengths, and removes a part of them again.
async fn fill(store: &Store, pieces: u8, random: &mut StdRng) -> Rows {
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
            writes.push(put(&key, &value));
            rows.insert(key.into(), value.into());
        }
        store.write(writes).await.unwrap();
    }
    let gone: Vec<Key> = rows.keys().step_by(7).cloned().collect();
    let removed = gone.iter().map(|key| (key.clone(), Write::Remove));
    store.write(removed.collect()).await.unwrap();
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
    fn refuse(&mut self, error: &StorageError, round: &str) {
        assert!(!error.to_string().contains("panicked"), "{round}: {error}");
        self.refused += 1;
    }
}

/// Reads everything, in pages in both directions and row by row. Whatever is read has to be right.
async fn read_all(store: &Store, rows: &Rows, round: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let all: Vec<_> = rows
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for page in all.chunks(50) {
        let (from, last) = (&page[0].0, &page[page.len() - 1].0);
        let to = [&last[..], &[0]].concat();
        let range = Range {
            from,
            to: Some(&to),
        };
        for newest_first in [false, true] {
            let scan = Read::Scan {
                range,
                limit: 100,
                newest_first,
            };
            match store.read(&[scan]).await {
                Ok(mut state) => {
                    let mut found = state.entries().unwrap();
                    if newest_first {
                        found.reverse();
                    }
                    assert!(found == page, "{round}: a page is short or wrong");
                    outcome.read += found.len();
                }
                Err(error) => outcome.refuse(&error, round),
            }
        }
        match store.get(from).await {
            Ok(found) => assert!(found.as_ref() == Some(&rows[from]), "{round}"),
            Err(error) => outcome.refuse(&error, round),
        }
    }
    outcome
}

/// Damages a file in one of five ways: a flipped bit near the beginning of a page, where heads and keys are, or
/// anywhere; a page of zeros; two pages in each other's place; an end that is missing. An empty file gets a byte.
fn damage(file: &Path, kind: u32, random: &mut StdRng) {
    let mut bytes = fs::read(file).unwrap();
    let len = bytes.len();
    if len == 0 {
        return fs::write(file, [0]).unwrap();
    }
    // Files of ours are shorter than a page.
    let page_len = PAGE.min(len.div_ceil(2));
    let mut page = || random.random_range(0..len / page_len) * page_len;
    let (page, other) = (page(), page());
    match kind {
        0 => {
            bytes[(page + random.random_range(0..600)).min(len - 1)] ^=
                1 << random.random_range(0..8)
        }
        1 => bytes[random.random_range(0..len)] ^= 1 << random.random_range(0..8),
        2 => bytes[page..page + page_len].fill(0),
        3 => {
            let kept = bytes[page..page + page_len].to_vec();
            bytes.copy_within(other..other + page_len, page);
            bytes[other..other + page_len].copy_from_slice(&kept);
        }
        _ => bytes.truncate(random.random_range(0..len)),
    }
    fs::write(file, bytes).unwrap();
}

/// Every other copy is of a store whose process was killed.
async fn damage_is_found_and_nothing_wrong_is_read(engine: Engine) {
    let rounds = env::var(ROUNDS_VARIABLE).map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut random = StdRng::seed_from_u64(32);
    let (origin, store) = engine.fresh();
    let rows = fill(&store, 8, &mut random).await;
    let killed = tempfile::tempdir().unwrap();
    copy(origin.path(), killed.path());
    drop(store);
    let (mut harmless, mut damaged, mut refused) = (0, 0, 0);
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let origin = if round % 2 == 0 { &origin } else { &killed };
        copy(origin.path(), folder.path());
        // Most of the damage is to the file of the rows.
        let mut files = files(origin.path());
        files.push("connect.lock".into());
        let file = match round % 3 {
            0 => &files[random.random_range(0..files.len())],
            _ => Path::new(engine.data_file()),
        };
        damage(&folder.path().join(file), round % 5, &mut random);
        let round = format!("round {round}, {}", file.display());
        let store = match engine.open(folder.path()) {
            Ok(store) => store,
            Err(error) => {
                assert!(error.to_string().contains("restore"), "{round}: {error}");
                refused += 1;
                continue;
            }
        };
        let outcome = read_all(&store, &rows, &round).await;
        let is_damaged = matches!(store.health(), Health::Damaged { .. });
        let written = store.put(b"new", b"row").await;
        let report = store.report();
        let round = format!("{round}: {outcome:?}, {report:?}, {written:?}");
        assert_eq!(is_damaged, outcome.refused > 0, "{round}");
        assert_eq!(is_damaged, written.is_err(), "{round}");
        assert_eq!(is_damaged, !report.is_clean(), "{round}");
        if is_damaged {
            damaged += 1;
            assert!(outcome.read > rows.len(), "{round}");
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
    let (folder, store) = Engine::Redb.fresh();
    let rows = fill(&store, 4, &mut random).await;
    drop(store);
    let file = folder.path().join("store.redb");
    let mut bytes = fs::read(&file).unwrap();
    // A row that is in use, by its bytes; every copy of it.
    let key = rows.keys().nth(1000).unwrap();
    for at in 0..bytes.len() - key.len() {
        if bytes[at..].starts_with(key) {
            bytes[at] ^= 1;
        }
    }
    fs::write(&file, bytes).unwrap();
    let store = Engine::Redb.open(folder.path()).unwrap();
    let health = store.health();
    assert!(matches!(health, Health::Damaged { .. }), "{health:?}");
    drop(store);
    fs::write(folder.path().join("connect.accept-loss"), "").unwrap();
    let store = Engine::Redb.open(folder.path()).unwrap();
    assert_eq!(store.health(), Health::Working);
    store.put(b"new", b"row").await.unwrap();
    let report = store.report();
    assert!(report.is_clean(), "{report:?}");
    assert!(report.rows + 60 > rows.len() as u64, "{report:?}");
    let mut gone = 0;
    for (key, value) in &rows {
        match store.get(key).await.unwrap() {
            Some(found) => assert!(found == *value),
            None => gone += 1,
        }
    }
    assert!((1..60).contains(&gone), "{gone} rows are gone");
}

/// redb uses the room of removed rows again, and keeps it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_mostly_unused_gets_shorter_at_the_next_start() {
    let (folder, store) = Engine::Redb.fresh();
    let file = folder.path().join("store.redb");
    let key = |row: u32| Key::from(&row.to_be_bytes()[..]);
    let value = Value::from(vec![7; 40_000]);
    for first in (0..2000).step_by(100) {
        let put = |row: u32| (key(row), Write::Put(value.clone()));
        store
            .write((first..first + 100).map(put).collect())
            .await
            .unwrap();
    }
    drop(store);
    let length = || fs::metadata(&file).unwrap().len();
    let full = length();
    let store = Engine::Redb.open(folder.path()).unwrap();
    assert_eq!(length(), full, "all of it is in use");
    let removed = (100..2000).map(|row| (key(row), Write::Remove));
    store.write(removed.collect()).await.unwrap();
    drop(store);
    // A process that was killed while it wrote the file anew has left this.
    let unfinished = folder.path().join("store.redb.new");
    fs::write(&unfinished, "half").unwrap();
    let store = Engine::Redb.open(folder.path()).unwrap();
    assert!(length() < full / 4, "{} of {full} bytes", length());
    assert!(!unfinished.exists());
    let report = store.report();
    assert!(report.is_clean() && report.rows == 100, "{report:?}");
}
