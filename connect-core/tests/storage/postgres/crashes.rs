//! A database that crashes under load, and is started again.
//!
//! `CONNECT_TEST_CRASHES=300 cargo test -p connect-core --test all --all-features crashes -- --nocapture`
//! has it crash 300 times, and prints what was seen.

use std::{
    env,
    sync::Arc,
    time::{Duration, Instant},
};

use connect_core::storage::{
    conformance::crash::{Load, Note, check, work},
    postgres::testing::{Cluster, TestDatabase},
};
use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

const LOAD: Load = Load {
    lanes: 4,
    kept: 20,
    large_every: 15,
    large_rows: 500,
};

/// The rounds, unless this variable asks for others. With it, other long tests are run whole too.
const ROUNDS: u32 = 2;
pub(super) const ROUNDS_VARIABLE: &str = "CONNECT_TEST_CRASHES";

/// The time within which something is committed, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_crash_of_the_database() {
    let Some(cluster) = Cluster::start(true) else {
        return;
    };
    let database = TestDatabase::on(cluster.config());
    let store = super::open(&database.address(), |_| ()).await;
    let notes = Arc::new(Mutex::new(Vec::<Note>::new()));
    let rounds = env::var(ROUNDS_VARIABLE).map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let mut random = StdRng::seed_from_u64(7);
    let mut commits = 0;
    let began = Instant::now();
    for round in 0..rounds {
        let noted = notes.clone();
        let known = notes.lock().len();
        let working = tokio::spawn(work(store.clone(), LOAD, move |note| {
            noted.lock().push(note);
        }));
        let since = Instant::now();
        while notes.lock().len() == known && !working.is_finished() {
            assert!(
                since.elapsed() < PATIENCE,
                "nothing is done in round {round}"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let pause = Duration::from_millis(random.random_range(0..600));
        tokio::time::sleep(pause).await;
        if working.is_finished() {
            panic!("before crash {round}: {:?}", working.await.unwrap());
        }
        cluster.crash().unwrap();
        // Its first error ends the work: the database is away.
        assert!(working.await.unwrap().is_err());
        cluster.start_again().unwrap();
        // The same store goes on by itself.
        let known = notes.lock().clone();
        let found = check(&*store, LOAD, known).await;
        let found = found.unwrap_or_else(|fault| panic!("after crash {round}: {fault}"));
        assert!(found.commits >= commits, "after crash {round}");
        commits = found.commits;
    }
    assert!(commits > u64::from(rounds), "{commits} commits");
    let notes = notes.lock().len();
    let time = began.elapsed();
    println!(
        "{rounds} crashes, {commits} commits, {notes} times acknowledged or seen, in {time:.0?}"
    );
}
