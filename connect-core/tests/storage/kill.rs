//! SIGKILL at any moment, many times over, on one database.
//!
//! `CONNECT_KILLS=300 cargo nextest run -p connect-core --features sled,conformance kill` runs it
//! for longer.

use std::{
    env, fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use connect_core::storage::{
    conformance::crash::{self, Note},
    sled::{SledOptions, SledStorage},
};

const DIRECTORY: &str = "CONNECT_KILL_DIRECTORY";
const KILLS: &str = "CONNECT_KILLS";
const NOTES: &str = "notes";

/// Not a test by itself: what runs in the process that is killed.
#[test]
fn child() {
    let Some(directory) = env::var_os(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let store = SledStorage::open(directory.join("db"), SledOptions::default()).unwrap();
    let notes = fs::File::options()
        .append(true)
        .create(true)
        .open(directory.join(NOTES))
        .unwrap();
    let notes = Arc::new(notes);
    // One write per note: what has been written to a file outlives the process.
    let note = move |Note { lane, number }: Note| {
        (&*notes)
            .write_all(format!("{lane} {number}\n").as_bytes())
            .unwrap();
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime
        .block_on(crash::work(Arc::new(store), note))
        .unwrap();
}

#[test]
fn loses_nothing_that_was_acknowledged_or_seen() {
    let kills: u32 = env::var(KILLS).map_or(10, |kills| kills.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut noted, mut unfinished, mut found) = (0, 0, crash::Found::default());
    for kill in 1..=kills {
        // The last one has done something before it is killed, however busy the machine is.
        run_and_kill(directory.path(), kill == kills);
        unfinished += unfinished_snapshots(&directory.path().join("db"));
        // Sometimes the next child finds what this one left, and is killed over it.
        if random(3) == 0 && kill < kills {
            continue;
        }
        let notes = notes(directory.path());
        noted += notes.len();
        let store = SledStorage::open(directory.path().join("db"), SledOptions::default());
        let store = store.unwrap_or_else(|error| panic!("after {kill} kills: {error}"));
        found = runtime
            .block_on(crash::check(&store, notes))
            .unwrap_or_else(|fault| panic!("after {kill} kills: {fault}"));
    }
    println!("{kills} kills, {noted} notes kept, {unfinished} unfinished snapshots, {found:?}");
    assert!(found.commits > 0);
}

fn run_and_kill(directory: &Path, once_at_work: bool) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "storage::kill::child"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let is_at_work = || fs::metadata(directory.join(NOTES)).is_ok_and(|notes| notes.len() > 0);
    for _ in 0..6000 {
        if !once_at_work || is_at_work() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    // While it opens, or while it works.
    let most = if random(3) == 0 { 40_000 } else { 400_000 };
    thread::sleep(Duration::from_micros(random(most)));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The notes since the last check. A line without an end was never written in full.
fn notes(directory: &Path) -> Vec<Note> {
    let text = fs::read_to_string(directory.join(NOTES)).unwrap_or_default();
    let _ = fs::remove_file(directory.join(NOTES));
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let note = |line: &str| {
        let (lane, number) = line.split_once(' ').unwrap();
        Note {
            lane: lane.parse().unwrap(),
            number: number.parse().unwrap(),
        }
    };
    whole.lines().map(note).collect()
}

fn unfinished_snapshots(database: &Path) -> usize {
    let names = fs::read_dir(database).into_iter().flatten().flatten();
    names
        .filter(|name| name.file_name().to_string_lossy().ends_with(".generating"))
        .count()
}

/// Any number will do, so the clock gives it.
fn random(below: u64) -> u64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    u64::from(now.subsec_nanos()).wrapping_mul(2_654_435_761) % 4_294_967_291 % below
}
