//! A server that notes its requests beside one that notes nothing.
//!
//! Both are in one process and have one store. Of two processes, one is faster than the other for as long as
//! they live, by more than is measured here. A process has one log, which is switched off while the silent
//! server has its turn.

use std::{
    env,
    fs::File,
    io::{BufRead as _, BufReader},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
};

use connect_server::{app::ConnectApp, log};
use tokio::runtime::Runtime;
use tracing::{Metadata, Subscriber, callsite, subscriber::Interest};
use tracing_subscriber::{Layer, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::{
    PRODUCTS,
    client::Client,
    measure::{self, Reach},
    memory,
    served::{Served, bare},
};

/// Rounds are short and many, so that both servers meet the same noise of the machine.
const REQUESTS: usize = 8000;
const ROUNDS: usize = 101;

/// The argument with which this program measures, with its log on standard error.
pub const MEASURE: &str = "noting";

/// Runs this program once more, with its log in a file.
pub fn beside_silent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let measured = Command::new(env::current_exe().unwrap())
        .arg(MEASURE)
        .stderr(File::create(&path).unwrap())
        .status();
    assert!(measured.unwrap().success());
    let lines = BufReader::new(File::open(&path).unwrap()).lines().count();
    assert!(lines >= 2 * REQUESTS * ROUNDS, "the log has {lines} lines");
}

/// Measures what the notes cost.
pub fn measure(runtime: &Runtime) {
    let (_logging, lines) = log::text().unwrap();
    lines.with(Switch).init();
    let shop = runtime.block_on(Served::with(memory(), PRODUCTS));
    let mut silent = Client::of(shop.address, shop.gets());
    let mut beside = |name: &str, reach: Reach, notes: fn(ConnectApp) -> ConnectApp| {
        let address = runtime.block_on(shop.serve(notes));
        let mut noting = Client::of(address, shop.gets());
        let timed = |client: &mut Client, logs: bool| {
            Switch::turn(logs);
            measure::timed(REQUESTS, || runtime.block_on(client.run(REQUESTS)))
        };
        let floor = || timed(&mut silent, false);
        let ours = || timed(&mut noting, true);
        measure::compare(name, reach, ROUNDS, floor, ours);
    };
    let name = "GET one product, with log and metrics; floor: without";
    beside(name, Reach::Wall(0.95), ConnectApp::counted);
    let name = "the same with the last requests of tokens";
    beside(name, Reach::Nothing, ConnectApp::observed);
    beside_bare(runtime, &shop);
}

/// Measures the whole server beside a handler with the same answer.
fn beside_bare(runtime: &Runtime, shop: &Served) {
    Switch::turn(true);
    let address = runtime.block_on(shop.serve(ConnectApp::observed));
    let mut ours = Client::of(address, shop.gets());
    let body = runtime.block_on(ours.one());
    let mut floor = Client::of(runtime.block_on(bare(body)), shop.gets());
    let timed =
        |client: &mut Client| measure::timed(REQUESTS, || runtime.block_on(client.run(REQUESTS)));
    let name = "GET one product, with log, metrics and last requests; floor: bare warp";
    measure::compare(
        name,
        Reach::Wall(0.65),
        ROUNDS,
        || timed(&mut floor),
        || timed(&mut ours),
    );
}

/// Switches the log on and off, in the way in which unwanted levels are off.
struct Switch;

static IS_ON: AtomicBool = AtomicBool::new(true);

impl Switch {
    fn turn(on: bool) {
        IS_ON.store(on, Ordering::Relaxed);
        callsite::rebuild_interest_cache();
    }
}

impl<S: Subscriber> Layer<S> for Switch {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        if IS_ON.load(Ordering::Relaxed) {
            Interest::always()
        } else {
            Interest::never()
        }
    }
}
