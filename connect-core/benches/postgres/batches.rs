//! Batches of 500 updates beside upserts of the rows that they write.

use std::cell::RefCell;

use tokio::runtime::Runtime;

use crate::{
    floor::{Copy, Rows},
    measure::{self, Reach},
    scale::Scale,
    shop::Pattern,
    world::World,
};

/// The core's batches, and what they wrote the round before, written to a copy of the table: by an
/// upsert that leaves the index rows which have moved, and by a statement that removes them too.
pub fn beside_upserts(runtime: &Runtime, world: &World, scale: Scale) {
    let copy = runtime.block_on(Copy::of(&world.database.address()));
    let write = |pattern| {
        let bodies = world.updates(pattern, scale.batches);
        world.recorder.begin();
        let cost = measure::timed(scale.batches, || world.write(runtime, bodies));
        let commits = world.recorder.end().commits;
        (cost, commits.iter().map(Rows::of).collect::<Vec<_>>())
    };
    let mut sizes = Vec::new();
    for pattern in [Pattern::Consecutive, Pattern::Scattered] {
        for does_remove in [false, true] {
            let written = RefCell::new(write(pattern).1);
            let name = format!("batch of 500 updates, {}", pattern.name());
            let name = match does_remove {
                false => name,
                true => format!("{name}; the floor also removes"),
            };
            measure::compare(
                &name,
                Reach::Wall(0.5),
                scale.rounds,
                || {
                    let batches = written.take();
                    let cost = measure::timed(batches.len(), || {
                        runtime.block_on(async {
                            for rows in &batches {
                                match does_remove {
                                    false => copy.upsert(rows).await,
                                    true => copy.write(rows).await,
                                }
                            }
                        });
                    });
                    runtime.block_on(async {
                        for rows in batches.iter().filter(|_| !does_remove) {
                            copy.remove(rows).await;
                        }
                    });
                    cost
                },
                || {
                    let (cost, rows) = write(pattern);
                    written.replace(rows);
                    cost
                },
            );
            sizes.extend(written.take().last().map(Rows::size));
        }
    }
    if let Some((put, bytes, removed)) = sizes.last() {
        println!("\nA batch puts {put} rows ({bytes} bytes), and removes {removed}.\n");
        measure::head();
    }
}
