//! The folder of a store: its owner, and its missing files. Nothing whole is refused.

use std::{
    fs::{self, Permissions},
    ops::Range,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    thread,
    time::Duration,
};

use connect_core::storage::disk::{Health, OpenError};
use serde_json::json;
use tempfile::TempDir;

use crate::storage::engines::{Engine, Store, copy, files, on_each_engine, put};

const ACCEPT_LOSS: &str = "connect.accept-loss";
const RESTORE: &str = "restore the whole folder";

on_each_engine!(
    opens_again_after_closing_and_after_a_kill,
    a_removed_or_emptied_file_is_refused_by_name,
    a_file_that_was_cut_is_never_opened_smaller,
    an_older_data_file_is_refused_until_the_loss_is_accepted,
    a_record_that_is_older_missing_or_torn_does_not_harm_a_good_store,
    folders_of_others_are_refused_and_left_alone,
    one_at_a_time_has_the_folder,
    a_store_whose_making_was_cut_short_is_made_again,
    only_the_owner_has_rights,
);

const ROWS: Range<u32> = 0..1500;

fn value(row: u32) -> Vec<u8> {
    row.to_be_bytes().into_iter().cycle().take(1000).collect()
}

/// Writes rows of 1 kB, so many in each commit.
async fn fill(store: &Store, rows: Range<u32>, at_once: usize) {
    for first in rows.clone().step_by(at_once) {
        let some = first..rows.end.min(first + at_once as u32);
        let writes = some.map(|row| put(&row.to_be_bytes(), &value(row)));
        store.write(writes.collect()).await.unwrap();
    }
}

async fn holds(store: &Store, rows: Range<u32>) -> bool {
    let found = crate::faulty::rows(&*store.0).await;
    let rows = rows.map(|row| (row.to_be_bytes().into(), value(row).into()));
    found == rows.collect::<Vec<_>>()
}

fn copied(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    copy(from, to.path());
    to
}

/// A store with rows, either closed or killed: then its files are the ones of an open store.
async fn filled(engine: Engine, closed: bool) -> TempDir {
    let (folder, store) = engine.fresh();
    fill(&store, ROWS, 100).await;
    match closed {
        true => folder,
        false => copied(folder.path()),
    }
}

fn refused(engine: Engine, path: &Path) -> OpenError {
    engine.open(path).err().expect("it is refused")
}

async fn opens_again_after_closing_and_after_a_kill(engine: Engine) {
    for closed in [true, false] {
        let folder = filled(engine, closed).await;
        for _ in 0..3 {
            let store = engine.open(folder.path()).unwrap();
            assert!(holds(&store, ROWS).await, "closed: {closed}");
        }
    }
}

async fn a_removed_or_emptied_file_is_refused_by_name(engine: Engine) {
    for closed in [true, false] {
        let folder = filled(engine, closed).await;
        for file in files(folder.path()) {
            let name = file.display().to_string();
            // sled can rebuild its snapshots from its log.
            let needed = match &*name {
                "connect.closed" | "connect.progress" => false,
                name => closed || !name.contains("snap."),
            };
            for remove in [true, false] {
                let copy = copied(folder.path());
                match remove {
                    true => fs::remove_file(copy.path().join(&file)).unwrap(),
                    false => fs::write(copy.path().join(&file), b"").unwrap(),
                }
                if needed || (name.contains("snap.") && !remove) {
                    let text = refused(engine, copy.path()).to_string();
                    assert!(text.contains(&name) && text.contains(RESTORE), "{text}");
                } else {
                    let store = engine.open(copy.path()).unwrap();
                    assert!(holds(&store, ROWS).await, "without {name}");
                }
            }
        }
    }
}

async fn a_file_that_was_cut_is_never_opened_smaller(engine: Engine) {
    for closed in [true, false] {
        let folder = filled(engine, closed).await;
        let data = engine.data_file();
        let length = fs::metadata(folder.path().join(data)).unwrap().len();
        let mut opened = 0;
        for kept in (1..20).map(|part| length * part / 20).chain([length - 1]) {
            let copy = copied(folder.path());
            let file = fs::File::options().write(true).open(copy.path().join(data));
            file.unwrap().set_len(kept).unwrap();
            match engine.open(copy.path()) {
                // The lost part held no data.
                Ok(store) => {
                    let is_known = matches!(store.health(), Health::Damaged { .. });
                    assert!(is_known || holds(&store, ROWS).await, "{kept} bytes");
                    opened += usize::from(!is_known);
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains(RESTORE), "{text}");
                    let is_listed = matches!(error, OpenError::Incomplete { .. });
                    assert!(!closed || is_listed && text.contains(data), "{text}");
                }
            }
        }
        assert!(
            opened < if closed { 1 } else { 10 },
            "opened {opened} times"
        );
    }
}

async fn an_older_data_file_is_refused_until_the_loss_is_accepted(engine: Engine) {
    let (folder, store) = engine.fresh();
    fill(&store, 0..50, 1).await;
    drop(store);
    let older = copied(folder.path());
    let store = engine.open(folder.path()).unwrap();
    fill(&store, 50..100, 1).await;
    let killed = copied(folder.path());
    drop(store);
    let path = killed.path();
    match engine {
        Engine::Sled => {
            fs::remove_dir_all(path.join("sled")).unwrap();
            copy(&older.path().join("sled"), &path.join("sled"));
        }
        Engine::Redb => {
            fs::copy(older.path().join("store.redb"), path.join("store.redb")).unwrap();
        }
    }
    // Refused every time, until the operator accepts the loss.
    for _ in 0..2 {
        let error = refused(engine, path);
        let text = error.to_string();
        let OpenError::WentBack {
            recorded, found, ..
        } = error
        else {
            panic!("{text}");
        };
        assert_eq!(recorded, found + 50, "{text}");
        assert!(text.contains(ACCEPT_LOSS), "{text}");
    }
    fs::write(path.join(ACCEPT_LOSS), "").unwrap();
    let store = engine.open(path).unwrap();
    assert!(holds(&store, 0..50).await);
    assert!(!path.join(ACCEPT_LOSS).exists());
    drop(store);
    engine.open(path).unwrap();
}

async fn a_record_that_is_older_missing_or_torn_does_not_harm_a_good_store(engine: Engine) {
    let folder = filled(engine, false).await;
    let record = |folder: &TempDir| folder.path().join("connect.progress");
    let whole = fs::read(record(&folder)).unwrap();
    for content in [&whole[..20], b"", b"garbage"] {
        let copy = copied(folder.path());
        fs::write(record(&copy), content).unwrap();
        let store = engine.open(copy.path()).unwrap();
        assert!(holds(&store, ROWS).await, "{content:?}");
        assert_eq!(fs::read(record(&copy)).unwrap()[..8], whole[..8]);
    }
    // The state after a loss of power.
    let store = engine.open(folder.path()).unwrap();
    let old = fs::read(record(&folder)).unwrap();
    fill(&store, ROWS.end..ROWS.end + 10, 1).await;
    let copy = copied(folder.path());
    fs::write(record(&copy), old).unwrap();
    let store = engine.open(copy.path()).unwrap();
    assert!(holds(&store, 0..ROWS.end + 10).await);
}

async fn folders_of_others_are_refused_and_left_alone(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("letters.txt");
    fs::write(&file, "dear").unwrap();
    let error = refused(engine, folder.path());
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let error = refused(engine, &file);
    assert!(matches!(error, OpenError::Io { .. }), "{error}");

    let mut others = Engine::ALL.into_iter().filter(|other| *other != engine);
    let other = others.next().unwrap();
    let (folder, store) = other.fresh();
    drop(store);
    let text = refused(engine, folder.path()).to_string();
    let advice = format!("use --storage {}:{}", other.name(), folder.path().display());
    assert!(text.ends_with(&advice), "{text}");
    drop(other.open(folder.path()).unwrap());
    fs::write(
        folder.path().join("connect.store"),
        r#"{"format":4,"new":1}"#,
    )
    .unwrap();
    let text = refused(engine, folder.path()).to_string();
    assert!(text.contains("format 4"), "{text}");

    // A former program was killed while it moved a large commit to its place.
    let (folder, store) = engine.fresh();
    store.put(b"k", b"v").await.unwrap();
    drop(store);
    engine.set_raw(folder.path(), b"c", b"record");
    let text = refused(engine, folder.path()).to_string();
    assert!(text.contains("start that version once"), "{text}");

    // The first layout: a database of sled alone, and our lock.
    let folder = tempfile::tempdir().unwrap();
    drop(::sled::open(folder.path()).unwrap());
    let error = refused(engine, folder.path());
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error}");
    fs::write(folder.path().join("connect.lock"), "").unwrap();
    let text = refused(engine, folder.path()).to_string();
    assert!(
        text.contains("format 1, and this version reads format 3"),
        "{text}"
    );
}

/// A supervisor may restart the service before the killed process has ended, so an opener waits for a while.
async fn one_at_a_time_has_the_folder(engine: Engine) {
    let (folder, store) = engine.fresh();
    let error = refused(engine, folder.path());
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&folder.path().display().to_string()),
        "{text}"
    );
    store.put(b"k", b"still works").await.unwrap();
    assert_eq!(store.health(), Health::Working);
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(store);
    });
    engine.open(folder.path()).unwrap();
    ending.join().unwrap();
}

async fn a_store_whose_making_was_cut_short_is_made_again(engine: Engine) {
    let (folder, store) = engine.fresh();
    store.put(b"half", b"made").await.unwrap();
    let killed = copied(folder.path());
    let marker = killed.path().join("connect.store");
    let text = fs::read(&marker).unwrap();
    let mut content: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(content["complete"].take(), json!(true));
    content["complete"] = json!(false);
    content.as_object_mut().unwrap().remove("checksum");
    fs::write(&marker, content.to_string()).unwrap();
    assert_eq!(engine.open(killed.path()).unwrap().rows().await, 0);
}

async fn only_the_owner_has_rights(engine: Engine) {
    fn check(path: &Path) {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{} has {mode:o}", path.display());
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                check(&entry.unwrap().path());
            }
        }
    }
    let above = tempfile::tempdir().unwrap();
    let path = above.path().join("not/there/yet");
    for _ in 0..2 {
        let store = engine.open_with(&path, |_| ()).unwrap();
        fill(&store, 0..10, 1).await;
        check(&above.path().join("not"));
        drop(store);
        check(&above.path().join("not"));
        // An older folder, or one with wider permissions set later.
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
}

/// redb checks its pages itself, so its rows are counted only when there is more doubt.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_sled_that_is_older_is_noticed_after_a_kill() {
    let (folder, store) = Engine::Sled.fresh();
    fill(&store, 0..50, 10).await;
    drop(store);
    let row = [&b"r"[..], &7_u32.to_be_bytes()].concat();
    // Of a copy: reading makes the file longer.
    let mut raw = Engine::Sled.raw(copied(folder.path()).path()).into_iter();
    let (_, older) = raw.find(|(key, _)| *key == row).unwrap();
    let store = Engine::Sled.open(folder.path()).unwrap();
    store.put(&7_u32.to_be_bytes(), b"newer").await.unwrap();
    drop(store);
    Engine::Sled.set_raw(folder.path(), &row, &older);
    let error = refused(Engine::Sled, folder.path());
    let OpenError::RowsDiffer {
        expected, found, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((expected, found), (50, 50));
    fs::write(folder.path().join(ACCEPT_LOSS), "").unwrap();
    let store = Engine::Sled.open(folder.path()).unwrap();
    assert!(holds(&store, 0..50).await);
}

/// A crash while sled writes a snapshot leaves such a file; sled alone then refuses to open.
#[tokio::test]
async fn sled_opens_after_a_crash_in_a_snapshot() {
    let (folder, store) = Engine::Sled.fresh();
    fill(&store, 0..1, 1).await;
    drop(store);
    let left = folder.path().join("sled/snap.00000000FFFFFFFF.generating");
    for half in [&b""[..], b"half a snapshot that ends in the mid"] {
        // A process that was killed leaves no list of its files.
        let _ = fs::remove_file(folder.path().join("connect.closed"));
        fs::write(&left, half).unwrap();
        let store = Engine::Sled.open(folder.path()).unwrap();
        assert!(holds(&store, 0..1).await);
        assert!(!left.exists());
    }
}
