//! One attack on one server: its cost, and a well-behaved client's waits.

use std::{fmt, sync::atomic::Ordering::Relaxed, time::Duration};

use connect_core::wire::limits::{DEFAULT_ACCOUNT_LIMIT, DEFAULT_ANONYMOUS_LIMIT};
use tokio::time::{sleep, timeout};

use super::{
    Attack, Caller,
    bystander::{Bystander, Waiting},
    scene::Scene,
    victim::{Store, peak_memory, processor_time},
};

/// The most resident memory allowed for the server, in bytes.
/// A build without optimisation needs more: 400 connections with a request each have taken up to 171 MB
/// there.
pub const MOST_MEMORY: u64 = if cfg!(debug_assertions) {
    250_000_000
} else {
    150_000_000
};
/// The time limit for 99 of 100 requests of the well-behaved client.
pub const MOST_WAITING: Duration = Duration::from_millis(100);

/// The outcome of an attack.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the attack.
    pub name: &'static str,
    /// The peak of the server's resident memory, in bytes.
    pub memory: u64,
    /// The processor time of the server, for each second of the attack.
    pub load: f64,
    /// The waiting times of the well-behaved client.
    pub waiting: Waiting,
    /// The connections opened by the attack.
    pub connections: u64,
    /// The answers read by the attack.
    pub answers: u64,
    /// The answers with a status of 2xx.
    pub served: u64,
    /// The upper limit of `served`.
    pub most_served: u64,
}

/// Runs an attack for a while on a new server.
///
/// # Panics
/// The server does not start, or ends.
pub async fn run(store: &Store, program: &str, attack: &Attack, time: Duration) -> Outcome {
    let server = store.serve(program).await;
    let scene = Scene::new(
        server.address,
        store.attackers.clone(),
        store.products.clone(),
    );
    let bystander = Bystander::start(server.address, store.bystanders.clone());
    // Elapsing is how every attack ends.
    let _ = timeout(time, (attack.run)(scene.clone())).await;
    let waiting = tokio::task::spawn_blocking(|| bystander.stop()).await;
    let memory = peak_memory(&server.id()).expect("the server is there");
    let worked = processor_time(&server.id()).expect("the server is there");
    server.kill().await;
    Outcome {
        name: attack.name,
        memory,
        load: worked.as_secs_f64() / time.as_secs_f64(),
        waiting: waiting.expect("a client that does not panic"),
        connections: scene.tally.connections.load(Relaxed),
        answers: scene.tally.answers.load(Relaxed),
        served: scene.tally.served.load(Relaxed),
        most_served: most_served(attack.caller, time),
    }
}

/// Runs no attack for a while, to compare with.
///
/// # Panics
/// The server does not start, or ends.
pub async fn run_none(store: &Store, program: &str, time: Duration) -> Outcome {
    let nothing = Attack {
        name: "(none)",
        about: "",
        caller: Caller::Stranger,
        run: |_| Box::pin(sleep(Duration::from_secs(3600))),
    };
    run(store, program, &nothing, time).await
}

/// The most requests served in this time, by rate limits.
/// The time may begin in the middle of a window.
fn most_served(caller: Caller, time: Duration) -> u64 {
    let windows = time.as_secs() / 60 + 2;
    let limit = match caller {
        Caller::Stranger => DEFAULT_ANONYMOUS_LIMIT,
        Caller::Customer => DEFAULT_ACCOUNT_LIMIT,
        Caller::Smuggler => 0,
    };
    u64::from(limit) * windows
}

impl Outcome {
    /// Returns whether the bounds on memory and served requests hold.
    /// They do not depend on the load of the machine.
    pub fn is_bounded(&self) -> bool {
        self.memory < MOST_MEMORY && self.served <= self.most_served
    }

    /// Returns whether all bounds hold.
    pub fn holds(&self) -> bool {
        self.is_bounded() && self.waiting.percentile(99) < MOST_WAITING
    }

    /// The heading of a table of outcomes, in Markdown.
    pub const HEADING: &'static str = "\
        | attack | memory, MB | load | median, ms | 99th, ms | failed | connections | answers | served, of at most | holds |\n\
        |---|---|---|---|---|---|---|---|---|---|";
}

/// A line of the table.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            load,
            connections,
            answers,
            served,
            most_served,
            ..
        } = self;
        let (memory, failed) = (self.memory as f64 / 1e6, self.waiting.failed);
        let milliseconds = |percent| self.waiting.percentile(percent).as_secs_f64() * 1e3;
        let (median, most) = (milliseconds(50), milliseconds(99));
        let holds = if self.holds() { "yes" } else { "**no**" };
        write!(
            f,
            "| {name} | {memory:.0} | {load:.2} | {median:.1} | {most:.1} | {failed} | {connections} \
             | {answers} | {served} of {most_served} | {holds} |"
        )
    }
}
