//! SIGKILL at any moment, many times over, of a process that works through [`Connect`] on an
//! embedded store. Nothing that was acknowledged or shown is lost, nothing is half there, nothing
//! is done twice by a retry with its key, and the store opens every time.
//!
//! `CONNECT_KILLS=1000 cargo test --release -p connect-core --test all kills:: -- --nocapture
//! --test-threads 1` kills a process 1 000 times on each backend and prints what it saw.

mod check;
mod facts;
mod history;
mod indexes;
mod notes;
mod op;
mod retries;
mod work;

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use connect_core::{
    Access, Connect, NewAccount, NewLocation,
    environment::ManualClock,
    storage::{
        Storage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    wire::{Timestamp, VatRate},
};

use self::{
    check::Totals,
    facts::Facts,
    notes::{Note, Notes},
    work::Worker,
};
use crate::shop;

const KILLS: &str = "CONNECT_KILLS";
/// For the process that is killed: where, on what, and the how many-th it is.
const DIRECTORY: &str = "CONNECT_KILLS_DIRECTORY";
const BACKEND: &str = "CONNECT_KILLS_BACKEND";
const RUN: &str = "CONNECT_KILLS_RUN";

/// After so many kills the next process begins with an empty directory: a store that has grown
/// large would take long to check.
const KILLS_PER_STORE: u32 = 20;

/// A shop as the process that has it open sees it.
pub(crate) struct Shop {
    storage: Arc<dyn Storage>,
    pub(crate) connect: Connect,
    pub(crate) at: Access,
}

impl Shop {
    /// Drops the shop once the task that did the last write has ended, which holds the store too.
    pub(crate) async fn close(self) {
        let Self {
            storage, connect, ..
        } = self;
        drop(connect);
        while Arc::strong_count(&storage) > 1 {
            tokio::task::yield_now().await;
        }
    }
}

/// Not a test by itself: what runs in the process that is killed.
#[test]
fn child() {
    let Some(directory) = env::var_os(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let run = env::var(RUN).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let shop = open(&env::var(BACKEND).unwrap(), directory, shop::START).await;
        let notes = Notes::open(directory, run);
        notes.write(&Note::Opened);
        Worker::new(shop.connect, shop.at, notes, run).work().await;
    });
}

#[test]
fn sled() {
    kill_again_and_again("sled");
}

#[test]
fn redb() {
    kill_again_and_again("redb");
}

fn kill_again_and_again(backend: &str) {
    let kills: u32 = env::var(KILLS).map_or(6, |kills| kills.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut totals = Totals::default();
    let mut directory = tempfile::tempdir().unwrap();
    let mut facts = Facts::default();
    for run in 1..=kills {
        if run % KILLS_PER_STORE == 0 {
            directory = tempfile::tempdir().unwrap();
            facts = Facts::default();
        }
        // The last one has done something before it is killed, however busy the machine is.
        run_and_kill(backend, directory.path(), run, run == kills);
        facts.hear(notes::take(directory.path(), run), &mut totals);
        // Sometimes the next process finds what this one left, and is killed over it.
        if random(4) == 0 && run < kills {
            continue;
        }
        runtime.block_on(async {
            let shop = open(backend, directory.path(), shop::START).await;
            check::all(&shop, &facts, &mut totals).await;
            retries::twice(&shop, &facts, &mut totals).await;
            check::all(&shop, &facts, &mut totals).await;
            shop.close().await;
        });
    }
    println!("{backend}: {kills} kills, {totals:?}");
    assert!(totals.checks > 0 && totals.acknowledged > 0, "{totals:?}");
}

/// Opens the store and the shop in it, which the first process makes. Its clock stands still.
pub(crate) async fn open(backend: &str, directory: &Path, now: Timestamp) -> Shop {
    let path = directory.join(backend);
    let storage: Arc<dyn Storage> = match backend {
        "sled" => Arc::new(SledStorage::open(path, SledOptions::default()).unwrap()),
        _ => Arc::new(RedbStorage::open(path, RedbOptions::default()).unwrap()),
    };
    let connect = shop::connect(storage.clone(), &ManualClock::at(now));
    let account = match connect.account_ids().await.unwrap().first() {
        Some(account) => *account,
        None => {
            let account = NewAccount {
                name: "Shop".into(),
                owner_email: "owner@shop.example".into(),
                sandbox: true,
            };
            connect.create_account(account).await.unwrap().id
        }
    };
    let locations = connect.account(account).await.unwrap().locations;
    let location = match locations.first() {
        Some(location) => location.id,
        None => {
            let location = NewLocation {
                name: "Here".into(),
                currency: "EUR".into(),
                default_vat_rate: VatRate::percent(21),
            };
            connect.create_location(account, location).await.unwrap().id
        }
    };
    let at = connect.authorize_owner(account, location, account).await;
    Shop {
        storage,
        connect,
        at: at.unwrap(),
    }
}

fn run_and_kill(backend: &str, directory: &Path, run: u32, at_work: bool) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "kills::child", "--nocapture"])
        .env(DIRECTORY, directory)
        .env(BACKEND, backend)
        .env(RUN, run.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // While it opens, or while it works.
    let opens = random(4) == 0 && !at_work;
    if !opens {
        for _ in 0..6000 {
            if notes::are_there(directory, run) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
    thread::sleep(Duration::from_micros(random(if opens {
        60_000
    } else {
        600_000
    })));
    assert!(
        child.try_wait().unwrap().is_none(),
        "run {run} ended by itself"
    );
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
