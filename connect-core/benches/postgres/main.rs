//! The core on PostgreSQL beside its floors:
//! `cargo bench -p connect-core --features postgres --bench postgres`.
//!
//! Names of parts choose them: `batch`, `singles`, `reads`, `growth`, `servers`, `size`, `trips` and
//! `replica`. `quick` makes everything small, to try it out. Each run starts a PostgreSQL of its own, with
//! fsync on, in the folder for temporary files. CPU times are those of this process, without the
//! database's.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub
)]

mod batches;
mod floor;
mod growth;
#[path = "../journal.rs"]
#[allow(dead_code, reason = "of this only sales are wanted")]
mod journal;
mod machine;
#[path = "../measure.rs"]
mod measure;
#[path = "../raw.rs"]
#[allow(dead_code, reason = "for `journal`")]
mod raw;
mod reads;
mod recorder;
mod replica;
mod scale;
mod servers;
#[path = "../shop.rs"]
mod shop;
mod singles;
mod size;
mod trips;
mod world;

use connect_core::storage::postgres::testing::Cluster;

use crate::{measure::Chosen, scale::Scale, world::World};

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PARTS: [&str; 8] = [
    "batch", "singles", "reads", "growth", "servers", "size", "trips", "replica",
];

fn main() {
    let runtime = measure::runtime();
    if let Some(asked) = servers::asked_to_serve() {
        return servers::serve(&runtime, &asked);
    }
    let chosen = Chosen::from_arguments();
    let part = |name| chosen.has(name, &PARTS);
    let scale = if chosen.is("quick") {
        Scale::QUICK
    } else {
        Scale::WHOLE
    };
    let Some(cluster) = Cluster::start(true) else {
        return;
    };
    let cluster = &cluster;
    if part("batch") || part("reads") || part("growth") {
        let large = World::open(&runtime, cluster, scale.products);
        measure::head();
        if part("batch") {
            batches::beside_upserts(&runtime, &large, scale);
        }
        if part("reads") {
            reads::beside_statements(&runtime, &large, scale);
        }
        if part("growth") {
            let small = World::open(&runtime, cluster, 1000);
            println!("\nThe floor is the same with 1 000 products.\n");
            measure::head();
            growth::from(&runtime, &small, &large, scale);
        }
    }
    if part("singles") {
        println!();
        measure::head();
        singles::beside_inserts(&runtime, cluster, scale);
    }
    if part("servers") {
        servers::one_to_three(&runtime, cluster, scale);
    }
    if part("size") {
        size::of_records(&runtime, cluster, scale);
    }
    if part("trips") {
        trips::of_operations(&runtime, cluster);
    }
    if part("replica") {
        replica::beside_none(&runtime, scale);
    }
}
