//! Tests of the sandbox with disconnecting clients and a failing disk.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    NewAccount,
    environment::Clock as _,
    storage::{
        Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
    },
    wire::{Field, ProductBatch, ProductInput, VatRate, query::ProductQuery},
};
use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep};

use super::{demo, *};

const HOUR: u64 = 3600;

/// A storage with disk room for so many commits.
struct Disk {
    storage: MemoryStorage,
    room: AtomicUsize,
}

#[async_trait]
impl Storage for Disk {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let less = |room: usize| room.checked_sub(1);
        let fits = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if fits.is_err() {
            return Err(CommitError::NotApplied(StorageError::new("full")));
        }
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

struct Demo {
    disk: Arc<Disk>,
    sandbox: Sandbox,
    account: Id<Account>,
}

impl Demo {
    async fn start() -> Self {
        let disk = Arc::new(Disk {
            storage: MemoryStorage::new(),
            room: AtomicUsize::new(usize::MAX),
        });
        let clock = SandboxClock::of(disk.clone(), None).await.unwrap();
        let connect = Connect::builder(disk.clone()).clock(clock.clone()).build();
        let account = demo::open(&connect).await.unwrap().account.id;
        Self {
            disk,
            sandbox: Sandbox::new(connect, clock),
            account,
        }
    }

    /// The stored lead of the clock in seconds, for another start.
    async fn kept(&self) -> u64 {
        self.sandbox.connect.clock_lead().await.unwrap()
    }

    /// The seconds by which the store is behind the clock.
    async fn behind(&self) -> Option<i64> {
        let told = self.sandbox.connect.last_maintenance().await.unwrap();
        told.map(|at| self.sandbox.clock.now().seconds() - at.seconds())
    }
}

/// Regression: a start without the shop's till printed the simulated till's key.
/// The next sale then replaced this key.
#[tokio::test]
async fn the_shop_does_not_write_with_the_screens_of_the_sandbox() {
    let demo = Demo::start().await;
    let (connect, account) = (&demo.sandbox.connect, demo.account);
    let shop = connect.account(account).await.unwrap();
    let place = SandboxLocation {
        account,
        location: shop.locations[0].id,
    };
    demo.sandbox
        .simulate(place, Simulation::Sale)
        .await
        .unwrap();
    for screen in &shop.screens {
        connect.delete_screen(account, screen.id).await.unwrap();
    }
    let again = demo::open(connect).await.unwrap();
    let names: Vec<_> = again
        .screens
        .iter()
        .map(|(screen, _)| &*screen.name)
        .collect();
    assert_eq!(names, ["Till 1", "Kiosk at the door"].repeat(2));
    let till = again.screens[0].1.expose().to_owned();
    demo.sandbox
        .simulate(place, Simulation::Sale)
        .await
        .unwrap();
    let here = std::net::Ipv4Addr::LOCALHOST.into();
    assert!(connect.authenticate_screen(here, Some(&till)).await.is_ok());
}

/// Regression: the store had the new time, and the clock the former one.
/// The next start was refused.
#[tokio::test]
async fn an_advance_goes_on_when_nobody_waits_for_it() {
    let demo = Demo::start().await;
    for advances in 1..=3 {
        let advance = demo.sandbox.advance(demo.account, Some(HOUR));
        assert!(advance.now_or_never().is_none());
        let began = Instant::now();
        loop {
            let (kept, shown) = (demo.kept().await, demo.sandbox.clock.ahead());
            let is_told = demo.behind().await.is_some_and(|behind| behind < 60);
            if is_told && (kept, shown) == (advances * HOUR, advances * HOUR) {
                break;
            }
            let waited = began.elapsed();
            assert!(waited < Duration::from_secs(30), "{kept} and {shown}");
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn an_advance_that_cannot_be_written_down_is_a_fault_of_ours() {
    let demo = Demo::start().await;
    demo.disk.room.store(0, Ordering::Relaxed);
    let failed = demo.sandbox.advance(demo.account, Some(HOUR)).await;
    let error = failed.unwrap_err();
    assert_eq!(error.status(), 503);
    let cause = error.cause();
    assert!(
        cause.contains("clock of the sandbox could not be written down"),
        "{cause}"
    );
    assert_eq!((demo.kept().await, demo.sandbox.clock.ahead()), (0, 0));
}

/// Regression: the answer denied any change, but the clock was ahead.
#[tokio::test]
async fn an_advance_that_the_store_is_not_told_of_is_done() {
    let demo = Demo::start().await;
    demo.disk.room.store(1, Ordering::Relaxed);
    let advanced = demo.sandbox.advance(demo.account, Some(HOUR)).await;
    assert_eq!(advanced.unwrap().ahead_by_seconds, HOUR);
    assert_eq!(demo.kept().await, HOUR);
    assert!(demo.behind().await.is_none_or(|behind| behind >= 3600));
    demo.disk.room.store(usize::MAX, Ordering::Relaxed);
    demo.sandbox.connect.maintain().await.unwrap();
    assert!(demo.behind().await.is_some_and(|behind| behind < 60));
}

#[tokio::test]
async fn what_is_simulated_is_found_among_many() {
    let demo = Demo::start().await;
    let (connect, account) = (&demo.sandbox.connect, demo.account);
    let shop = connect.account(account).await.unwrap();
    for name in ["Simulated kiosk", " Simulated register "] {
        assert!(check_name(&shop, name).is_err() && check_name(&shop, "Till 2").is_ok());
    }
    let location = shop.locations[1].id;
    let place = SandboxLocation { account, location };
    let at = connect
        .authorize_owner(account, location, account)
        .await
        .unwrap();
    let products = connect.location(&at).products();
    // Nothing but the last one is for sale, and it is on another page than the first ones.
    let menu = products.list(&ProductQuery::default()).await.unwrap().data;
    for id in menu.iter().map(|product| product.id) {
        products.delete(id).await.unwrap();
    }
    let mut others: Vec<_> = (0..60)
        .map(|n| ProductInput::named(format!("Bag {n}")))
        .collect();
    others[1].price_cents = Field::Value(10);
    others[1].is_active = Field::Value(false);
    products.batch(ProductBatch::new(others)).await.unwrap();
    let mut bread = ProductInput::named("Bread");
    bread.price_cents = Field::Value(1);
    products.create(bread).await.unwrap();
    let sale = demo.sandbox.sale(place).await.unwrap();
    assert!(sale.lines.iter().all(|line| line.name == "Bread"));
    // A sale is taken back though others came after it, and have been taken back.
    for _ in 0..30 {
        demo.sandbox.sale(place).await.unwrap();
        demo.sandbox.refund(place).await.unwrap();
    }
    assert_eq!(
        demo.sandbox.refund(place).await.unwrap().refund_of,
        Some(sale.id)
    );
}

#[tokio::test]
async fn the_demo_opens_its_own_account_with_its_whole_menu() {
    let demo = Demo::start().await;
    let connect = &demo.sandbox.connect;
    let id = demo.account;
    let location = connect.account(id).await.unwrap().locations[0].id;
    let at = connect.authorize_owner(id, location, id).await.unwrap();
    let products = connect.location(&at).products();
    let coffee = ProductQuery::default().external_id("CO-02");
    let coffee = products.list(&coffee).await.unwrap().data.remove(0);
    let category = connect
        .location(&at)
        .categories()
        .get(coffee.category_id.unwrap())
        .await;
    assert_eq!(category.unwrap().name, "Coffee and tea");
    assert_eq!(coffee.vat_rate, VatRate::percent(9));
    // An account of the same name that is live, and another sandbox, stay as they are.
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    for (name, sandbox) in [("De Korenbloem", false), ("Rye", true)] {
        let new = NewAccount {
            name: name.into(),
            owner_email: "noor@rye.example".into(),
            sandbox,
        };
        connect.create_account(new).await.unwrap();
    }
    demo::open(&connect).await.unwrap();
    assert_eq!(connect.account_ids().await.unwrap().len(), 3);
}
