//! The core beside its floors: `cargo bench -p connect-core --features sled,redb --bench core`.
//!
//! Names of parts choose them, and of engines: `-- updates creates redb`. The parts are `batch`,
//! `groups`, `links`, `updates`, `creates`, `singles`, `prices`, `journal`, `beside`, `reads`, `stock`,
//! `webhooks`, `search`, `deletion`, `backup`, `memory` and `reopen`; the engines are `sled` and `redb`. `memory` has to
//! run alone, or it takes again what another part has freed. With `million`, `search` has a shop of 1 000 000 products
//! on redb too.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub
)]

mod backup;
mod batches;
mod deletion;
mod honest;
mod journal;
mod journal_beside;
mod journal_reads;
mod links;
mod measure;
mod names;
mod option_groups;
mod prices;
mod raw;
#[path = "postgres/recorder.rs"]
#[allow(dead_code, reason = "of this only commits are wanted")]
mod recorder;
mod search;
mod shop;
mod singles;
mod size;
mod stock;
mod webhooks;

use measure::Chosen;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PARTS: [&str; 17] = [
    "batch", "groups", "links", "updates", "creates", "singles", "prices", "journal", "beside",
    "reads", "stock", "webhooks", "search", "deletion", "backup", "memory", "reopen",
];
const ENGINES: [&str; 2] = ["sled", "redb"];

fn main() {
    let runtime = measure::runtime();
    if let Some((engine, path)) = size::asked_to_fill() {
        return size::fill_until_killed(&runtime, &engine, &path);
    }
    let chosen = Chosen::from_arguments();
    let part = |name| chosen.has(name, &PARTS);
    let mut growth = search::Growth::default();
    measure::head();
    if part("batch") {
        batches::in_memory(&runtime);
    }
    if part("groups") {
        option_groups::in_memory(&runtime);
    }
    if part("links") {
        links::in_memory(&runtime);
    }
    if part("prices") {
        prices::in_memory(&runtime);
    }
    if part("journal") {
        journal::in_memory(&runtime);
    }
    if part("beside") {
        journal_beside::in_memory(&runtime);
    }
    if part("reads") {
        journal_reads::in_memory(&runtime);
    }
    if part("stock") {
        stock::in_memory(&runtime);
    }
    if part("webhooks") {
        webhooks::in_memory(&runtime);
    }
    if part("search") {
        search::in_memory(&runtime, &mut growth);
    }
    if part("memory") {
        size::memory(&runtime);
    }
    if part("deletion") {
        deletion::in_memory(&runtime);
    }
    for engine in ENGINES {
        if !chosen.has(engine, &ENGINES) {
            continue;
        }
        if part("updates") {
            batches::updates(&runtime, engine);
        }
        if part("creates") {
            batches::creates(&runtime, engine);
        }
        if part("singles") {
            singles::creates(&runtime, engine, 8);
            singles::creates(&runtime, engine, 32);
        }
        if part("prices") {
            prices::on_disk(&runtime, engine);
        }
        if part("journal") {
            journal::on_disk(&runtime, engine);
        }
        if part("beside") {
            journal_beside::on_disk(&runtime, engine);
        }
        if part("stock") {
            stock::on_disk(&runtime, engine);
        }
        if part("webhooks") {
            webhooks::on_disk(&runtime, engine);
        }
        if part("search") {
            let has_million = engine == "redb" && chosen.is("million");
            search::on_disk(&runtime, engine, has_million, &mut growth);
            search::creates(&runtime, engine);
        }
        if part("deletion") {
            deletion::on_disk(&runtime, engine);
        }
        if part("backup") {
            backup::on_disk(&runtime, engine);
        }
        if part("reopen") {
            size::reopen(&runtime, engine);
        }
    }
    if part("search") {
        growth.print();
        search::rows_of_words(&runtime);
    }
}
