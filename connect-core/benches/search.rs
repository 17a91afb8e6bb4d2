//! The search among the names of products: its first pages beside plain reads of the same rows, how their time grows
//! with the shop, and what its index costs a batch of creates.

use std::{cell::Cell, ops::Range, sync::Arc, time::Duration};

use connect_core::{
    Access,
    storage::{Found, Read, Storage, memory::MemoryStorage},
    wire::{Product, query::ProductQuery},
};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::{
    batches,
    measure::{self, Reach},
    names,
    raw::{Raw, Writes},
    recorder::Recorder,
    shop::{self, BATCH, Shop},
};

/// The products of the shop, as it grows.
const SIZES: [(usize, &str); 4] = [
    (1_000, "1 000"),
    (10_000, "10 000"),
    (100_000, "100 000"),
    (1_000_000, "1 000 000"),
];

/// The searches with their texts, of the words of [`names`].
const SEARCHES: [(&str, &str); 8] = [
    ("a frequent word", "bread"),
    ("a rare word", "stollen"),
    ("a frequent and a rare word", "wheat stollen"),
    ("two frequent words", "wheat bread"),
    ("two frequent words, never together", "wheat rye"),
    ("1 letter", "b"),
    ("3 letters", "cro"),
    ("no hit", "zzz"),
];

const READS: usize = 200;
const ROUNDS: usize = 9;

/// The families of products and of their words.
const PRODUCT: u8 = 0x30;
const WORD: u8 = 0x37;

/// The medians of all searches.
#[derive(Default)]
pub struct Growth(Vec<Line>);

/// A search in one place, with its time for each size.
struct Line {
    search: &'static str,
    place: String,
    times: Vec<Duration>,
}

impl Growth {
    /// Prints a table of the searches by size.
    pub fn print(&self) {
        let heads = SIZES.map(|(_, name)| format!(" {name} |"));
        println!("\n| search | place |{} times |", heads.concat());
        println!("|---|---|---|---|---|---|---|");
        for line in &self.0 {
            let time = |at| line.times.get(at).copied().map(measure::micros);
            let times = [0, 1, 2, 3].map(|at| format!(" {} |", time(at).unwrap_or_default()));
            let first = line.times.first().copied().unwrap_or_default();
            let last = line.times.last().copied().unwrap_or_default();
            println!(
                "| {} | {} |{} {:.1} |",
                line.search,
                line.place,
                times.concat(),
                last.as_secs_f64() / first.as_secs_f64(),
            );
        }
    }
}

/// Searches in the memory store.
pub fn in_memory(runtime: &Runtime, growth: &mut Growth) {
    let storage = Arc::new(MemoryStorage::new());
    pages(runtime, "memory", storage, &SIZES[..3], growth);
}

/// Searches on the disk.
pub fn on_disk(runtime: &Runtime, engine: &str, has_million: bool, growth: &mut Growth) {
    let directory = tempfile::tempdir().unwrap();
    let storage = shop::storage(engine, &directory.path().join("store"));
    let sizes = if has_million { &SIZES[..] } else { &SIZES[..3] };
    pages(runtime, engine, storage, sizes, growth);
}

/// The first page of each search, in a shop that grows. The floor reads the same rows by their keys.
fn pages(
    runtime: &Runtime,
    place: &str,
    storage: Arc<dyn Storage>,
    sizes: &[(usize, &str)],
    growth: &mut Growth,
) {
    let shop = runtime.block_on(shop::open(storage.clone(), 1));
    let at = &shop.locations[0];
    let products = shop.connect.location(at).json::<Product>();
    let mut lines = SEARCHES.map(|(search, _)| Line {
        search,
        place: place.to_owned(),
        times: Vec::new(),
    });
    let mut made = 0;
    for &(size, name) in sizes {
        for start in (made..size).step_by(BATCH) {
            let body = batch(start..start + BATCH, names::words);
            batches::write(runtime, &shop, vec![body], batches::CREATED);
        }
        made = size;
        for ((search, text), line) in SEARCHES.into_iter().zip(&mut lines) {
            let query = ProductQuery::default().search(text);
            let found = runtime.block_on(products.list(&query)).unwrap();
            let found = found.decode().unwrap().data;
            let keys = keys(at, &found);
            let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
            let state = runtime.block_on(storage.read(&reads)).unwrap();
            let rows = state.filter(|row| matches!(row, Found::Value(Some(_))));
            assert_eq!(rows.count(), found.len());
            let cost = measure::compare(
                &format!("{search}, {} hits, {name} products, {place}", found.len()),
                Reach::Nothing,
                ROUNDS,
                || {
                    measure::timed(READS, || {
                        for _ in 0..READS {
                            let state = runtime.block_on(storage.read(&reads)).unwrap();
                            assert_eq!(state.count(), reads.len());
                        }
                    })
                },
                || {
                    measure::timed(READS, || {
                        for _ in 0..READS {
                            let page = runtime.block_on(products.list(&query)).unwrap();
                            assert!(page.into_bytes().len() >= 100 * found.len());
                        }
                    })
                },
            );
            line.times.push(cost.wall);
        }
    }
    growth.0.extend(lines);
}

/// The keys of the rows of products; of none, a key without a row.
fn keys(at: &Access, products: &[Product]) -> Vec<Vec<u8>> {
    let location = at.location().id.uuid();
    let key = |id: Uuid| [location.as_bytes(), &[PRODUCT][..], id.as_bytes()].concat();
    match products {
        [] => vec![key(Uuid::nil())],
        products => products
            .iter()
            .map(|product| key(product.id.uuid()))
            .collect(),
    }
}

/// The body of a batch of products whose names have as many `words`.
fn batch(numbers: Range<usize>, words: fn(usize) -> usize) -> Vec<u8> {
    let item = |number| {
        let name = names::name(number, words(number));
        format!(
            r#"{{"externalId":"ART-{number:08}","name":"{name}","priceCents":250,"vatRate":9,"barcode":"29{number:011}"}}"#
        )
    };
    let items: Vec<String> = numbers.map(item).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

/// Batches of creates with names of four words, beside raw commits of the same rows; and raw commits with the entries of
/// words beside raw ones without them.
pub fn creates(runtime: &Runtime, engine: &str) {
    const BATCHES: usize = 20;
    let folder = || tempfile::tempdir().unwrap();
    let (ours, all, with, without) = (folder(), folder(), folder(), folder());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    let (recorded, made) = (Recorded::open(runtime), Cell::new(0));
    let raw = Raw::open(engine, all.path());
    let commit = |raw: &Raw, commits: Vec<Writes>| {
        measure::timed(BATCHES, || {
            commits.into_iter().for_each(|writes| raw.commit(writes))
        })
    };
    measure::compare(
        &format!("batch of 500 creates of 4 words, {engine}"),
        Reach::Nothing,
        ROUNDS,
        || commit(&raw, recorded.commits(BATCHES)),
        || {
            let body = |_| {
                let start = made.replace(made.get() + BATCH);
                batch(start..start + BATCH, |_| 4)
            };
            let bodies = (0..BATCHES).map(body).collect();
            measure::timed(BATCHES, || {
                batches::write(runtime, &shop, bodies, batches::CREATED)
            })
        },
    );
    let (with, without) = (
        Raw::open(engine, with.path()),
        Raw::open(engine, without.path()),
    );
    measure::compare(
        &format!("the same raw with the entries of words (floor: without), {engine}"),
        Reach::Nothing,
        ROUNDS,
        || {
            let mut commits = recorded.commits(BATCHES);
            for writes in &mut commits {
                writes.retain(|(key, _)| !is_of_word(key));
            }
            commit(&without, commits)
        },
        || commit(&with, recorded.commits(BATCHES)),
    );
}

/// Prints the rows and bytes of a created product, and how many are entries of words.
pub fn rows_of_words(runtime: &Runtime) {
    println!(
        "\n| created product | rows | bytes | entries of words | their bytes |\n|---|---|---|---|---|"
    );
    let all = Recorded::open(runtime).commits(10).concat();
    let line = |of_words: bool| {
        let rows = all.iter().filter(|(key, _)| !of_words || is_of_word(key));
        let (count, bytes) = rows.fold((0, 0), |(count, bytes), (key, value)| {
            let value = value.as_ref().map_or(0, Vec::len);
            (count + 1, bytes + key.len() + value)
        });
        let each = |sum: usize| sum as f64 / (10 * BATCH) as f64;
        format!("{:.1} | {:.0}", each(count), each(bytes))
    };
    println!("| a name of 4 words | {} | {} |", line(false), line(true));
}

fn is_of_word(key: &[u8]) -> bool {
    key.get(16) == Some(&WORD)
}

/// A shop in memory whose commits are noted.
struct Recorded<'r> {
    runtime: &'r Runtime,
    recorder: Arc<Recorder>,
    shop: Shop,
    made: Cell<usize>,
}

impl<'r> Recorded<'r> {
    fn open(runtime: &'r Runtime) -> Self {
        let recorder = Arc::new(Recorder::of(MemoryStorage::new()));
        let shop = runtime.block_on(shop::open(recorder.clone(), 1));
        Self {
            runtime,
            recorder,
            shop,
            made: Cell::new(0),
        }
    }

    /// The commits of as many batches of creates, with names of four words.
    fn commits(&self, batches: usize) -> Vec<Writes> {
        let body = |_| {
            let start = self.made.replace(self.made.get() + BATCH);
            batch(start..start + BATCH, |_| 4)
        };
        let bodies = (0..batches).map(body).collect();
        self.recorder.begin();
        batches::write(self.runtime, &self.shop, bodies, batches::CREATED);
        let commits = self.recorder.end().commits.into_iter();
        let writes = commits.map(|commit| {
            let writes = commit.with_guard_as_row().writes.into_iter();
            writes
                .map(|(key, write)| (key.into_vec(), write.value().map(<[u8]>::to_vec)))
                .collect()
        });
        writes.collect()
    }
}
