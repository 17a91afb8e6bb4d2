//! SIGKILL at any moment, many times over, of a process that works through [`Connect`] on an
//! embedded store. Nothing that was acknowledged or shown is lost, nothing is half there, nothing
//! is done twice by a retry with its key, and the store opens every time.
//!
//! `CONNECT_KILLS=1000 cargo test --release -p connect-core --test all kills:: -- --nocapture
//! --test-threads 1` kills a process 1 000 times on each backend and prints what it saw.

mod check;
mod facts;
mod harness;
mod history;
mod indexes;
mod notes;
mod op;
mod registers;
mod retries;
mod work;

use std::{path::Path, sync::Arc};

use connect_core::{
    storage::{
        Storage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    wire::Timestamp,
};

pub(crate) use self::harness::{Task, kill, random, start, wait_until};
use self::{
    check::Totals,
    facts::Facts,
    harness::Killer,
    notes::{Note, Notes},
    work::Worker,
};
use crate::shop::{self, Shop};

/// Not a test by itself: what runs in the process that is killed.
#[test]
fn child() {
    let Some(task) = Task::given() else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let shop = open(&task.backend, &task.directory, shop::START).await;
        let notes = Notes::open(&task.directory, task.run);
        notes.write(&Note::Opened);
        let worker = Worker::new(shop.connect, shop.at, notes, task.run);
        worker.work().await;
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
    let killer = Killer {
        child: "kills::child",
        kills: 6,
        kills_per_store: 20,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut totals = Totals::default();
    let mut facts = Facts::default();
    let kills = killer.kill(backend, |killed| {
        if killed.is_first {
            facts = Facts::default();
        }
        facts.hear(notes::take(killed.directory, killed.run), &mut totals);
        if killed.is_followed {
            return;
        }
        runtime.block_on(async {
            let shop = open(backend, killed.directory, shop::START).await;
            check::all(&shop, &facts, &mut totals).await;
            retries::twice(&shop, &facts, &mut totals).await;
            check::all(&shop, &facts, &mut totals).await;
            shop.close().await;
        });
    });
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
    Shop::reopen(storage, now).await
}
