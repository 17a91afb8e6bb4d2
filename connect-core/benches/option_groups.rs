//! Batches of 200 option groups of 10 options.
//!
//! The floor is that of batches of products (see the honest floor): each item is parsed, its row is
//! looked up and parsed, and the new row is printed and put in its place in a map. The options are
//! sent in the order in which they are stored, so the floor need not search for them.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use connect_core::{
    Request,
    storage::memory::MemoryStorage,
    wire::{OptionGroup, Page, query::OptionGroupQuery},
};
use serde::Deserialize;
use tokio::runtime::Runtime;

use crate::{
    measure::{self, Reach},
    shop::{self, Shop},
};

const GROUPS: usize = 10_000;
const BATCH: usize = 200;
const OPTIONS: usize = 10;
const BATCHES: usize = 20;
const CREATED: &str = r#"{"data":{"created":200,"#;
const UPDATED: &str = r#"{"data":{"created":0,"updated":200,"unchanged":0,"failed":0"#;

/// Batches of updates in the memory store.
pub fn in_memory(runtime: &Runtime) {
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let all = (0..GROUPS).step_by(BATCH);
    let creates = all.map(|start| body(start, |number| with_options(number, 0)));
    write(runtime, &shop, creates, CREATED);
    let floor = RefCell::new(Floor::of(stored(runtime, &shop)));
    let round = Cell::new(0);
    for (name, item) in [
        (
            "with its options, one price new",
            with_options as fn(usize, usize) -> String,
        ),
        ("one field alone", one_field),
    ] {
        // Every round has other values, so that nothing is unchanged.
        let bodies = || -> Vec<Vec<u8>> {
            round.set(round.get() + 1);
            let start = |batch| (round.get() * BATCHES + batch) * BATCH % GROUPS;
            let body = |batch| body(start(batch), |number| item(number, round.get()));
            (0..BATCHES).map(body).collect()
        };
        measure::compare(
            &format!("batch of 200 option groups, memory, {name}"),
            Reach::Wall(0.4),
            15,
            || {
                let bodies = bodies();
                measure::timed(BATCHES, || {
                    let mut floor = floor.borrow_mut();
                    bodies.iter().for_each(|body| floor.update(body));
                })
            },
            || {
                let bodies = bodies();
                measure::timed(BATCHES, || write(runtime, &shop, bodies, UPDATED))
            },
        );
    }
}

/// A group with all its options, of which the first has another price every `round`.
fn with_options(number: usize, round: usize) -> String {
    let option = |option| {
        let price = if option == 0 { round } else { 50 };
        format!(
            r#"{{"externalId":"OPT-{number:06}-{option}","name":"Option {option} of {number}","priceCents":{price},"isAvailable":true}}"#
        )
    };
    let options: Vec<String> = (0..OPTIONS).map(option).collect();
    format!(
        r#"{{"externalId":"GRP-{number:06}","name":"Group number {number}","minSelect":0,"maxSelect":3,"position":{},"options":[{}]}}"#,
        number % 100,
        options.join(","),
    )
}

/// The place of a group, and nothing else of it.
fn one_field(number: usize, round: usize) -> String {
    format!(
        r#"{{"externalId":"GRP-{number:06}","position":{}}}"#,
        1000 + round
    )
}

/// The body of the batch of groups from `start` on.
fn body(start: usize, item: impl Fn(usize) -> String) -> Vec<u8> {
    let items: Vec<String> = (start..start + BATCH).map(item).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

fn write(runtime: &Runtime, shop: &Shop, bodies: impl IntoIterator<Item = Vec<u8>>, answer: &str) {
    let groups = shop
        .connect
        .location(&shop.locations[0])
        .json::<OptionGroup>();
    for body in bodies {
        let answered = runtime.block_on(groups.batch(Request::json(body))).unwrap();
        shop::check(&answered.body, answer);
    }
}

/// All groups of the shop.
fn stored(runtime: &Runtime, shop: &Shop) -> Vec<OptionGroup> {
    let records = shop
        .connect
        .location(&shop.locations[0])
        .json::<OptionGroup>();
    let mut query = OptionGroupQuery::default();
    query.sync.limit = Some(200);
    let mut groups = Vec::new();
    loop {
        let page = runtime.block_on(records.list(&query)).unwrap();
        let page: Page<OptionGroup> = page.decode().unwrap();
        groups.extend(page.data);
        match page.next_cursor {
            Some(cursor) => query.sync.cursor = Some(cursor),
            None => return groups,
        }
    }
}

/// Rows in a map, by external id.
struct Floor {
    rows: HashMap<String, Box<[u8]>>,
}

/// A batch as plain serde reads it.
#[derive(Deserialize)]
struct PlainBatch {
    items: Vec<PlainItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainItem {
    external_id: String,
    name: Option<String>,
    min_select: Option<i64>,
    max_select: Option<i64>,
    position: i64,
    options: Option<Vec<PlainOption>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainOption {
    external_id: String,
    name: String,
    price_cents: i64,
    is_available: bool,
}

impl Floor {
    /// A map of these groups.
    fn of(groups: impl IntoIterator<Item = OptionGroup>) -> Self {
        let row = |group: OptionGroup| {
            let row = serde_json::to_vec(&group).unwrap();
            (group.external_id.unwrap(), row.into_boxed_slice())
        };
        Self {
            rows: groups.into_iter().map(row).collect(),
        }
    }

    /// Updates every group of a batch.
    fn update(&mut self, body: &[u8]) {
        let batch: PlainBatch = serde_json::from_slice(body).unwrap();
        for item in batch.items {
            let row = self.rows.get_mut(&item.external_id).unwrap();
            let mut group: OptionGroup = serde_json::from_slice(row).unwrap();
            group.name = item.name.unwrap_or(group.name);
            group.min_select = item.min_select.unwrap_or(group.min_select);
            group.max_select = item.max_select.unwrap_or(group.max_select);
            group.position = item.position;
            for (option, sent) in group
                .options
                .iter_mut()
                .zip(item.options.unwrap_or_default())
            {
                option.external_id = Some(sent.external_id);
                option.name = sent.name;
                option.price_cents = sent.price_cents;
                option.is_available = sent.is_available;
            }
            *row = serde_json::to_vec(&group).unwrap().into_boxed_slice();
        }
    }
}
