//! Faults of the machine: a full disk, no file descriptors, files that were cut or changed. Nothing
//! that was acknowledged is lost, nobody is told something wrong, and the store goes on by itself.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use connect_core::storage::{
    CommitError, Range, Read,
    disk::{Health, OpenError, SpaceOptions},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    engines::{Engine, Store},
    power::Shim,
};

const FAULT: &str = "CONNECT_FAULT";
const FOLDER: &str = "CONNECT_FAULT_FOLDER";
/// While this file is there, the shim fails writes.
const BROKEN: &str = "POWER_BROKEN";
const MB: u64 = 1024 * 1024;

/// How long a store may take to go on by itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// Not a test by itself: what runs in a process with limits, or with a disk of its own.
#[test]
fn child() {
    let Ok(fault) = env::var(FAULT) else { return };
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    let (fault, engine) = fault.split_once(' ').unwrap();
    let engine = Engine::from_name(engine);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        match fault {
            "full" => full_disk(engine, &folder).await,
            "broken" => broken_drive(engine, &folder).await,
            "length" => longest_file(engine, &folder).await,
            "descriptors" => no_descriptors(engine, &folder).await,
            other => panic!("unknown fault {other}"),
        }
    });
}

/// Runs a fault in a process of its own, started by a command.
fn run(command: &[&str], fault: &str, engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), command, fault, engine);
}

fn run_in(folder: &Path, command: &[&str], fault: &str, engine: Engine) {
    let output = Command::new(command[0])
        .args(&command[1..])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "storage::faults::child", "--nocapture"])
        .env(FAULT, format!("{fault} {}", engine.name()))
        .env(FOLDER, folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{engine:?}: {}", text(&output));
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}\n{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// A command that gives a process mounts of its own; `None` when that is not allowed.
fn own_mounts() -> Option<&'static [&'static str]> {
    let commands: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-rm"]];
    let found = commands.into_iter().find(|command| {
        let tried = Command::new(command[0])
            .args(&command[1..])
            .arg("true")
            .output();
        tried.is_ok_and(|tried| tried.status.success())
    });
    let is_root = || {
        let id = Command::new("id").arg("-u").output().unwrap();
        id.stdout == b"0\n"
    };
    assert!(
        found.is_some() || !is_root(),
        "root cannot mount a small disk"
    );
    if found.is_none() {
        eprintln!("skipped: neither root nor allowed to make a user namespace");
    }
    found
}

/// Another value for every row.
fn value(row: u32) -> Vec<u8> {
    row.to_be_bytes().repeat(1000)
}

/// Writes rows until one is refused; returns how many there are then, and the refusal.
async fn fill(store: &Store, from: u32) -> (u32, CommitError) {
    for row in from..200_000 {
        if let Err(error) = store.put(&row.to_be_bytes(), &value(row)).await {
            return (row, error);
        }
    }
    panic!("no end of room");
}

async fn has_all(store: &Store, rows: u32) {
    for row in 0..rows {
        let found = store.get(&row.to_be_bytes()).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value(row)), "row {row} of {rows}");
    }
}

/// Waits until a write goes through.
async fn goes_on(store: &Store) {
    let give_up = Instant::now() + PATIENCE;
    while let Err(error) = store.put(b"goes on", b"yes").await {
        assert!(Instant::now() < give_up, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(store.health.health(), Health::Working);
}

fn rows_of_a_large_commit() -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    (0..8_500_u32).map(|row| {
        (
            [&b"large"[..], &row.to_be_bytes()].concat(),
            row.to_be_bytes().repeat(100),
        )
    })
}

async fn has_large_commit(store: &Store) {
    for (key, value) in rows_of_a_large_commit() {
        let found = store.get(&key).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value));
    }
}

fn shell(command: &str) {
    let output = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(output.status.success(), "{command}: {}", text(&output));
}

async fn full_disk(engine: Engine, folder: &Path) {
    let disk = folder.display();
    shell(&format!("mount -t tmpfs -o size=16m none {disk}"));
    let options = SpaceOptions {
        reserve_bytes: MB,
        ballast_bytes: MB,
    };
    let path = folder.join("store");
    let store = engine.open_with(&path, options).unwrap();
    let (rows, error) = fill(&store, 0).await;
    assert!(rows > 500, "{rows} rows");
    assert!(matches!(error, CommitError::NotApplied(_)), "{error:?}");
    assert!(error.to_string().contains("no room left"), "{error}");
    assert_eq!(store.health.health(), Health::Full);
    has_all(&store, rows).await;
    let large = store.put_all(rows_of_a_large_commit()).await;
    assert!(
        matches!(large, Err(CommitError::NotApplied(_))),
        "{large:?}"
    );
    has_all(&store, rows).await;

    // Somebody else takes the rest.
    let fill_disk = || {
        let of = format!("of={disk}/other");
        let dd = Command::new("dd")
            .args(["if=/dev/zero", "bs=4096", &of])
            .output()
            .unwrap();
        assert!(!dd.status.success(), "the disk is not full");
    };
    fill_disk();
    let refused = store.put(b"one more", b"").await;
    assert!(
        matches!(refused, Err(CommitError::NotApplied(_))),
        "{refused:?}"
    );
    has_all(&store, rows).await;
    drop(store);
    let store = engine.open_with(&path, options).unwrap();
    has_all(&store, rows).await;
    fill_disk();
    assert!(store.put(b"one more", b"").await.is_err());
    assert_eq!(store.get(b"one more").await.unwrap(), None);

    shell(&format!("mount -o remount,size=300m {disk}"));
    goes_on(&store).await;
    has_all(&store, rows).await;
    store.put_all(rows_of_a_large_commit()).await.unwrap();
    drop(store);
    let store = engine.open_with(&path, options).unwrap();
    has_all(&store, rows).await;
    for (key, value) in rows_of_a_large_commit().step_by(100) {
        assert_eq!(store.get(&key).await.unwrap().as_deref(), Some(&*value));
    }
}

#[test]
fn goes_on_after_the_disk_was_full() {
    if let Some(command) = own_mounts() {
        for engine in Engine::ALL {
            run(command, "full", engine);
        }
    }
}

/// Every write and every sync fails for a while. What is read meanwhile is right, or an error.
async fn broken_drive(engine: Engine, folder: &Path) {
    let path = folder.join("store");
    let broken = PathBuf::from(env::var_os(BROKEN).unwrap());
    let store = engine.open(&path).unwrap();
    let mut acknowledged = Vec::new();
    for round in 0..1 {
        for row in round * 100..round * 100 + 50 {
            store.put(&row_key(row), &value(row)).await.unwrap();
            acknowledged.push(row);
        }
        fs::write(&broken, "").unwrap();
        let unknown = store
            .put(&row_key(round * 100 + 50), &value(round * 100 + 50))
            .await;
        assert!(
            !matches!(unknown, Ok(()) | Err(CommitError::Conflict)),
            "{unknown:?}"
        );
        let health = store.health.health();
        assert!(matches!(health, Health::Failed { .. }), "{health:?}");
        for row in &acknowledged {
            if let Ok(found) = store.get(&row_key(*row)).await {
                assert_eq!(found.as_deref(), Some(&*value(*row)), "row {row}");
            }
        }
        fs::remove_file(&broken).unwrap();
        goes_on(&store).await;
        let found = store.get(&row_key(round * 100 + 50)).await.unwrap();
        if matches!(unknown, Err(CommitError::NotApplied(_))) {
            assert_eq!(found, None, "round {round}");
        }
    }
    for row in &acknowledged {
        let found = store.get(&row_key(*row)).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value(*row)), "row {row}");
    }
    drop(store);
    let store = engine.open(&path).unwrap();
    for row in acknowledged {
        let found = store.get(&row_key(row)).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value(row)), "row {row}");
    }
}

#[test]
fn goes_on_after_writes_have_failed() {
    let shim = Shim::compile();
    let preload = format!("LD_PRELOAD={}", shim.library().display());
    for engine in Engine::ALL {
        let folder = tempfile::tempdir().unwrap();
        let tracked = format!("POWER_FOLDER={}", folder.path().join("store").display());
        let broken = format!("{BROKEN}={}", folder.path().join("broken").display());
        run_in(
            folder.path(),
            &["env", &preload, &tracked, &broken],
            "broken",
            engine,
        );
    }
}

/// The limit on the length of files, which fails writes in the middle.
async fn longest_file(engine: Engine, folder: &Path) {
    let options = SpaceOptions {
        reserve_bytes: MB,
        ballast_bytes: MB,
    };
    let store = engine.open_with(folder, options).unwrap();
    let (rows, error) = fill(&store, 0).await;
    assert!(rows > 500, "{rows} rows");
    assert!(matches!(error, CommitError::NotApplied(_)), "{error:?}");
    has_all(&store, rows).await;
    // Lower than what is there already, so that writes fail which have all the room they need.
    let limit = |limit: &str| {
        let pid = std::process::id();
        shell(&format!("prlimit --pid {pid} --fsize={limit}:unlimited"));
    };
    limit("unlimited");
    goes_on(&store).await;
    store.put_all(rows_of_a_large_commit()).await.unwrap();
    // Waits until the large commit is in its place, which takes writes of its own.
    let (key, value) = rows_of_a_large_commit().next().unwrap();
    store.put(&key, &value).await.unwrap();
    limit("100000");
    assert!(store.put(b"one more", &[1; 5000]).await.is_err());
    // Acknowledged rows are read for as long as writes are refused. Neither reading them nor what
    // the engine does by itself may need a write.
    let until = Instant::now() + Duration::from_secs(1);
    while Instant::now() < until {
        has_all(&store, rows).await;
        has_large_commit(&store).await;
    }
    limit("unlimited");
    goes_on(&store).await;
    has_all(&store, rows).await;
    drop(store);
    has_all(&engine.open_with(folder, options).unwrap(), rows).await;
}

#[test]
fn goes_on_after_the_data_file_reached_the_longest_length() {
    let limited = r#"trap "" XFSZ; ulimit -Sf 16384; exec "$@""#;
    for engine in Engine::ALL {
        run(&["sh", "-c", limited, "sh"], "length", engine);
    }
}

/// Idle connections hold all descriptors.
async fn no_descriptors(engine: Engine, folder: &Path) {
    let store = engine.open(folder).unwrap();
    for row in 0..50 {
        store.put(&row_key(row), &value(row)).await.unwrap();
    }
    let mut idle = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        idle.push(file);
    }
    assert!(idle.len() > 10);
    let mut acknowledged = Vec::new();
    for row in 50..100 {
        if store.put(&row_key(row), &value(row)).await.is_ok() {
            acknowledged.push(row);
        }
        let found = store.get(&row_key(row % 50)).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value(row % 50)));
    }
    drop(idle);
    goes_on(&store).await;
    for again in 0..2 {
        for row in (0..50).chain(acknowledged.iter().copied()) {
            let found = store.get(&row_key(row)).await.unwrap();
            assert_eq!(found.as_deref(), Some(&*value(row)), "row {row}, {again}");
        }
    }
    drop(store);
    let store = engine.open(folder).unwrap();
    for row in (0..50).chain(acknowledged) {
        assert!(
            store.get(&row_key(row)).await.unwrap().is_some(),
            "row {row}"
        );
    }
}

fn row_key(row: u32) -> [u8; 4] {
    row.to_be_bytes()
}

#[test]
fn goes_on_after_all_file_descriptors_were_used() {
    let limited = r#"ulimit -n 80; exec "$@""#;
    for engine in Engine::ALL {
        run(&["sh", "-c", limited, "sh"], "descriptors", engine);
    }
}

/// A store of 2000 rows, closed.
async fn closed_store(engine: Engine, folder: &Path) -> u32 {
    let rows = 500;
    let store = engine.open(folder).unwrap();
    for some in 0..20 {
        let some = some * rows / 20..(some + 1) * rows / 20;
        let some = some.map(|row| (row_key(row).to_vec(), value(row)));
        store.put_all(some).await.unwrap();
    }
    rows
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// One bit, at 100 places. What is read is what was written, or an error; and where a row cannot be
/// found any more, a check says that the store is damaged.
#[tokio::test(flavor = "multi_thread")]
async fn flipped_bits_are_never_returned() {
    let mut random = StdRng::seed_from_u64(100);
    for engine in Engine::ALL {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        let rows = closed_store(engine, &whole).await;
        let (mut refused, mut unreadable) = (0, 0);
        for place in 0..100 {
            let flipped = folder.path().join("flipped");
            copy(&whole, &flipped);
            let data = flipped.join(engine.data_file());
            let mut bytes = fs::read(&data).unwrap();
            let at = random.random_range(0..bytes.len());
            bytes[at] ^= 1 << random.random_range(0..8);
            fs::write(&data, bytes).unwrap();
            match engine.open(&flipped) {
                Err(error) => {
                    assert!(error.to_string().contains("restore"), "{engine:?}: {error}");
                    refused += 1;
                }
                Ok(store) => {
                    let place = format!("{engine:?}, place {place}, byte {at}");
                    unreadable += unreadable_rows(&store, rows, &place).await;
                }
            }
            fs::remove_dir_all(&flipped).unwrap();
        }
        eprintln!("{engine:?}: {refused} of 100 refused, {unreadable} rows unreadable");
        assert!(refused + unreadable > 0);
    }
}

async fn unreadable_rows(store: &Store, rows: u32, place: &str) -> u32 {
    let (mut unreadable, mut gone) = (0, 0);
    for row in 0..rows {
        match store.get(&row_key(row)).await {
            Ok(Some(found)) => assert_eq!(*found, *value(row), "{place}, row {row}"),
            Ok(None) => gone += 1,
            Err(_) => unreadable += 1,
        }
    }
    let all = Read::Scan {
        range: Range {
            from: b"",
            to: None,
        },
        limit: usize::MAX,
        newest_first: false,
    };
    let scanned = store.read(&[all]).await;
    let scanned = scanned
        .and_then(|mut state| state.entries())
        .unwrap_or_default();
    for (key, found) in &scanned {
        let row = u32::from_be_bytes((**key).try_into().unwrap());
        assert_eq!(**found, *value(row), "{place}, row {row} in a scan");
    }
    if gone + unreadable > 0 || scanned.len() < rows as usize {
        let report = (store.verify)();
        let is_found = report.as_ref().map_or(true, |report| !report.is_clean());
        assert!(
            is_found,
            "{place}: {gone} rows are gone, and the check says {report:?}"
        );
    }
    unreadable + gone
}

/// Every file of both engines, after closing and after a kill; the folder's own tests have more.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_lacks_a_file_is_refused() {
    for engine in Engine::ALL {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        closed_store(engine, &whole).await;
        let data = engine.data_file();
        let length = fs::metadata(whole.join(data)).unwrap().len();
        for kept in [
            None,
            Some(0),
            Some(length / 3),
            Some(length / 2),
            Some(length - 1),
        ] {
            let cut = folder.path().join("cut");
            copy(&whole, &cut);
            match kept {
                None => fs::remove_file(cut.join(data)).unwrap(),
                Some(kept) => {
                    let file = fs::File::options()
                        .write(true)
                        .open(cut.join(data))
                        .unwrap();
                    file.set_len(kept).unwrap();
                }
            }
            let error = engine.open(&cut).err().unwrap();
            assert!(matches!(error, OpenError::Incomplete { .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains(data), "{text}");
            assert!(text.contains("restore the whole folder"), "{text}");
            fs::remove_dir_all(&cut).unwrap();
        }
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_can_read_a_store() {
    use std::os::unix::fs::PermissionsExt;

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
    for engine in Engine::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = engine.open(&path).unwrap();
        store.put(b"k", b"v").await.unwrap();
        check(&path);
        drop(store);
        check(&path);
    }
}
