//! Loss of power at any moment, many times over: nothing acknowledged is lost, nothing is there in
//! part, and the store opens.
//!
//! What a killed process leaves is one of these states: all that was written is there.
//!
//! A store works in a process of its own under a shim that logs what it does to its files. From
//! the log come the folders as they would be after a loss of power at moments chosen at random,
//! without (parts of) what was not synced, and each is opened and checked. The next round goes on
//! from such a folder.
//!
//! `CONNECT_POWER_LOSSES=200 cargo nextest run -p connect-core power` does it for longer; a
//! failure names the seed, which `CONNECT_POWER_SEED` repeats as far as the processes do the same.
//!
//! redb is tried on a drive with a cache that a loss of power empties in any order. sled frees parts
//! of its file for new data once it has handed the old data's new place to the drive, not once it
//! has synced it, so it can only be safe on a drive that keeps what it was given; it is tried on
//! such a one, and with `CONNECT_POWER_DRIVE=cache` on the other.

mod disk;

use std::{
    collections::BTreeMap,
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use connect_core::storage::conformance::crash::{self, Load, Note};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tempfile::TempDir;

use self::disk::{Disk, Drive};
use super::engines::Engine;

const LOSSES: &str = "CONNECT_POWER_LOSSES";
const SEED: &str = "CONNECT_POWER_SEED";
const FOLDER: &str = "POWER_FOLDER";
const ROLE: &str = "POWER_ROLE";
const NOTES: &str = "notes";
const STORE: &str = "store";

/// How many losses of power are made out of one log.
const PER_LOG: usize = 10;

/// Small, so that a round is short, and with large commits in every round.
const LOAD: Load = Load {
    lanes: 6,
    kept: 40,
    large_every: 9,
    large_rows: 9000,
};

/// Not a test by itself: what runs in the process under the shim.
#[test]
fn child() {
    let (Some(folder), Ok(role)) = (env::var_os(FOLDER), env::var(ROLE)) else {
        return;
    };
    let folder = PathBuf::from(folder);
    match &*role {
        "careful" => append(&folder, true, noting(&folder)),
        "careless" => append(&folder, false, noting(&folder)),
        name => {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let store = Engine::from_name(name).open(&folder.join(STORE)).unwrap();
            let worked = runtime.block_on(crash::work(store.0, LOAD, noting(&folder)));
            worked.unwrap();
        }
    }
}

/// Writes notes, one write each: the file outlives the process.
fn noting(folder: &Path) -> impl Fn(Note) + Clone + Send + use<> + 'static {
    let notes = fs::File::options()
        .append(true)
        .create(true)
        .open(folder.join(NOTES));
    let notes = Arc::new(notes.unwrap());
    move |Note { lane, number }| {
        let line = format!("{lane} {number}\n");
        (&*notes).write_all(line.as_bytes()).unwrap();
    }
}

/// The smallest store there is: a file that grows by a block per commit.
fn append(folder: &Path, sync: bool, note: impl Fn(Note)) {
    let path = folder.join("blocks");
    let mut file = fs::File::options()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    fs::File::open(folder).unwrap().sync_all().unwrap();
    for number in 0.. {
        file.write_all(&[1; 512]).unwrap();
        if sync {
            file.sync_data().unwrap();
        }
        note(Note { lane: 0, number });
    }
}

/// The shim, compiled.
pub(super) struct Shim(TempDir);

impl Shim {
    pub(super) fn compile() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("shim.c");
        fs::write(&source, include_str!("shim.c")).unwrap();
        let mut compiler = Command::new("cc");
        compiler
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("shim.so"));
        let done = compiler.arg(source).arg("-ldl").status().unwrap();
        assert!(done.success());
        Self(folder)
    }

    /// The file to preload.
    pub(super) fn library(&self) -> PathBuf {
        self.0.path().join("shim.so")
    }

    /// Runs a child in the folder for a while, kills it, and returns the log.
    fn run(&self, role: &str, folder: &Path, for_millis: u64) -> Vec<u8> {
        let log = self.0.path().join("log");
        let _ = fs::remove_file(&log);
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "storage::power::child"])
            .env("LD_PRELOAD", self.library())
            .env("POWER_LOG", &log)
            .env(FOLDER, folder)
            .env(ROLE, role)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let is_at_work = || fs::metadata(folder.join(NOTES)).is_ok_and(|notes| notes.len() > 0);
        while !is_at_work() && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(for_millis));
        child.kill().unwrap();
        child.wait().unwrap();
        fs::read(&log).unwrap()
    }
}

/// The last commit of each lane that was acknowledged or seen.
type Noted = BTreeMap<u8, u64>;

fn note(noted: &mut Noted, line: &str) {
    let (lane, number) = line.trim_end().split_once(' ').unwrap();
    let last = noted.entry(lane.parse().unwrap()).or_default();
    *last = (*last).max(number.parse().unwrap());
}

/// Runs a child once and hands the folder as it is after each of some losses of power to `check`,
/// with a second one that nobody has touched. Returns how much unsynced work the losses met.
fn lose_power(
    shim: &Shim,
    role: &str,
    drive: Drive,
    folder: &Path,
    noted: &mut Noted,
    random: &mut StdRng,
    mut check: impl FnMut(&Path, &Noted, TempDir),
) -> usize {
    let mut disk = Disk::with(folder, drive);
    let notes = folder.join(NOTES);
    let log = shim.run(role, folder, random.random_range(50..1000));
    let records = disk::records(&log);
    let mut moments: Vec<_> = (0..PER_LOG)
        .map(|_| random.random_range(0..=records.len()))
        .collect();
    moments.sort_unstable();
    let (mut done, mut unsynced) = (0, 0);
    for moment in moments {
        for record in &records[done..moment] {
            if let Some(line) = disk.apply(record, &notes) {
                note(noted, std::str::from_utf8(line).unwrap());
            }
        }
        done = moment;
        unsynced += disk.unsynced();
        let left = tempfile::tempdir().unwrap();
        disk.lose_power(left.path(), random);
        let untouched = tempfile::tempdir().unwrap();
        disk.lose_power(untouched.path(), random);
        check(left.path(), noted, untouched);
    }
    unsynced
}

fn loses_nothing(engine: Engine, drive: Drive) {
    let losses: usize = env::var(LOSSES).map_or(10, |losses| losses.parse().unwrap());
    let seed = env::var(SEED).map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("{SEED}={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let shim = Shim::compile();
    let mut folder = tempfile::tempdir().unwrap();
    let mut noted = Noted::new();
    let (mut met, mut unsynced, mut found) = (0, 0, crash::StoreContents::default());
    while met < losses {
        let mut next = Vec::new();
        unsynced += lose_power(
            &shim,
            engine.name(),
            drive,
            folder.path(),
            &mut noted,
            &mut random,
            |left, noted, untouched| {
                met += 1;
                let checked = runtime.block_on(async {
                    let store = engine.open(&left.join(STORE)).map_err(|e| e.to_string())?;
                    let notes = noted.iter();
                    let notes = notes.map(|(&lane, &number)| Note { lane, number });
                    let checked = crash::check(&*store.0, LOAD, notes).await;
                    let report = store.report();
                    match report.is_clean() {
                        true => checked.map_err(|fault| fault.to_string()),
                        false => Err(format!("{report:?}")),
                    }
                });
                match checked {
                    Ok(checked) => found = checked,
                    Err(fault) => {
                        let kept = untouched.keep();
                        panic!(
                            "after loss {met} ({SEED}={seed}): {fault}; one such: {}",
                            kept.display()
                        );
                    }
                }
                next.push((untouched, noted.clone()));
            },
        );
        // The next process finds what was never opened since.
        let chosen = random.random_range(0..next.len());
        (folder, noted) = next.swap_remove(chosen);
        let _ = fs::remove_file(folder.path().join(NOTES));
    }
    eprintln!("{met} losses of power, {unsynced} unsynced operations met, {found:?}");
    assert!(found.commits > 0);
    assert!(unsynced > 0);
}

#[test]
fn sled_loses_nothing() {
    let drive = match env::var("CONNECT_POWER_DRIVE").as_deref() {
        Ok("cache") => Drive::HasACache,
        _ => Drive::KeepsWhatItHas,
    };
    loses_nothing(Engine::Sled, drive);
}

#[test]
fn redb_loses_nothing() {
    loses_nothing(Engine::Redb, Drive::HasACache);
}

/// The losses of power find a store that does not sync, and leave one that does alone.
#[test]
fn finds_what_is_not_synced() {
    let shim = Shim::compile();
    let mut random = StdRng::seed_from_u64(1);
    let mut lost = |role| {
        let folder = tempfile::tempdir().unwrap();
        let mut lost = 0;
        lose_power(
            &shim,
            role,
            Drive::HasACache,
            folder.path(),
            &mut Noted::new(),
            &mut random,
            |left, noted, _| {
                let blocks = fs::read(left.join("blocks")).unwrap_or_default();
                let wanted = noted.get(&0).map_or(0, |number| (number + 1) * 512);
                let whole = blocks.iter().take_while(|byte| **byte == 1).count();
                lost += usize::from((whole as u64) < wanted);
            },
        );
        lost
    };
    assert_eq!(lost("careful"), 0);
    assert!(lost("careless") > 0);
}
