//! Reading a journal of a million rows of three lines: pages from its middle beside a page of
//! products, and the summary of a day with 100 000 rows beside one product.

use std::sync::Arc;

use connect_core::{
    storage::memory::MemoryStorage,
    wire::{
        Product, Timestamp,
        query::{DailySummaryQuery, ProductQuery, TransactionQuery},
    },
};
use tokio::runtime::Runtime;

use crate::{
    journal::Counter,
    measure::{self, Reach},
    shop,
};

const PRODUCTS: usize = 100_000;
const ROWS: usize = 1_000_000;
/// The rows of the last day.
const LAST_DAY: usize = 100_000;
/// The rows of every day before.
const PER_DAY: usize = 1_000;
const DAYS: usize = 1 + (ROWS - LAST_DAY) / PER_DAY;
const PAGE: usize = 200;

/// Reads in the memory store.
pub fn in_memory(runtime: &Runtime) {
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let counter = runtime.block_on(Counter::open(shop, PRODUCTS));
    for start in (0..ROWS).step_by(PER_DAY) {
        let time = noon((start / PER_DAY).min(DAYS - 1));
        let rows = start..start + PER_DAY;
        let bodies = rows.map(|row| counter.sale(row, Some(time))).collect();
        counter.write(runtime, bodies);
    }
    let here = counter.shop.connect.location(&counter.shop.locations[0]);
    let (products, rows) = (here.json::<Product>(), here.transactions());

    // A page of products from the middle of them.
    let mut of_products = ProductQuery::default();
    of_products.sync.limit = Some(PAGE);
    for _ in 0..PRODUCTS / PAGE / 2 {
        let page = runtime.block_on(products.list(&of_products)).unwrap();
        of_products.sync.cursor = page.decode().unwrap().next_cursor;
    }
    let product = runtime.block_on(products.list(&of_products)).unwrap();
    let product = product.decode().unwrap().data[0].id.uuid();
    let page_of_products = || {
        measure::timed(1000, || {
            for _ in 0..1000 {
                let page = runtime.block_on(products.list(&of_products)).unwrap();
                assert!(page.into_bytes().len() > 10_000);
            }
        })
    };

    let mut by_receipt = TransactionQuery {
        since_receipt: Some(ROWS as u64 / 2),
        ..TransactionQuery::default()
    };
    by_receipt.paging.limit = Some(PAGE);
    let middle = date(DAYS / 2);
    let mut by_day = TransactionQuery::default();
    by_day.paging.limit = Some(PAGE);
    by_day.period.from = Some(middle.parse().unwrap());
    by_day.period.to = Some(middle.parse().unwrap());
    for (name, query) in [("receipt", by_receipt), ("day", by_day)] {
        let page = runtime.block_on(rows.list(&query)).unwrap().data;
        assert_eq!(page.len(), PAGE);
        measure::compare(
            &format!("page of 200 of 1 000 000 transactions by {name}, memory"),
            Reach::Wall(0.8),
            15,
            page_of_products,
            || {
                measure::timed(1000, || {
                    for _ in 0..1000 {
                        let page = runtime.block_on(rows.list_json(&query)).unwrap();
                        assert!(page.into_bytes().len() > 10_000);
                    }
                })
            },
        );
    }

    let last = DailySummaryQuery {
        date: Some(date(DAYS - 1).parse().unwrap()),
    };
    let summary = runtime.block_on(here.daily_summary(&last)).unwrap();
    assert_eq!(summary.totals.sales.count, LAST_DAY as u64);
    measure::compare(
        "daily summary of 100 000 rows, memory",
        Reach::Wall(0.7),
        15,
        || {
            measure::timed(100_000, || {
                for _ in 0..100_000 {
                    let product = runtime.block_on(products.get(product)).unwrap();
                    assert!(product.into_bytes().len() > 100);
                }
            })
        },
        || {
            measure::timed(100_000, || {
                for _ in 0..100_000 {
                    let summary = runtime.block_on(here.daily_summary_json(&last)).unwrap();
                    assert!(summary.into_bytes().len() > 100);
                }
            })
        },
    );
}

/// A time on this day of the journal, which began on 1 January 2024.
fn noon(day: usize) -> Timestamp {
    Timestamp::from_micros((1_704_110_400 + 86_400 * day as i64) * 1_000_000)
}

fn date(day: usize) -> String {
    noon(day).to_string()[..10].to_owned()
}
