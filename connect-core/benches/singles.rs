//! Single creates by many writers at once.

use std::cell::{Cell, RefCell};

use connect_core::{Request, wire::Product};
use tokio::runtime::Runtime;

use crate::{
    measure::{self, Reach},
    raw::{Raw, Rows, Shared},
    shop,
};

const LOCATIONS: usize = 8;

/// Creates by `writers` over 8 locations, on the disk.
pub fn creates(runtime: &Runtime, engine: &str, writers: usize) {
    let each = 3200 / writers;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, LOCATIONS));
    let (raw, rows) = (
        Shared::start(Raw::open(engine, floor.path())),
        RefCell::new(Rows::new()),
    );
    let made = Cell::new(0);
    measure::compare(
        &format!("single creates by {writers} writers over 8 locations, {engine}"),
        Reach::Wall(if writers == 8 { 0.6 } else { 1.0 }),
        9,
        || {
            let mut rows = rows.borrow_mut();
            let mut ready = || (0..each).map(|_| rows.create(1)).collect::<Vec<_>>();
            let all: Vec<_> = (0..writers).map(|_| ready()).collect();
            measure::timed(writers * each, || {
                let write = |writes| {
                    let raw = raw.clone();
                    runtime.spawn(async move {
                        for write in writes {
                            raw.commit(write).await;
                        }
                    })
                };
                shop::finish(runtime, all.into_iter().map(write).collect());
            })
        },
        || {
            let start = made.replace(made.get() + writers * each);
            measure::timed(writers * each, || {
                let write = |writer: usize| {
                    let connect = shop.connect.clone();
                    let at = shop.locations[writer % LOCATIONS].clone();
                    runtime.spawn(async move {
                        for number in 0..each {
                            let body = shop::product(start + writer * each + number, 100);
                            let request = Request::json(body.into_bytes());
                            connect
                                .location(&at)
                                .json::<Product>()
                                .create(request)
                                .await
                                .unwrap();
                        }
                    })
                };
                shop::finish(runtime, (0..writers).map(write).collect());
            })
        },
    );
}
