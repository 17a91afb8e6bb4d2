//! The Rust code of the guides, run against a real service.

use std::{collections::HashMap, fs, path::Path};

use connect_client::{
    Client, RetryPolicy, Uuid,
    wire::{
        AdjustmentType, AnyEvent, Changed, Date, Deleted, Entry, ErrorCode, EventType, Id,
        Location, MovementType, Product, ProductInput, Quantity, StockAdjustment, StockCount,
        StockCountItem, StockCounts, Timestamp, Totals, Transaction, TransactionType,
        query::{ProductQuery, StockMovementQuery, ZReportQuery},
    },
};
use connect_server::testing::TestShop;

use crate::service::Service;

type Error = Box<dyn std::error::Error>;

/// `docs/accounting.md`, at a location without a sale on this day.
async fn accounting(client: &Client, location_id: Id<Location>) -> Result<(), Error> {
    let book = |row: &Transaction| match row.kind {
        TransactionType::Sale => Ok(()),
        _ => Err("the demo has sales only"),
    };
    let location = client.location(location_id);

    let mut rows = location.transactions().after(4711);
    while let Some(row) = rows.next().await {
        let row = row?;
        book(&row)?; // with row.receipt_number, in one transaction of yours
    }

    let mut rows = location.transactions().of_day("2026-11-20".parse()?);
    assert!(rows.next().await.is_none());

    let summary = location.daily_summary(Some("2026-11-20".parse()?)).await?;
    let day: Date = summary.date;
    assert_eq!(day.to_string(), "2026-11-20");

    let mut rows = location.transactions().of_day(day).all().await?;
    rows.retain(|row| Some(row.receipt_number) <= summary.last_receipt_number);
    let mut totals = Totals::default();
    totals.extend(&rows);
    assert_eq!(totals, summary.totals);

    let reports = location
        .z_reports()
        .stream(&ZReportQuery::default())
        .all()
        .await?;
    assert!(reports.is_empty());
    Ok(())
}

/// `docs/stock.md`, at a location without tracked products.
async fn stock(client: &Client, location_id: Id<Location>, product: &Product) -> Result<(), Error> {
    let product_id = product.id;
    let mut copy = HashMap::<Id<Product>, Quantity>::new();
    let mut since: Option<Timestamp> = None;
    let stock = client.location(location_id).stock();

    let level = stock
        .count(product_id, &StockCount::of("24".parse()?))
        .await?;
    assert_eq!(level.quantity.to_string(), "24");

    let item = |code: &str, quantity: Quantity| {
        StockCountItem::default()
            .external_id(code)
            .quantity(quantity)
    };
    let items = vec![
        item("RYE-800", "24".parse()?),
        item("BUN-1", "7.25".parse()?),
    ];
    let counts = StockCounts {
        items,
        ..StockCounts::default()
    };
    let done = stock.count_many(&counts).await?;
    for result in done.results.iter().filter(|result| result.error.is_some()) {
        eprintln!("item {}: {:?}", result.index, result.error);
    }
    assert_eq!((done.unchanged, done.failed), (1, 1));

    let done = stock
        .count_all(&counts.items)
        .note("Stocktaking")
        .idempotency_key_prefix("stocktaking-2026-11-20")
        .run_with(|step| println!("{} counted", step.items.end))
        .await?;
    assert_eq!((done.unchanged, done.failed), (1, 1));

    let quantity: Quantity = "12.5".parse()?;
    let delivery = StockAdjustment::default()
        .external_id("RYE-800")
        .quantity_change(quantity)
        .kind(AdjustmentType::Delivery);
    let movement = stock.adjust(&delivery).await?;
    assert_eq!(movement.quantity_after.to_string(), "36.5");

    let mut changes = stock.changes_since(since);
    while let Some(entry) = changes.next().await {
        match entry? {
            Entry::Live(level) => copy.insert(level.product_id, level.quantity),
            Entry::Deleted(tombstone) => copy.remove(&tombstone.id.into()),
        };
    }
    since = changes.since();
    assert!(since.is_some());
    assert_eq!(copy[&product_id], movement.quantity_after);

    let query = StockMovementQuery::default().product_id(product_id);
    let movements = stock.movements().stream(&query).all().await?;
    let kinds: Vec<_> = movements.iter().map(|it| it.kind.clone()).collect();
    assert_eq!(kinds, [MovementType::Count, MovementType::Delivery]);
    Ok(())
}

/// Handles an event as `docs/webhooks.md` does.
fn keep_prices(event: &AnyEvent, prices: &mut HashMap<Id<Product>, i64>) -> Result<(), Error> {
    if event.kind == EventType::ProductChanged {
        if let Ok(changed) = event.data_as::<Changed<Product>>() {
            prices.insert(changed.record.id, changed.record.price_cents);
        } else {
            // A deletion has no more than the id.
            let gone: Deleted = event.data_as()?;
            prices.remove(&gone.id.into());
        }
    }
    Ok(())
}

/// `docs/webhooks.md`: a copy of the prices, up to date at `last`.
async fn webhooks(
    client: &Client,
    location_id: Id<Location>,
    mut last: Option<Id<AnyEvent>>,
    prices: &mut HashMap<Id<Product>, i64>,
) -> Result<Option<Id<AnyEvent>>, Error> {
    let mut handle = |event: &AnyEvent| keep_prices(event, prices);

    let mut events = client.location(location_id).events().events_after(last);
    while let Some(event) = events.next().await {
        let event = event?;
        handle(&event)?; // as one that a webhook brings, in one transaction with the line below
        last = Some(event.id);
    }

    fn is_too_old(error: &connect_client::Error) -> bool {
        error.code() == Some(&ErrorCode::ValidationFailed) && error.field() == Some("after")
    }

    let nowhere = Some(Uuid::max().into());
    let mut events = client.location(location_id).events().events_after(nowhere);
    let refused = events.next().await.ok_or("nothing was refused")?;
    assert!(is_too_old(&refused.unwrap_err()));
    Ok(last)
}

/// `docs/testing.md`.
#[tokio::test]
async fn testing() -> Result<(), Error> {
    let shop = TestShop::start().await;
    let client = Client::builder(shop.url(), shop.token()).build()?;

    shop.fail_next(503);
    shop.lose_next_answer();
    let products = client.location(shop.location()).products();
    let soup = ProductInput::named("Soup").price_cents(345);
    products.create(&soup).await?;

    // Refused, lost, and answered as the second one was: there is one soup.
    assert_eq!(shop.requests().len(), 3);
    let all = products.stream(&ProductQuery::default()).all().await?;
    assert_eq!(all.len(), 1);

    let once = Client::builder(shop.url(), shop.token()).retry(RetryPolicy::never());
    let products = once.build()?.location(shop.location()).products();
    shop.lose_next_answer();
    let bread = ProductInput::named("Bread");
    let error = products.create(&bread).await.unwrap_err();
    assert!(error.may_be_applied());
    Ok(())
}

#[tokio::test]
async fn they_run() {
    let service = Service::start().await;
    let (client, at) = (service.client(), service.locations[0]);
    let rye = ProductInput::named("Rye loaf").external_id("RYE-800");
    let rye = client.location(at).products().create(&rye).await.unwrap();
    accounting(&client, at).await.unwrap();
    stock(&client, at, &rye).await.unwrap();

    let mut prices = HashMap::new();
    let last = webhooks(&client, at, None, &mut prices).await.unwrap();
    let tea = ProductInput::named("Tea").price_cents(450);
    let products = client.location(at).products();
    let tea = products.create(&tea).await.unwrap();
    products.delete(rye.id).await.unwrap();
    assert_eq!(prices.remove(&tea.id), None);
    assert!(prices.contains_key(&rye.id));
    webhooks(&client, at, last, &mut prices).await.unwrap();
    assert_eq!(prices.get(&tea.id), Some(&450));
    assert!(!prices.contains_key(&rye.id));
}

/// Each Rust block of the guides appears above, exactly as shown.
#[test]
fn the_guides_show_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled = [
        "tests/guides.rs",
        "tests/guides_sdk.rs",
        "src/bin/quickstart.rs",
    ]
    .map(|file| fs::read_to_string(root.join(file)).unwrap())
    .concat();
    let mut shown = 0;
    for guide in fs::read_dir(root.join("../docs")).unwrap() {
        let guide = guide.unwrap().path();
        // The pages of `design` show no programs.
        if guide.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&guide).unwrap();
        for block in text.split("```rust\n").skip(1) {
            let (block, _) = block.split_once("```").unwrap();
            let lines = block.lines().map(|line| match line {
                "" => "\n".to_owned(),
                line => format!("    {line}\n"),
            });
            let indented: String = lines.collect();
            // A whole program is shown as it is.
            let is_compiled = compiled.contains(&indented) || compiled.contains(block);
            assert!(is_compiled, "{}:\n{block}", guide.display());
            shown += 1;
        }
    }
    // Otherwise none was found, as when the guides have moved.
    assert!(shown > 20, "{shown} blocks");
}
