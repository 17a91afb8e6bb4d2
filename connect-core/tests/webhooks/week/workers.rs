//! Worker processes, one after another: some end as they should, others die.

use std::{sync::Arc, time::Duration};

use connect_core::Connect;
use futures_util::future::{Either, select};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::time::sleep;

use super::{
    World,
    clock::Skewed,
    mortal::{Death, Mortal},
};

/// The lives of a worker, until the world is closed.
pub(super) async fn lives(world: Arc<World>, number: usize, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut life = number;
    while !*world.is_closed.borrow() {
        live(&world, life, &mut rng).await;
        life += 2;
        if !world.is_over() {
            world.pause(&mut rng, 4 * 3600).await;
        }
    }
}

/// One life. It ends by itself, at a commit, or in the middle of anything.
async fn live(world: &World, life: usize, rng: &mut StdRng) {
    let death = (!world.is_over() && rng.random()).then(|| Death {
        commits: rng.random_range(0..60),
        is_applied: rng.random(),
    });
    let storage = Mortal::new(world.history.clone(), rng.random(), death);
    let skew = world.clock.skew_of_workers();
    let clock = Skewed::new(world.clock.clone(), rng.random_range(-skew..=skew));
    let connect = Connect::builder(storage.clone()).clock(clock).build();
    let post = world.post.of_life(life);
    let worker = connect.webhook_worker(world.endpoints.of_life(life), Some(post));
    let mut closed = world.is_closed.subscribe();
    let mut over = world.is_over.subscribe();
    let ends_well = rng.random();
    let longest = 12 * 3_600_000_000 / world.pace.haste;
    let time = Duration::from_micros(rng.random_range(0..longest));
    let is_over = world.is_over();
    let interval = if is_over {
        super::DAYS.interval
    } else {
        world.pace.interval
    };
    let time_is_up = async {
        if is_over {
            closed.wait_for(|is_closed| *is_closed).await.unwrap();
        } else {
            let over = over.wait_for(|is_over| *is_over);
            let _ = tokio::time::timeout(time, over).await;
        }
    };
    if is_over || (ends_well && death.is_none()) {
        worker.run(interval, time_is_up).await;
        world.endpoints.outlived(life);
        return;
    }
    let work = std::pin::pin!(worker.run(interval, std::future::pending()));
    let end = std::pin::pin!(async {
        let died = std::pin::pin!(storage.died());
        let time_is_up = std::pin::pin!(time_is_up);
        select(died, time_is_up).await;
    });
    match select(work, end).await {
        Either::Left(_) => unreachable!("nobody ended it"),
        Either::Right(_) => {
            world.endpoints.died(life, world.history.place());
            sleep(Duration::from_millis(1)).await;
        }
    }
}
