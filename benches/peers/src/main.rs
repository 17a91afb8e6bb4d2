//! Connect beside SQLite, as PocketBase uses it, and TrailBase:
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`.
//!
//! All take turns, round by round, and the medians are compared. `-- quick` tries it out.

#[path = "../../../connect-core/benches/measure.rs"]
mod measure;
mod ours;
#[path = "../../../connect-core/benches/shop.rs"]
mod shop;
mod sqlite;
#[cfg(feature = "trailbase")]
mod trailbase;
mod work;

use std::{fs, time::Duration};

use measure::Chosen;
use shop::{BATCH, Pattern};
use work::{Peer, Work};

/// The allocator of Connect's server, for all.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What clients do in one line of the table.
#[derive(Clone, Copy)]
enum Kind {
    Create,
    CreateMany,
    UpdateMany(Pattern),
    Get,
    Page,
    Delta,
}

/// A line of the table: its name, the clients, the requests of each.
struct Job(&'static str, Kind, usize, usize);

const JOBS: [Job; 9] = [
    Job("create, 1 client", Kind::Create, 1, 400),
    Job("create, 8 clients", Kind::Create, 8, 100),
    Job("create, 64 clients", Kind::Create, 64, 25),
    Job("batch of 500 creates", Kind::CreateMany, 1, 10),
    Job(
        "batch of 500 updates, consecutive",
        Kind::UpdateMany(Pattern::Consecutive),
        1,
        10,
    ),
    Job(
        "batch of 500 updates, scattered",
        Kind::UpdateMany(Pattern::Scattered),
        1,
        10,
    ),
    Job("GET by id, 8 clients", Kind::Get, 8, 1000),
    Job("page of 200, 8 clients", Kind::Page, 8, 25),
    Job("200 changes since a time, 8 clients", Kind::Delta, 8, 25),
];

/// The products to make and to change next. Each price is another, so that nothing is unchanged.
struct Next {
    products: usize,
    new: usize,
    batch: usize,
    read: usize,
}

impl Next {
    fn work(&mut self, kind: Kind, peer: &dyn Peer) -> Work {
        let price = 1000 + self.batch;
        let products = |numbers: &mut dyn Iterator<Item = usize>| {
            let products: Vec<_> = numbers.map(|it| (it, shop::product(it, price))).collect();
            peer.body(&products)
        };
        match kind {
            Kind::Create => {
                self.new += 1;
                Work::Create(products(&mut (self.new - 1..self.new)))
            }
            Kind::CreateMany => {
                self.new += BATCH;
                Work::CreateMany(products(&mut (self.new - BATCH..self.new)))
            }
            Kind::UpdateMany(pattern) => {
                self.batch += 1;
                Work::UpdateMany(products(&mut pattern.numbers(self.batch, self.products)))
            }
            Kind::Get => Work::Get(self.scattered(self.products)),
            Kind::Page => Work::Page(self.scattered(self.products)),
            // Enough changes are left after it.
            Kind::Delta => Work::Delta(self.scattered(self.products / 2)),
        }
    }

    fn scattered(&mut self, below: usize) -> usize {
        self.read += 1;
        self.read * 7919 % below
    }
}

fn main() {
    let is_quick = Chosen::from_arguments().is("quick");
    let (products, rounds) = if is_quick { (10_000, 1) } else { (100_000, 9) };
    let runtime = measure::runtime();
    #[allow(unused_mut, reason = "TrailBase is a feature")]
    let mut peers: Vec<Box<dyn Peer + '_>> = vec![
        Box::new(ours::Ours::open(&runtime, products)),
        Box::new(sqlite::Sqlite::open("SQLite, synced", "FULL", products)),
        Box::new(sqlite::Sqlite::open(
            "SQLite, as PocketBase has it",
            "NORMAL",
            products,
        )),
    ];
    #[cfg(feature = "trailbase")]
    for peer in trailbase::TrailBase::both(&runtime, products) {
        peers.push(Box::new(peer));
    }
    println!("{products} products, requests a second, load {}\n", load());
    print!("| job | {} |", peers[0].name());
    for peer in &peers[1..] {
        print!(" {} | ratio |", peer.name());
    }
    println!("\n|{}", "---|".repeat(2 * peers.len()));
    let mut next = Next {
        products,
        new: products,
        batch: 0,
        read: 0,
    };
    for job in JOBS {
        line(&job, &peers, rounds, &mut next);
    }
    println!("\nload {}", load());
}

/// Measures a job and prints its line.
fn line(
    Job(name, kind, clients, requests): &Job,
    peers: &[Box<dyn Peer + '_>],
    rounds: usize,
    next: &mut Next,
) {
    let mut times = vec![Vec::new(); peers.len()];
    // The first round warms up and does not count.
    for round in 0..=rounds {
        for (peer, times) in peers.iter().zip(&mut times) {
            let mut client = || (0..*requests).map(|_| next.work(*kind, &**peer)).collect();
            let work = (0..*clients).map(|_| client()).collect();
            peer.prepare();
            let cost = measure::timed(clients * requests, || peer.run(work));
            if round > 0 {
                times.push(cost.wall);
            }
        }
    }
    let rates: Vec<f64> = times
        .into_iter()
        .map(|it| 1.0 / median(it).as_secs_f64())
        .collect();
    print!("| {name} | {:.0} |", rates[0]);
    for rate in &rates[1..] {
        print!(" {rate:.0} | {:.2} |", rates[0] / rate);
    }
    println!();
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The load of the machine.
fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}
