//! A shop of any size to measure with.

#![allow(dead_code, reason = "not every benchmark needs all of it")]

use std::{net::IpAddr, path::Path, sync::Arc};

use connect_core::{
    Access, Account, Connect, NewAccount, NewLocation, NewScreen, RateLimits, Request, ScreenType,
    StorageLimits,
    storage::{
        Storage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    wire::{Id, Product, VatRate},
};
use tokio::{runtime::Runtime, task::JoinHandle};

/// How many products a batch has.
pub const BATCH: usize = 500;

/// A core with one account and its locations.
pub struct Shop {
    pub connect: Connect,
    pub account: Id<Account>,
    pub locations: Vec<Access>,
}

/// Opens the store of an engine, `sled` or `redb`.
pub fn storage(engine: &str, path: &Path) -> Arc<dyn Storage> {
    match engine {
        "sled" => Arc::new(SledStorage::open(path, SledOptions::default()).unwrap()),
        _ => Arc::new(RedbStorage::open(path, RedbOptions::default()).unwrap()),
    }
}

/// The core on `storage`, with limits that are counted and never reached.
pub fn connect(storage: Arc<dyn Storage>) -> Connect {
    let limits = RateLimits {
        token: u32::MAX,
        account: u32::MAX,
        address: u32::MAX,
        anonymous: u32::MAX,
    };
    // Without them a shop of a million products would end at the usual limit.
    let room = StorageLimits {
        products: u64::MAX,
        account_bytes: u64::MAX,
        ..StorageLimits::default()
    };
    let connect = Connect::builder(storage).limits(limits);
    connect.storage_limits(room).build()
}

/// Sets up a shop on `storage`.
pub async fn open(storage: Arc<dyn Storage>, locations: usize) -> Shop {
    let connect = connect(storage);
    let account = NewAccount {
        name: "Bench".into(),
        owner_email: "bench@example.com".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let mut ids = Vec::new();
    for index in 0..locations {
        let location = NewLocation {
            name: format!("Location {index}"),
            currency: "EUR".into(),
            default_vat_rate: VatRate::percent(21),
        };
        let location = connect.create_location(account, location).await.unwrap();
        let screen = NewScreen {
            location_id: location.id,
            kind: ScreenType::Pos,
            name: "Till".into(),
        };
        connect.create_screen(account, screen).await.unwrap();
        ids.push(location.id);
    }
    // Entered last: an access shows the account as it was.
    let mut all = Vec::new();
    for id in ids {
        all.push(connect.authorize_owner(account, id, account).await.unwrap());
    }
    Shop {
        connect,
        account,
        locations: all,
    }
}

/// Puts a new register into the first location, and returns its access.
pub async fn register(shop: &Shop, name: &str) -> Access {
    let screen = NewScreen {
        location_id: shop.locations[0].location().id,
        kind: ScreenType::Pos,
        name: name.into(),
    };
    let screen = shop.connect.create_screen(shop.account, screen).await;
    let key = shop
        .connect
        .roll_screen_key(shop.account, screen.unwrap().id);
    let (key, here) = (key.await.unwrap(), IpAddr::from([127, 0, 0, 1]));
    let at = shop.connect.authenticate_screen(here, Some(key.expose()));
    at.await.unwrap()
}

/// The JSON of a product to write; stored it has about 475 bytes.
pub fn product(number: usize, price: usize) -> String {
    format!(
        r#"{{"externalId":"ART-{number:08}","name":"Product number {number}","description":"Baked fresh","priceCents":{},"vatRate":9,"barcode":"29{number:011}","categoryName":"Category {}","isActive":true}}"#,
        price % 100_000,
        number % 50,
    )
}

/// The body of a batch of the products `numbers`.
pub fn batch(numbers: impl Iterator<Item = usize>, price: usize) -> Vec<u8> {
    let items: Vec<String> = numbers.map(|number| product(number, price)).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

/// The products of batch number `batch` of a shop with `products` products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Products that were made one after another.
    Consecutive,
    /// Products from all over the shop.
    Scattered,
}

impl Pattern {
    pub fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::Scattered => "scattered",
        }
    }

    pub fn numbers(self, batch: usize, products: usize) -> impl Iterator<Item = usize> {
        (0..BATCH).map(move |item| match self {
            Self::Consecutive => (batch * BATCH + item) % products,
            Self::Scattered => (batch * 7919 + item * 1999) % products,
        })
    }
}

/// Fills a location with `count` products, in batches.
pub async fn fill(connect: &Connect, at: &Access, count: usize) {
    for start in (0..count).step_by(BATCH) {
        let body = batch(start..(start + BATCH).min(count), 100);
        let body = write(connect, at, body, r#"{"data":{"created":"#).await;
        assert!(
            body.windows(10).any(|part| part == br#""failed":0"#),
            "a product is refused"
        );
    }
}

/// Writes a batch, makes sure that its answer starts as it should, and returns it.
pub async fn write(connect: &Connect, at: &Access, body: Vec<u8>, answer: &str) -> Vec<u8> {
    let answered = connect
        .location(at)
        .json::<Product>()
        .batch(Request::json(body))
        .await;
    let body = answered.unwrap().body;
    check(&body, answer);
    body
}

/// Makes sure that a body starts as it should.
pub fn check(body: &[u8], start: &str) {
    assert!(
        body.starts_with(start.as_bytes()),
        "{}",
        String::from_utf8_lossy(&body[..body.len().min(300)])
    );
}

/// Waits for all tasks.
pub fn finish(runtime: &Runtime, tasks: Vec<JoinHandle<()>>) {
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
}
