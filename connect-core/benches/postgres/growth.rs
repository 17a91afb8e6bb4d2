//! The cost of the same with many products and with few.

use tokio::runtime::Runtime;

use crate::{
    measure::{self, Reach},
    reads,
    scale::Scale,
    shop::Pattern,
    world::World,
};

/// At most twice as much.
const REACH: Reach = Reach::Wall(0.5);

pub fn from(runtime: &Runtime, small: &World, large: &World, scale: Scale) {
    let with = |name| format!("{name}, with {} products", large.products);
    let get = |world| {
        let id = runtime.block_on(reads::a_product(world));
        reads::gets(runtime, world, id, scale.reads)
    };
    let name = with("GET one product");
    measure::compare(&name, REACH, scale.rounds, || get(small), || get(large));
    let query = reads::page_of_200();
    let page = |world| reads::pages(runtime, world, &query, scale.reads / 10);
    let name = with("page of 200");
    measure::compare(&name, REACH, scale.rounds, || page(small), || page(large));
    let batch = |world: &World| {
        let bodies = world.updates(Pattern::Scattered, scale.batches);
        measure::timed(scale.batches, || world.write(runtime, bodies))
    };
    let name = with("batch of 500 updates, scattered");
    measure::compare(&name, REACH, scale.rounds, || batch(small), || batch(large));
}
