//! Each attack for a moment: the server's memory and what is served stay within their bounds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use connect_tests::attack::{
    all,
    trial::{Outcome, run},
    victim::Store,
};
use futures_util::future::join_all;

/// The time of each attack. How long others wait is not judged here: the machine may be busy.
const MOMENT: Duration = Duration::from_millis(700);
/// Attacks at once, each on a server of its own.
const AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_attack_takes_more_than_it_may() {
    let lanes = (0..AT_ONCE).map(|first| tokio::spawn(lane(first)));
    let lanes = join_all(lanes).await.into_iter().map(Result::unwrap);
    let outcomes: Vec<_> = lanes.flatten().collect();
    assert_eq!(outcomes.len(), all().len());
    let broken = outcomes.iter().filter(|outcome| !outcome.is_bounded());
    let broken: Vec<_> = broken.map(ToString::to_string).collect();
    assert!(
        broken.is_empty(),
        "{}\n{}",
        Outcome::HEADING,
        broken.join("\n")
    );
}

/// Runs the attacks of a lane, one after the other.
async fn lane(first: usize) -> Vec<Outcome> {
    let program = env!("CARGO_BIN_EXE_server-under-test");
    let store = Store::make().await;
    let mut outcomes = Vec::new();
    for attack in all().iter().skip(first).step_by(AT_ONCE) {
        outcomes.push(run(&store, program, attack, MOMENT).await);
    }
    outcomes
}
