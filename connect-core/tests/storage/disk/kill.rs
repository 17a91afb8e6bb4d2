//! SIGKILL at any moment, many times over, on one store.
//!
//! `CONNECT_KILLS=300 cargo nextest run -p connect-core --all-features kill` runs it for longer.

use std::{
    env, fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use connect_core::storage::conformance::crash::{self, Load, Note};

use super::harness::{Engine, Redb, Sled};

const FOLDER: &str = "CONNECT_KILL_FOLDER";
const KILLS: &str = "CONNECT_KILLS";
const NOTES: &str = "notes";

/// Large commits are frequent, and large enough to go in slices.
const LOAD: Load = Load {
    lanes: 8,
    kept: 300,
    large_every: 50,
    large_rows: 9000,
};

/// Not tests by themselves: what runs in the process that is killed.
#[test]
fn child_on_sled() {
    run_child::<Sled>();
}

#[test]
fn child_on_redb() {
    run_child::<Redb>();
}

fn run_child<E: Engine>() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let store = E::open(&folder.join("store")).unwrap();
    let notes = fs::File::options()
        .append(true)
        .create(true)
        .open(folder.join(NOTES))
        .unwrap();
    let notes = Arc::new(notes);
    // One write per note: what has been written to a file outlives the process.
    let note = move |Note { lane, number }: Note| {
        let line = format!("{lane} {number}\n");
        (&*notes).write_all(line.as_bytes()).unwrap();
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let worked = runtime.block_on(crash::work(Arc::new(store), LOAD, note));
    worked.unwrap();
}

#[test]
fn sled_loses_nothing_that_was_acknowledged_or_seen() {
    loses_nothing::<Sled>("storage::disk::kill::child_on_sled");
}

#[test]
fn redb_loses_nothing_that_was_acknowledged_or_seen() {
    loses_nothing::<Redb>("storage::disk::kill::child_on_redb");
}

fn loses_nothing<E: Engine>(child: &str) {
    let kills: u32 = env::var(KILLS).map_or(10, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut noted, mut found) = (0, crash::StoreContents::default());
    for kill in 1..=kills {
        // The last one has done something before it is killed, however busy the machine is.
        run_and_kill(child, folder.path(), kill == kills);
        // Sometimes the next child finds what this one left, and is killed over it.
        if random(3) == 0 && kill < kills {
            continue;
        }
        let notes = notes(folder.path());
        noted += notes.len();
        let store = E::open(&folder.path().join("store"));
        let store = store.unwrap_or_else(|error| panic!("after {kill} kills: {error}"));
        found = runtime
            .block_on(crash::check(&store, LOAD, notes))
            .unwrap_or_else(|fault| panic!("after {kill} kills: {fault}"));
        let report = E::verify(&store);
        assert!(report.is_clean(), "after {kill} kills: {report:?}");
    }
    eprintln!("{kills} kills, {noted} notes kept, {found:?}");
    assert!(found.commits > 0);
}

fn run_and_kill(child: &str, folder: &Path, once_at_work: bool) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", child])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let is_at_work = || fs::metadata(folder.join(NOTES)).is_ok_and(|notes| notes.len() > 0);
    for _ in 0..6000 {
        if !once_at_work || is_at_work() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    // While it opens, or while it works.
    let most = if random(3) == 0 { 40_000 } else { 600_000 };
    thread::sleep(Duration::from_micros(random(most)));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The notes since the last check. A line without an end was never written in full.
fn notes(folder: &Path) -> Vec<Note> {
    let text = fs::read_to_string(folder.join(NOTES)).unwrap_or_default();
    let _ = fs::remove_file(folder.join(NOTES));
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

/// Any number will do, so the clock gives it.
fn random(below: u64) -> u64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    u64::from(now.subsec_nanos()).wrapping_mul(2_654_435_761) % 4_294_967_291 % below
}
