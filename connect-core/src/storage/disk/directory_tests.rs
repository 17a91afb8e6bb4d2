//! The folder of a store, with small stores of both engines.
//! Tests the refusals, and that no intact store is refused.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use redb::{ReadableDatabase, ReadableTable};
use tempfile::TempDir;

use super::{
    Kind, OpenError,
    directory::Directory,
    open_error::ACCEPT_LOSS_FILE,
    progress::{Recorded, StoreMark},
};

const TABLE: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("rows");
const ENGINES: [Kind; 2] = [Kind::Sled, Kind::Redb];
const MARK: &[u8] = b"mark";

enum Raw {
    Sled(sled::Db),
    Redb(Box<redb::Database>),
}

impl Raw {
    fn open(engine: Kind, path: &Path) -> Result<Self, String> {
        let open = || match engine {
            Kind::Sled => sled::open(path).map(Self::Sled).map_err(|e| e.to_string()),
            Kind::Redb => redb::Database::create(path)
                .map(|db| Self::Redb(Box::new(db)))
                .map_err(|e| e.to_string()),
        };
        catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|_| Err("panicked".into()))
    }

    fn rows(&self) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, String> {
        let read = || match self {
            Self::Sled(db) => db
                .iter()
                .map(|row| row.map(|(k, v)| (k.to_vec(), v.to_vec())))
                .collect::<Result<_, _>>()
                .map_err(|e| e.to_string()),
            Self::Redb(db) => {
                let Ok(table) = db.begin_read().unwrap().open_table(TABLE) else {
                    return Ok(BTreeMap::new());
                };
                let rows = table.iter().map_err(|e| e.to_string())?;
                rows.map(|row| row.map(|(k, v)| (k.value().to_vec(), v.value().to_vec())))
                    .collect::<Result<_, _>>()
                    .map_err(|e| e.to_string())
            }
        };
        catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("panicked".into()))
    }

    fn put(&self, key: &[u8], value: &[u8], mark: StoreMark) {
        match self {
            Self::Sled(db) => {
                let mut batch = sled::Batch::default();
                batch.insert(key, value);
                batch.insert(MARK, &mark.encode());
                db.apply_batch(batch).unwrap();
                db.flush().unwrap();
            }
            Self::Redb(db) => {
                let write = db.begin_write().unwrap();
                {
                    let mut table = write.open_table(TABLE).unwrap();
                    table.insert(key, value).unwrap();
                    table.insert(MARK, &mark.encode()[..]).unwrap();
                }
                write.commit().unwrap();
            }
        }
    }
}

struct Store {
    raw: Raw,
    directory: Directory,
    mark: StoreMark,
}

fn checksum(key: &[u8], value: &[u8]) -> u64 {
    crc32fast::hash(&[key, value].concat()).into()
}

fn open(path: &Path, engine: Kind) -> Result<Store, OpenError> {
    let mut directory = Directory::take(path, engine)?;
    let raw = Raw::open(engine, &directory.engine_path());
    let damaged = |reason| OpenError::Damaged {
        path: path.into(),
        reason,
    };
    let raw = raw.map_err(damaged)?;
    let found = if directory.is_new() {
        raw.put(b"first", b"", StoreMark::default());
        Some(StoreMark::default())
    } else {
        let mark = raw.rows().map_err(damaged)?.remove(MARK);
        mark.and_then(|mark| StoreMark::decode(&mark))
    };
    let mark = directory.admit(found, || {
        let mut mark = StoreMark::default();
        for (key, value) in raw.rows()? {
            if key != MARK && key != b"first" {
                mark.add(checksum(&key, &value));
            }
        }
        Ok(mark)
    })?;
    Ok(Store {
        raw,
        directory,
        mark,
    })
}

impl Store {
    /// Writes rows of 1 kB, each in its own group.
    fn fill(&mut self, rows: std::ops::Range<u32>) {
        for row in rows {
            let (key, value) = (row.to_be_bytes(), value(row));
            self.mark.number += 1;
            self.mark.add(checksum(&key, &value));
            self.raw.put(&key, &value, self.mark);
            self.directory.record(self.mark);
        }
    }

    fn holds(&self, rows: std::ops::Range<u32>) -> bool {
        let found = self.raw.rows().unwrap();
        found.len() == rows.len() + 2
            && rows
                .into_iter()
                .all(|row| found.get(&row.to_be_bytes()[..]) == Some(&value(row)))
    }

    fn close(self) {
        drop(self.raw);
        self.directory.close();
    }
}

fn value(row: u32) -> Vec<u8> {
    row.to_be_bytes().into_iter().cycle().take(1000).collect()
}

const ROWS: std::ops::Range<u32> = 0..1500;

/// A store with rows, either closed or killed.
fn filled(engine: Kind, closed: bool) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), engine).unwrap();
    store.fill(ROWS);
    if closed {
        store.close();
        return folder;
    }
    // After a kill, the files are the ones of an open store.
    let killed = copy(folder.path());
    drop(store);
    killed
}

fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    copy_into(from, to.path());
    to
}

fn copy_into(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_into(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn data_file(path: &Path, engine: Kind) -> PathBuf {
    match engine {
        Kind::Sled => path.join("sled/db"),
        Kind::Redb => path.join("store.redb"),
    }
}

fn cut(path: &Path, len: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(len).unwrap();
}

fn refused(path: &Path, engine: Kind, case: &str) -> OpenError {
    match open(path, engine) {
        Ok(store) => panic!(
            "{engine}, {case}: opened with {} rows",
            store.raw.rows().unwrap().len()
        ),
        Err(error) => error,
    }
}

#[test]
fn opens_again_after_closing_and_after_a_kill() {
    for engine in ENGINES {
        for closed in [true, false] {
            let folder = filled(engine, closed);
            for _ in 0..3 {
                let store = open(folder.path(), engine).unwrap();
                assert!(store.holds(ROWS), "{engine}, closed: {closed}");
                store.close();
            }
        }
    }
}

#[test]
fn a_removed_or_emptied_file_is_refused_by_name() {
    for engine in ENGINES {
        for closed in [true, false] {
            let folder = filled(engine, closed);
            let files = super::files::all_files(folder.path()).unwrap();
            for file in files {
                let name = file
                    .strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string();
                // sled can rebuild its snapshots from its log.
                let needed = match &*name {
                    "connect.lock" | "connect.closed" | "connect.progress" => false,
                    name => closed || !name.contains("snap."),
                };
                for remove in [true, false] {
                    let copy = copy(folder.path());
                    let file = copy.path().join(&name);
                    if remove {
                        fs::remove_file(&file).unwrap();
                    } else {
                        fs::write(&file, b"").unwrap();
                    }
                    if needed || (name.contains("snap.") && !remove) {
                        let text = refused(copy.path(), engine, &name).to_string();
                        assert!(text.contains(&name), "{text}");
                        assert!(text.contains("restore the whole folder"), "{text}");
                    } else {
                        let store = open(copy.path(), engine).unwrap();
                        assert!(store.holds(ROWS), "{engine}, without {name}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_file_that_was_cut_is_never_opened_smaller() {
    for engine in ENGINES {
        for closed in [true, false] {
            let folder = filled(engine, closed);
            let length = fs::metadata(data_file(folder.path(), engine))
                .unwrap()
                .len();
            let mut opened = 0;
            for part in 1..40 {
                let copy = copy(folder.path());
                cut(&data_file(copy.path(), engine), length * part / 40);
                match open(copy.path(), engine) {
                    // The lost part held no data.
                    Ok(store) => {
                        assert!(store.holds(ROWS), "{engine}, {part}/40");
                        opened += 1;
                    }
                    Err(error) => {
                        let text = error.to_string();
                        assert!(text.contains("restore the whole folder"), "{text}");
                    }
                }
            }
            assert!(
                opened < 20,
                "{engine}, closed: {closed}: opened {opened} times"
            );
        }
    }
}

#[test]
fn an_older_data_file_is_refused_until_the_loss_is_accepted() {
    for engine in ENGINES {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path(), engine).unwrap();
        store.fill(0..50);
        store.close();
        let older = copy(folder.path());
        let mut store = open(folder.path(), engine).unwrap();
        store.fill(50..100);
        drop(store);
        let data = folder.path().join(match engine {
            Kind::Sled => "sled",
            Kind::Redb => "store.redb",
        });
        if data.is_dir() {
            fs::remove_dir_all(&data).unwrap();
            fs::create_dir(&data).unwrap();
            copy_into(&older.path().join("sled"), &data);
        } else {
            fs::copy(older.path().join("store.redb"), &data).unwrap();
        }
        let error = refused(folder.path(), engine, "older");
        let text = error.to_string();
        assert!(
            matches!(
                error,
                OpenError::WentBack {
                    recorded: 100,
                    found: 50,
                    ..
                }
            ),
            "{text}"
        );
        assert!(text.contains(ACCEPT_LOSS_FILE), "{text}");
        // Refused every time, until the operator accepts the loss.
        refused(folder.path(), engine, "older, again");
        fs::write(folder.path().join(ACCEPT_LOSS_FILE), "").unwrap();
        let store = open(folder.path(), engine).unwrap();
        assert!(store.holds(0..50));
        assert!(!folder.path().join(ACCEPT_LOSS_FILE).exists());
        store.close();
        open(folder.path(), engine).unwrap();
    }
}

#[test]
fn a_record_that_is_older_missing_or_torn_does_not_harm_a_good_store() {
    for engine in ENGINES {
        let folder = filled(engine, false);
        let record = folder.path().join("connect.progress");
        let whole = fs::read(&record).unwrap();
        for (case, content) in [
            ("torn", &whole[..20]),
            ("empty", b""),
            ("other", b"garbage"),
        ] {
            let copy = copy(folder.path());
            fs::write(copy.path().join("connect.progress"), content).unwrap();
            let store = open(copy.path(), engine).unwrap();
            assert!(store.holds(ROWS), "{engine}, {case}");
            drop(store);
            assert_eq!(
                fs::read(copy.path().join("connect.progress")).unwrap()[..8],
                whole[..8]
            );
        }
        // The state after a loss of power.
        let mut store = open(folder.path(), engine).unwrap();
        let old = fs::read(&record).unwrap();
        store.fill(ROWS.end..ROWS.end + 10);
        let copy = copy(folder.path());
        fs::write(copy.path().join("connect.progress"), old).unwrap();
        drop(store);
        assert!(open(copy.path(), engine).unwrap().holds(0..ROWS.end + 10));
    }
}

#[test]
fn a_row_that_is_gone_or_older_is_noticed_after_a_kill() {
    // redb checks its pages itself, so its rows are counted only when there is more doubt.
    let folder = filled(Kind::Sled, false);
    let raw = sled::open(folder.path().join("sled")).unwrap();
    raw.insert(7_u32.to_be_bytes(), "older").unwrap();
    drop(raw);
    let error = refused(folder.path(), Kind::Sled, "older row");
    assert!(
        matches!(
            error,
            OpenError::RowsDiffer {
                expected: 1500,
                found: 1500,
                ..
            }
        ),
        "{error}"
    );
    fs::write(folder.path().join(ACCEPT_LOSS_FILE), "").unwrap();
    let store = open(folder.path(), Kind::Sled).unwrap();
    assert_eq!((store.mark.number, store.mark.rows), (1500, 1500));
}

/// The file of redb often gets shorter when closed.
/// Counting the rows then would slow each start of a large store.
#[test]
fn a_redb_store_that_was_closed_is_opened_without_counting() {
    let mut shorter = 0;
    for rows in [1, 5, 20, 100, 500] {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path(), Kind::Redb).unwrap();
        store.fill(0..rows);
        store.close();
        let recorded = Recorded::read(folder.path()).unwrap().unwrap();
        let data = folder.path().join("store.redb");
        if fs::metadata(&data).unwrap().len() >= recorded.length {
            continue;
        }
        shorter += 1;
        let directory = Directory::take(folder.path(), Kind::Redb).unwrap();
        assert_eq!(directory.suspicion, None, "{rows} rows");
        drop(directory);
        // Opening has removed the list, so only the length is left to check.
        let directory = Directory::take(folder.path(), Kind::Redb).unwrap();
        assert!(directory.suspicion.is_some(), "{rows} rows");
    }
    assert!(shorter > 0, "no file was shorter");
}

#[test]
fn folders_of_others_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letters.txt"), "dear").unwrap();
    let error = refused(folder.path(), Kind::Redb, "letters");
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    for (engine, other) in [(Kind::Sled, Kind::Redb), (Kind::Redb, Kind::Sled)] {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path(), engine).unwrap().close();
        let text = refused(folder.path(), other, "other engine").to_string();
        let advice = format!("use --storage {engine}:{}", folder.path().display());
        assert!(text.ends_with(&advice), "{text}");
        open(folder.path(), engine).unwrap();
    }

    let folder = tempfile::tempdir().unwrap();
    drop(sled::open(folder.path()).unwrap());
    let error = refused(folder.path(), Kind::Sled, "a sled database");
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error}");
    fs::write(folder.path().join("connect.lock"), "").unwrap();
    let text = refused(folder.path(), Kind::Sled, "format 1").to_string();
    assert!(
        text.contains("format 1, and this version reads format 3"),
        "{text}"
    );

    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), Kind::Redb).unwrap().close();
    fs::write(
        folder.path().join("connect.store"),
        r#"{"format":4,"new":1}"#,
    )
    .unwrap();
    let text = refused(folder.path(), Kind::Redb, "format 4").to_string();
    assert!(text.contains("format 4"), "{text}");
}

#[test]
fn a_second_opener_is_told_who_is_in_the_way() {
    for engine in ENGINES {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), engine).unwrap();
        let error = refused(folder.path(), engine, "second");
        assert!(matches!(error, OpenError::InUse { .. }), "{error}");
        drop(store);
        open(folder.path(), engine).unwrap();
    }
}

/// A supervisor may restart the service before the killed process has ended.
#[test]
fn an_opener_waits_for_the_end_of_the_one_before() {
    for engine in ENGINES {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), engine).unwrap();
        let ending = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            drop(store);
        });
        open(folder.path(), engine).unwrap();
        ending.join().unwrap();
    }
}

#[test]
fn a_store_whose_making_was_cut_short_is_made_again() {
    for engine in ENGINES {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::take(folder.path(), engine).unwrap();
        let raw = Raw::open(engine, &directory.engine_path()).unwrap();
        raw.put(b"half", b"made", StoreMark::default());
        drop((raw, directory));
        assert!(open(folder.path(), engine).unwrap().holds(0..0));
    }
}

#[test]
fn only_the_owner_has_rights() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for engine in ENGINES {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("not/there/yet");
        let mut store = open(&path, engine).unwrap();
        store.fill(0..10);
        let check = || {
            assert_eq!(mode(&above.path().join("not")), 0o700);
            assert_eq!(mode(&path), 0o700);
            for file in super::files::all_files(&path).unwrap() {
                assert_eq!(mode(&file), 0o600, "{}", file.display());
            }
        };
        check();
        store.close();
        check();
        // An older folder, or one with wider permissions set later.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let store = open(&path, engine).unwrap();
        check();
        drop(store);
    }
}
