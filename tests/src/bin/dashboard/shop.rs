//! The large shop, and the server on it.

use std::{
    fs::File,
    net::IpAddr,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use connect_core::{
    Access, Connect,
    storage::redb::{RedbOptions, RedbStorage},
    wire::{Batch, ProductInput, Quantity, StockCountItem, StockCounts},
};
use connect_server::demo;
use connect_tests::{
    http::{Request, send},
    process::Process,
};
use http::Method;
use tempfile::TempDir;

use crate::year;

/// The products of a batch.
const BATCH: usize = 500;

/// The first product with a stock, behind the sold ones.
const FIRST_IN_STOCK: usize = 500;

/// The products with a stock.
const IN_STOCK: usize = 1000;

/// The requests of a program: as many as are kept.
const REQUESTS: usize = 500;

fn store(directory: &TempDir) -> String {
    directory.path().join("store").display().to_string()
}

/// Fills the demo's shop with products and receipts, and returns an owner's session.
pub(crate) async fn fill(directory: &TempDir, products: usize, receipts: usize) -> String {
    let storage = RedbStorage::open(store(directory), RedbOptions::default());
    let connect = Connect::builder(Arc::new(storage.expect("an empty store"))).build();
    let shop = demo::open(&connect).await.expect("the demo's shop");
    let (account, location) = (shop.account.id, shop.account.locations[0].id);
    let at = connect.authorize_owner(account, location, account).await;
    let at = at.expect("the owner");
    stock_shelves(&connect, &at, products).await;
    // The first screen is the till at the first location.
    let (key, here) = (shop.screens[0].1.expose(), IpAddr::from([127, 0, 0, 1]));
    let till = connect.authenticate_screen(here, Some(key)).await;
    let Ok(till) = till else {
        panic!("the demo has no till")
    };
    let start = Instant::now();
    year::sell(&connect, &till, receipts).await;
    println!(
        "receipts: {receipts} in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    let invitation = shop.invitation.expect("the demo invites its owner");
    let session = connect.accept_invitation(invitation.secret.expose(), "rye and spelt");
    session.await.expect("a session").secret.expose().to_owned()
}

/// Makes products, and counts some of them.
async fn stock_shelves(connect: &Connect, at: &Access, products: usize) {
    let here = connect.location(at);
    let numbers: Vec<_> = (0..products).collect();
    for part in numbers.chunks(BATCH) {
        let product = |number: &usize| {
            ProductInput::named(format!("Product {number}"))
                .external_id(format!("P{number}"))
                .price_cents(250)
        };
        let batch = Batch::new(part.iter().map(product).collect());
        let done = here.products().batch(batch).await;
        assert_eq!(done.expect("a batch").failed, 0);
    }
    let in_stock = numbers.iter().skip(FIRST_IN_STOCK).take(IN_STOCK);
    let count = |number: &usize| {
        let quantity: Quantity = "12".parse().expect("a quantity");
        StockCountItem::default()
            .external_id(format!("P{number}"))
            .quantity(quantity)
    };
    let counts = StockCounts {
        items: in_stock.map(count).collect(),
        ..StockCounts::default()
    };
    if !counts.items.is_empty() {
        let done = here.stock().count_many(counts).await;
        assert_eq!(done.expect("counts").failed, 0);
    }
}

/// Starts the server on the filled store.
pub(crate) async fn serve(program: &Path, directory: &TempDir) -> Process {
    let storage = format!("redb:{}", store(directory));
    let nowhere = File::create("/dev/null").expect("a place for the log");
    let program = program.display().to_string();
    // More than an owner is allowed in a minute.
    let variables = [
        ("CONNECT_STORAGE", &*storage),
        ("CONNECT_TOKEN_LIMIT", "1000000"),
        ("CONNECT_ACCOUNT_LIMIT", "1000000"),
        ("CONNECT_IP_LIMIT", "1000000"),
    ];
    let started = Process::start_in(&program, &["demo", "--json"], &variables, nowhere).await;
    started.unwrap_or_else(|ended| panic!("{program} does not start: {ended:?}"))
}

/// Simulates days of trade, the last one today.
pub(crate) async fn trade(server: &Process, days: usize) {
    let location = location(server);
    for day in (0..days).rev() {
        let path = format!("/sandbox/v1/locations/{location}/days?daysAgo={day}");
        let request = Request::new(Method::POST, &path).bearer(&server.token());
        let answer = send(server.owner_address, request).await;
        let status = answer.expect("an answer").status;
        assert!(status.is_success(), "{path}: {status}");
    }
}

/// Sends requests of a program, and waits until they are listed.
pub(crate) async fn ask(server: &Process) {
    for _ in 0..REQUESTS {
        let request = Request::get(server.at("products?limit=1")).bearer(&server.token());
        let answer = send(server.address, request).await;
        assert!(answer.expect("an answer").status.is_success());
    }
    // The server stores them every 5 seconds.
    tokio::time::sleep(Duration::from_secs(6)).await;
}

/// The first location.
pub(crate) fn location(server: &Process) -> String {
    let id = server.welcome["locations"][0]["id"].as_str();
    id.expect("a location").to_owned()
}
