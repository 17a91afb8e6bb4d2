//! Faults of the machine: a full disk, no file descriptors, files that may not grow. Nothing that was
//! acknowledged is lost, nobody is told something wrong, and the store goes on by itself.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use connect_core::storage::{
    CommitError, Key, Write,
    disk::{Health, SpaceOptions},
};

use super::{
    engines::{Engine, Store, is_refused, on_each_engine, put},
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

/// Runs a fault in a process of its own, perhaps with the folder in its command.
fn run(command: impl FnOnce(&Path) -> Vec<String>, fault: &str, engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let command = command(folder.path());
    let output = Command::new(&command[0])
        .args(&command[1..])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "storage::faults::child", "--nocapture"])
        .env(FAULT, format!("{fault} {}", engine.name()))
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

fn text(output: &Output) -> String {
    let text = [&output.stdout[..], b"\n", &output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn shell(command: &str) {
    let output = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(output.status.success(), "{command}: {}", text(&output));
}

/// A store, and its acknowledged rows.
struct Rig {
    engine: Engine,
    path: PathBuf,
    store: Store,
    acknowledged: Vec<u32>,
}

/// Another value for every row.
fn value(row: u32) -> Vec<u8> {
    row.to_be_bytes().repeat(1000)
}

impl Rig {
    fn open(engine: Engine, path: PathBuf) -> Self {
        let store = Self::store(engine, &path);
        Self {
            engine,
            path,
            store,
            acknowledged: Vec::new(),
        }
    }

    fn store(engine: Engine, path: &Path) -> Store {
        let space = SpaceOptions {
            reserve_bytes: MB,
            ballast_bytes: MB,
        };
        let small = |options: &mut super::engines::Options| {
            (options.cache_bytes, options.space) = (4 * MB, space);
        };
        engine.open_with(path, small).unwrap()
    }

    /// Closes the store and opens it again: all acknowledged rows are there.
    async fn reopen(self) -> Self {
        let Self {
            engine,
            path,
            store,
            acknowledged,
        } = self;
        drop(store);
        let store = Self::store(engine, &path);
        let rig = Self {
            engine,
            path,
            store,
            acknowledged,
        };
        rig.holds().await;
        rig
    }

    async fn put(&mut self, row: u32) -> Result<(), CommitError> {
        let written = self.store.put(&row.to_be_bytes(), &value(row)).await;
        if written.is_ok() {
            self.acknowledged.push(row);
        }
        written
    }

    /// Writes rows until one is refused. Returns the refusal.
    async fn fill(&mut self) -> CommitError {
        for row in 0..200_000 {
            if let Err(error) = self.put(row).await {
                assert!(self.acknowledged.len() > 500, "{row} rows");
                return error;
            }
        }
        panic!("no end of room");
    }

    /// Checks that a missing row is refused, and stays missing.
    async fn refuses(&self) {
        let refused = self.store.put(b"one more", &[1; 5000]).await;
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(self.store.get(b"one more").await.unwrap(), None);
        self.holds().await;
    }

    async fn holds(&self) {
        for row in &self.acknowledged {
            let found = self.store.get(&row.to_be_bytes()).await.unwrap();
            assert_eq!(found.as_deref(), Some(&*value(*row)), "row {row}");
        }
    }

    /// Waits until a write goes through.
    async fn goes_on(&self) {
        let give_up = Instant::now() + PATIENCE;
        while let Err(error) = self.store.put(b"goes on", b"yes").await {
            assert!(Instant::now() < give_up, "{error}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(self.store.health(), Health::Working);
        self.holds().await;
    }

    async fn has_large_commit(&self) {
        for (key, write) in large() {
            let found = self.store.get(&key).await.unwrap();
            assert_eq!(found.as_deref(), write.value());
        }
    }
}

fn large() -> Vec<(Key, Write)> {
    let key = |row: u32| [&b"large"[..], &row.to_be_bytes()].concat();
    let rows = (0..8_500).map(|row: u32| put(&key(row), &row.to_be_bytes().repeat(100)));
    rows.collect()
}

on_each_engine!(
    goes_on_after_the_disk_was_full,
    goes_on_after_writes_have_failed,
    goes_on_after_the_data_file_reached_the_longest_length,
    goes_on_after_all_file_descriptors_were_used,
);

/// A command with mounts of its own for a process; `None` when not allowed.
fn own_mounts() -> Option<Vec<String>> {
    let is_allowed = |command: &&[&str]| {
        let tried = Command::new(command[0])
            .args(&command[1..])
            .arg("true")
            .output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let commands: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-rm"]];
    let found = commands.into_iter().find(is_allowed);
    let id = Command::new("id").arg("-u").output().unwrap();
    assert!(
        found.is_some() || id.stdout != b"0\n",
        "root cannot mount a small disk"
    );
    if found.is_none() {
        eprintln!("skipped: neither root nor allowed to make a user namespace");
    }
    found.map(words)
}

async fn goes_on_after_the_disk_was_full(engine: Engine) {
    if let Some(command) = own_mounts() {
        run(|_| command, "full", engine);
    }
}

async fn full_disk(engine: Engine, folder: &Path) {
    let disk = folder.display();
    shell(&format!("mount -t tmpfs -o size=16m none {disk}"));
    let mut rig = Rig::open(engine, folder.join("store"));
    let error = rig.fill().await;
    assert!(error.to_string().contains("no room left"), "{error}");
    assert!(is_refused(&Err(error)));
    assert_eq!(rig.store.health(), Health::Full);
    rig.holds().await;
    let refused = rig.store.write(large()).await;
    assert!(is_refused(&refused), "{refused:?}");
    rig.holds().await;

    // Somebody else takes the rest.
    let fill_disk = || {
        let of = format!("of={disk}/other");
        let dd = Command::new("dd")
            .args(["if=/dev/zero", "bs=4096", &of])
            .output();
        assert!(!dd.unwrap().status.success(), "the disk is not full");
    };
    fill_disk();
    let refused = rig.store.put(b"one more", b"").await;
    assert!(is_refused(&refused), "{refused:?}");
    let rig = rig.reopen().await;
    fill_disk();
    rig.refuses().await;

    shell(&format!("mount -o remount,size=300m {disk}"));
    rig.goes_on().await;
    rig.store.write(large()).await.unwrap();
    rig.reopen().await.has_large_commit().await;
}

async fn goes_on_after_writes_have_failed(engine: Engine) {
    let shim = Shim::compile();
    let command = |folder: &Path| {
        let preload = format!("LD_PRELOAD={}", shim.library().display());
        let tracked = format!("POWER_FOLDER={}", folder.join("store").display());
        let broken = format!("{BROKEN}={}", folder.join("broken").display());
        words(&["env", &preload, &tracked, &broken])
    };
    run(command, "broken", engine);
}

/// Every write and every sync fails for a while. What is read meanwhile is right, or an error; what becomes
/// of the commit under way is told once it is known.
async fn broken_drive(engine: Engine, folder: &Path) {
    let broken = PathBuf::from(env::var_os(BROKEN).unwrap());
    let mut rig = Rig::open(engine, folder.join("store"));
    for row in 0..50 {
        rig.put(row).await.unwrap();
    }
    fs::write(&broken, "").unwrap();
    let store = rig.store.clone();
    let under_way = tokio::spawn(async move { store.put(b"under way", b"").await });
    while !matches!(rig.store.health(), Health::Failed { .. }) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for row in &rig.acknowledged {
        if let Ok(found) = rig.store.get(&row.to_be_bytes()).await {
            assert_eq!(found.as_deref(), Some(&*value(*row)), "row {row}");
        }
    }
    assert!(is_refused(&rig.store.put(b"one more", b"").await));
    assert!(!under_way.is_finished());
    fs::remove_file(&broken).unwrap();
    rig.goes_on().await;
    let ended = under_way.await.unwrap();
    let found = rig.store.get(b"under way").await.unwrap();
    match ended {
        Ok(()) => assert!(found.is_some()),
        Err(CommitError::NotApplied(_)) => assert_eq!(found, None),
        other => assert!(matches!(other, Err(CommitError::Unknown(_))), "{other:?}"),
    }
    rig.reopen().await;
}

async fn goes_on_after_the_data_file_reached_the_longest_length(engine: Engine) {
    let limited = r#"trap "" XFSZ; ulimit -Sf 16384; exec "$@""#;
    run(|_| words(&["sh", "-c", limited, "sh"]), "length", engine);
}

/// The limit on the length of files, which fails writes in the middle.
async fn longest_file(engine: Engine, folder: &Path) {
    let mut rig = Rig::open(engine, folder.to_owned());
    let error = rig.fill().await;
    assert!(is_refused(&Err(error)));
    rig.holds().await;
    // Lower than what is there already, so that writes fail which have all the room they need.
    let limit = |limit: &str| {
        let pid = std::process::id();
        shell(&format!("prlimit --pid {pid} --fsize={limit}:unlimited"));
    };
    limit("unlimited");
    rig.goes_on().await;
    rig.store.write(large()).await.unwrap();
    limit("100000");
    assert!(rig.store.put(b"one more", &[1; 5000]).await.is_err());
    // Acknowledged rows are read for as long as writes are refused. Neither reading them nor what
    // the engine does by itself may need a write.
    let until = Instant::now() + Duration::from_secs(1);
    while Instant::now() < until {
        rig.holds().await;
        rig.has_large_commit().await;
    }
    limit("unlimited");
    rig.goes_on().await;
    rig.reopen().await;
}

async fn goes_on_after_all_file_descriptors_were_used(engine: Engine) {
    let limited = r#"ulimit -n 80; exec "$@""#;
    run(
        |_| words(&["sh", "-c", limited, "sh"]),
        "descriptors",
        engine,
    );
}

/// Idle connections hold all descriptors.
async fn no_descriptors(engine: Engine, folder: &Path) {
    let mut rig = Rig::open(engine, folder.to_owned());
    for row in 0..50 {
        rig.put(row).await.unwrap();
    }
    let mut idle = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        idle.push(file);
    }
    assert!(idle.len() > 10);
    for row in 50..100 {
        let _ = rig.put(row).await;
        let found = rig.store.get(&(row % 50).to_be_bytes()).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*value(row % 50)));
    }
    drop(idle);
    rig.goes_on().await;
    rig.reopen().await;
}
