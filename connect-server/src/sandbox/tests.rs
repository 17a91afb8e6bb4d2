//! Tests of what a simulation reads.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    environment::Clock as _,
    storage::{
        Commit, CommitError, Found, Locked, Read, State, Storage, StorageError,
        memory::MemoryStorage,
    },
};
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::demo;

/// A storage that counts the rows it returns.
struct Counted {
    storage: MemoryStorage,
    rows: AtomicUsize,
}

#[async_trait]
impl Storage for Counted {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let found: Vec<Found> = self.storage.read(reads).await?.collect();
        let rows = found.iter().map(|found| match found {
            Found::Entries(entries) => entries.len(),
            Found::Joined(entries) => entries.len(),
            _ => 1,
        });
        self.rows.fetch_add(rows.sum(), Ordering::Relaxed);
        Ok(State::new(found))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

/// The demo's shop, and its first location.
async fn shop() -> (Arc<Counted>, Sandbox, Place) {
    let storage = Arc::new(Counted {
        storage: MemoryStorage::new(),
        rows: AtomicUsize::new(0),
    });
    let clock = SandboxClock::open(None).unwrap();
    let builder = Connect::builder(storage.clone()).clock(clock.clone());
    let connect = builder.build();
    let shop = demo::open(&connect).await.unwrap();
    let place = Place {
        account: shop.account.id,
        location: shop.account.locations[0].id,
    };
    (storage, Sandbox::new(connect, clock), place)
}

#[tokio::test]
async fn a_refund_does_not_read_the_whole_journal() {
    let (storage, sandbox, place) = shop().await;
    let register = sandbox.screen(place, ScreenType::Pos).await.unwrap();
    let products = sandbox.products(&register).await.unwrap();
    let mut chance = sandbox.chance();
    let mut costs = Vec::new();
    let mut sold = 0;
    for sales in [300, 3000] {
        // A simulation gives its screens new keys.
        let register = sandbox.screen(place, ScreenType::Pos).await.unwrap();
        while sold < sales {
            let sale = sandbox.sell(&register, &products, &mut chance, None);
            sale.await.unwrap();
            sold += 1;
        }
        let last = sandbox.latest_sale(&register).await.unwrap();
        let before = storage.rows.load(Ordering::Relaxed);
        let found = sandbox.latest_sale(&register).await.unwrap();
        costs.push(storage.rows.load(Ordering::Relaxed) - before);
        assert_eq!(found.id, last.id);
        assert_eq!(
            found.receipt_number,
            sandbox.last_receipt(&register).await.unwrap()
        );
        let refund = sandbox.refund(place).await.unwrap();
        assert_eq!(refund.refund_of, Some(last.id));
        sold += 1;
    }
    assert!(costs.iter().all(|cost| *cost < 400), "{costs:?}");
}

#[tokio::test]
async fn the_last_receipt_is_found_whatever_its_number() {
    let (_, sandbox, place) = shop().await;
    let register = sandbox.screen(place, ScreenType::Pos).await.unwrap();
    let products = sandbox.products(&register).await.unwrap();
    let mut chance = sandbox.chance();
    for number in 0..40 {
        assert_eq!(sandbox.last_receipt(&register).await.unwrap(), number);
        let sale = sandbox.sell(&register, &products, &mut chance, None).await;
        assert_eq!(sale.unwrap().receipt_number, number + 1);
    }
}

/// The file had the new time, and the clock the former one: a next start was refused.
#[tokio::test]
async fn an_advance_goes_on_when_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.clock.json");
    let clock = SandboxClock::open(Some(file.clone())).unwrap();
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).clock(clock.clone());
    let connect = connect.build();
    let shop = demo::open(&connect).await.unwrap();
    let sandbox = Sandbox::new(connect.clone(), clock.clone());
    for advances in 1..=3 {
        let advance = sandbox.advance(shop.account.id, Some(3600));
        assert!(timeout(Duration::ZERO, advance).await.is_err());
        let began = Instant::now();
        loop {
            let kept = SandboxClock::open(Some(file.clone())).unwrap();
            let trusted = connect.last_maintenance().await.unwrap();
            let behind = trusted.map(|at| clock.now().seconds() - at.seconds());
            let is_done = kept.ahead() == advances * 3600 && behind.is_some_and(|by| by < 60);
            if is_done && clock.ahead() == kept.ahead() {
                break;
            }
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "{kept:?} {clock:?}"
            );
            sleep(Duration::from_millis(5)).await;
        }
    }
}
