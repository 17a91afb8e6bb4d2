//! The same for the counter of a shop: registers that sell, take back and close, a kiosk whose
//! orders become sales, and stock that is counted and adjusted meanwhile. Whenever the store is
//! opened again, no receipt is lost, there twice or left out, and all that follows from the receipts
//! agrees with them.
//!
//! `CONNECT_KILLS=300 cargo test -p connect-core --test all kills::registers::sled -- --nocapture`
//! kills a process 300 times and prints what it saw.

mod check;
mod facts;
mod history;
mod journal;
mod op;
mod orders;
mod place;
mod seen;
mod stock;
mod work;

use std::time::Instant;

use self::{
    check::Totals,
    facts::{Facts, Note},
    place::Place,
    work::Worker,
};
use super::{
    harness::{Killer, Task, random},
    notes::{self, Notes},
};

/// Not a test by itself: what runs in the process that is killed.
#[test]
fn child() {
    let Some(task) = Task::given() else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let place = Place::open(&task.backend, &task.directory).await;
        let notes = Notes::open(&task.directory, task.run);
        notes.write(&Note::Opened);
        Worker::new(place, notes, task.run).work().await;
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
        child: "kills::registers::child",
        kills: 12,
        kills_per_store: 5,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut totals = Totals::default();
    let mut facts = Facts::default();
    let start = Instant::now();
    let kills = killer.kill(backend, |killed| {
        if killed.is_first {
            facts = Facts::default();
        }
        facts.hear(notes::take(killed.directory, killed.run), &mut totals);
        if killed.is_followed {
            return;
        }
        runtime.block_on(async {
            let place = Place::open(backend, killed.directory).await;
            check::all(&place, &facts, &mut totals).await;
            facts.send_again(&place, &mut totals).await;
            // What the registers know of their rows since the last Z report shows when they close.
            if random(2) == 0 {
                check::close_all(&place, killed.run).await;
            }
            check::all(&place, &facts, &mut totals).await;
            place.close().await;
        });
    });
    let time = start.elapsed();
    println!("{backend}: {kills} kills in {time:.0?}, {totals:#?}");
    assert!(totals.checks > 0 && totals.rows > 0, "{totals:?}");
}
