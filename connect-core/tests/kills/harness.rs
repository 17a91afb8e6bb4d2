//! A process that is killed at any moment, again and again.

use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, SystemTime},
};

use super::notes;

const KILLS: &str = "CONNECT_KILLS";
/// The variables that hold the task of a process.
const DIRECTORY: &str = "CONNECT_KILLS_DIRECTORY";
const BACKEND: &str = "CONNECT_KILLS_BACKEND";
const RUN: &str = "CONNECT_KILLS_RUN";

/// The test that kills.
pub(super) struct Killer {
    /// The test that is run in the process that is killed.
    pub(super) child: &'static str,
    /// The number of kills, unless the environment says another.
    pub(super) kills: u32,
    /// After so many kills the next process begins with an empty directory: a store that has grown
    /// large would take long to check.
    pub(super) kills_per_store: u32,
}

/// A process that was killed.
pub(super) struct Killed<'d> {
    pub(super) directory: &'d Path,
    pub(super) run: u32,
    /// The directory was empty before.
    pub(super) is_first: bool,
    /// The next process finds what this one left, and is killed over it.
    pub(super) is_followed: bool,
}

/// The task of a process that is killed: where, on what, and the how many-th it is.
pub(crate) struct Task {
    pub(crate) directory: std::path::PathBuf,
    pub(crate) backend: String,
    pub(crate) run: u32,
}

impl Task {
    /// Returns the task of this process. `None` in one that is not to be killed.
    pub(crate) fn given() -> Option<Self> {
        Some(Self {
            directory: env::var_os(DIRECTORY)?.into(),
            backend: env::var(BACKEND).unwrap(),
            run: env::var(RUN).unwrap().parse().unwrap(),
        })
    }
}

impl Killer {
    /// Starts and kills processes, and hands each to `judge`. Returns how many there were.
    pub(super) fn kill(&self, backend: &str, mut judge: impl FnMut(&Killed<'_>)) -> u32 {
        let kills = env::var(KILLS).map_or(self.kills, |kills| kills.parse().unwrap());
        let mut directory = tempfile::tempdir().unwrap();
        for run in 1..=kills {
            let is_first = run == 1 || run % self.kills_per_store == 0;
            if is_first {
                directory = tempfile::tempdir().unwrap();
            }
            // The last one has done something before it is killed, however busy the machine is.
            self.run_and_kill(backend, directory.path(), run, run == kills);
            judge(&Killed {
                directory: directory.path(),
                run,
                is_first,
                is_followed: random(4) == 0 && run < kills,
            });
        }
        kills
    }

    fn run_and_kill(&self, backend: &str, directory: &Path, run: u32, at_work: bool) {
        let child = start(self.child, backend, directory, run);
        // While it opens, or while it works.
        let opens = random(4) == 0 && !at_work;
        if !opens {
            wait_until(|| notes::are_there(directory, run));
        }
        thread::sleep(Duration::from_micros(random(if opens {
            60_000
        } else {
            600_000
        })));
        kill(child, run);
    }
}

/// Starts a process that runs the test `child`, whose [`Task`] is this.
pub(crate) fn start(child: &str, backend: &str, directory: &Path, run: u32) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", child, "--nocapture"])
        .env(DIRECTORY, directory)
        .env(BACKEND, backend)
        .env(RUN, run.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for a process to get somewhere, for a minute at most.
pub(crate) fn wait_until(is_there: impl Fn() -> bool) {
    for _ in 0..6000 {
        if is_there() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Kills a process, which must not have ended by itself.
pub(crate) fn kill(mut child: Child, run: u32) {
    let ended = child.try_wait().unwrap();
    assert!(ended.is_none(), "run {run} ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Any number will do, so the clock gives it.
pub(crate) fn random(below: u64) -> u64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    u64::from(now.subsec_nanos()).wrapping_mul(2_654_435_761) % 4_294_967_291 % below
}
