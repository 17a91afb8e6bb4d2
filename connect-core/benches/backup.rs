//! Sales at one register while a backup of the store is made.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use connect_core::{
    storage::{
        Storage,
        disk::FrozenRows,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    transfer::{Pieces, TransferError},
};
use tokio::runtime::Runtime;

use crate::{
    journal::Counter,
    journal_beside::{millis, sales},
    measure, shop,
};

const SALES: usize = 1000;
const PRODUCTS: usize = 100_000;
const BACKUPS: usize = 3;

/// The most that a sale may wait for a backup.
const BOUND: Duration = Duration::from_millis(100);

/// Opens an engine and measures.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    if engine == "sled" {
        let storage = Arc::new(SledStorage::open(&path, SledOptions::default()).unwrap());
        let frozen = storage.clone();
        compare(runtime, engine, storage, move || frozen.freeze().unwrap());
    } else {
        let storage = Arc::new(RedbStorage::open(&path, RedbOptions::default()).unwrap());
        let frozen = storage.clone();
        compare(runtime, engine, storage, move || frozen.freeze().unwrap());
    }
}

/// The slowest sale beside backups may take 100 ms more than the slowest one without.
fn compare(
    runtime: &Runtime,
    engine: &str,
    storage: Arc<dyn Storage>,
    freeze: impl Fn() -> FrozenRows + Send + 'static,
) {
    let shop = runtime.block_on(shop::open(storage, 1));
    let counter = runtime.block_on(Counter::open(shop, PRODUCTS));
    let mut alone = Duration::ZERO;
    // The first ones warm up.
    for count in [SALES / 10, SALES] {
        let has_ended = |done| done >= count;
        alone = runtime.block_on(sales(&counter, has_ended)).0;
    }
    let ends = Arc::new(AtomicBool::new(false));
    let copying = runtime.spawn_blocking({
        let ends = ends.clone();
        move || {
            let start = Instant::now();
            let made: Result<Vec<usize>, TransferError> =
                (0..BACKUPS).map(|_| read(freeze())).collect();
            ends.store(true, Ordering::Relaxed);
            (made.unwrap(), start.elapsed())
        }
    });
    let has_ended = |_| ends.load(Ordering::Relaxed);
    let (beside, count) = runtime.block_on(sales(&counter, has_ended));
    let (bytes, took) = runtime.block_on(copying).unwrap();
    let rate = bytes.iter().sum::<usize>() as f64 / took.as_secs_f64() / f64::from(1 << 20);
    measure::bounded(
        &format!("slowest of {count} sales beside {BACKUPS} backups at {rate:.0} MiB/s, {engine}"),
        &format!("{} (alone {})", millis(beside), millis(alone)),
        &format!("{} (alone and 100 ms)", millis(alone + BOUND)),
        beside <= alone + BOUND,
    );
}

/// Reads a backup. Returns its bytes.
fn read(mut rows: FrozenRows) -> Result<usize, TransferError> {
    let mut pieces = Pieces::of(move || rows.next_page());
    let mut bytes = 0;
    while let Some(piece) = pieces.next_piece()? {
        bytes += piece.len();
    }
    Ok(bytes)
}
