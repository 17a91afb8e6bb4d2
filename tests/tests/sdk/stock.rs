//! Stock, through the SDK and against the document.

use connect_client::{
    Client,
    wire::{
        AdjustmentType, BatchStatus, Entry, ErrorCode, EventType, Field, Id, Location,
        MovementType, Product, ProductInput, Quantity, QuantityChange, StockAdjustment,
        StockBatchChanged, StockCount, StockCountItem, StockCounts, StockLevel, StockMovement,
        query::{EventQuery, Moment, Period, StockLevelQuery, StockMovementQuery},
    },
};
use connect_core::wire::Scope;
use connect_tests::shop::Shop;

use super::{coded, open};

fn quantity(thousandths: i64) -> Quantity {
    Quantity::from_thousandths(thousandths).unwrap()
}

/// An adjustment of this product by so many thousandths.
fn by(product: &Product, thousandths: i64) -> StockAdjustment {
    StockAdjustment {
        product_id: Field::Value(product.id),
        quantity_change: Field::Value(quantity(thousandths)),
        ..StockAdjustment::default()
    }
}

fn coded_item(code: &str, thousandths: i64) -> StockCountItem {
    StockCountItem {
        external_id: code.into(),
        quantity: Field::Value(quantity(thousandths)),
        ..StockCountItem::default()
    }
}

async fn make(client: &Client, at: Id<Location>, code: &str) -> Product {
    let products = client.location(at).products();
    products.create(&coded(code, code)).await.unwrap()
}

async fn movements(client: &Client, shop: &Shop) -> Vec<StockMovement> {
    let movements = client.location(shop.here).stock().movements();
    let all = movements.stream(&StockMovementQuery::default()).all().await;
    all.unwrap()
}

async fn is_sound(shop: &Shop) {
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn counts_deliveries_and_corrections_add_up() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (stock, products) = (here.stock(), here.products());
    let rye = make(&client, shop.here, "RYE").await;
    let untracked = stock.get(rye.id).await.unwrap_err();
    assert_eq!(untracked.code(), Some(&ErrorCode::NotFound));
    assert_eq!(rye.stock_quantity, None);
    let before = here.events().stream(&EventQuery::default()).all().await;
    let before = before.unwrap().len();

    // A first count of nothing is a movement too.
    shop.clock.advance(1);
    let level = stock.count(rye.id, &StockCount::of(quantity(0))).await;
    let first = level.unwrap();
    assert_eq!(first.external_id.as_deref(), Some("RYE"));
    assert_eq!(first.quantity, quantity(0));
    let noted = StockCount {
        expected_quantity: Field::Value(quantity(0)),
        note: Field::Value("Shelf by the door".to_owned()),
        ..StockCount::of(quantity(24_125))
    };
    let level = stock.count(rye.id, &noted).await.unwrap();
    assert_eq!(level.quantity, quantity(24_125));
    assert!(level.updated_at > first.updated_at);

    // What was counted as it is stays as it is.
    let same = stock.count(rye.id, &StockCount::of(quantity(24_125))).await;
    assert_eq!(same.unwrap(), level);
    // Somebody else was faster.
    let late = StockCount {
        expected_quantity: Field::Value(quantity(7)),
        ..StockCount::of(quantity(0))
    };
    let late = stock.count(rye.id, &late).await.unwrap_err();
    assert_eq!(late.code(), Some(&ErrorCode::Conflict));

    let delivery = StockAdjustment {
        product_id: Field::Absent,
        external_id: "RYE".into(),
        kind: Field::Value(AdjustmentType::Delivery),
        ..by(&rye, 500)
    };
    let delivered = stock.adjust(&delivery).await.unwrap();
    let broken = stock.adjust(&by(&rye, -30_000)).await.unwrap();
    assert_eq!(broken.quantity_after, quantity(-5_375));

    let all = movements(&client, &shop).await;
    let told: Vec<_> = all
        .iter()
        .map(|it| {
            let change = it.quantity_change.thousandths();
            (it.kind.clone(), change, it.quantity_after)
        })
        .collect();
    assert_eq!(
        told,
        [
            (MovementType::Count, 0, quantity(0)),
            (MovementType::Count, 24_125, quantity(24_125)),
            (MovementType::Delivery, 500, quantity(24_625)),
            (MovementType::Correction, -30_000, quantity(-5_375)),
        ]
    );
    assert_eq!(all[1].note.as_deref(), Some("Shelf by the door"));
    assert_eq!(all[2..], [delivered, broken]);
    assert!(all.iter().all(|it| it.source.starts_with("API: ")));
    assert!(all.iter().all(|it| it.transaction_id.is_none()));

    let level = stock.get(rye.id).await.unwrap();
    assert_eq!(level.quantity, quantity(-5_375));
    let product = products.get(rye.id).await.unwrap();
    assert_eq!(product.stock_quantity, Some(level.quantity));
    assert_eq!(product.updated_at, level.updated_at);
    let events = here.events().stream(&EventQuery::default()).all().await;
    let events = &events.unwrap()[before..];
    assert_eq!(events.len(), 4);
    assert!(events.iter().all(|it| it.kind == EventType::StockChanged));
    assert_eq!(events[3].data_as::<StockLevel>().unwrap(), level);
    is_sound(&shop).await;
}

#[tokio::test]
async fn the_least_stock_is_counted_to_the_most() {
    let (shop, _watch, client) = open().await;
    let rye = make(&client, shop.here, "RYE").await;
    let stock = client.location(shop.here).stock();
    let most = Quantity::MAX.thousandths();
    stock.adjust(&by(&rye, -most)).await.unwrap();
    let level = stock.count(rye.id, &StockCount::of(Quantity::MAX)).await;
    assert_eq!(level.unwrap().quantity, Quantity::MAX);
    let all = movements(&client, &shop).await;
    assert_eq!(all[1].quantity_change, QuantityChange::MAX);
    // A change that is fine by itself, and not with what is there.
    let full = stock.adjust(&by(&rye, 1)).await.unwrap_err();
    assert_eq!(full.code(), Some(&ErrorCode::Conflict));
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_call_whose_answer_is_lost_is_booked_once() {
    let (shop, watch, client) = open().await;
    let rye = make(&client, shop.here, "RYE").await;
    watch.lose_answers(1);
    let stock = client.location(shop.here).stock();
    let movement = stock.adjust(&by(&rye, 3000)).await.unwrap();
    assert_eq!(movements(&client, &shop).await, [movement]);
    watch.lose_answers(1);
    let level = stock.count(rye.id, &StockCount::of(quantity(1))).await;
    assert_eq!(level.unwrap().quantity, quantity(1));
    assert_eq!(movements(&client, &shop).await.len(), 2);
}

#[tokio::test]
async fn what_is_wrong_with_one_count_does_not_hold_up_the_others() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let stock = here.stock();
    let rye = make(&client, shop.here, "RYE").await;
    let bun = make(&client, shop.here, "BUN").await;
    let pie = make(&client, shop.here, "PIE").await;
    let theirs = make(&client, shop.there, "THEIRS").await;
    stock.adjust(&by(&pie, 2000)).await.unwrap();
    let before = here.events().stream(&EventQuery::default()).all().await;
    let before = before.unwrap().len();
    let item = |product: &Product, thousandths: i64| StockCountItem {
        product_id: Field::Value(product.id),
        quantity: Field::Value(quantity(thousandths)),
        ..StockCountItem::default()
    };
    let unknown = Id::new(uuid::Uuid::now_v7());
    let counts = StockCounts {
        items: vec![
            coded_item("RYE", 12_500),
            item(&pie, 2000),
            coded_item("THEIRS", 1),
            item(&theirs, 1),
            StockCountItem {
                product_id: Field::Value(unknown),
                ..item(&rye, 1)
            },
            StockCountItem {
                expected_quantity: Field::Value(quantity(1)),
                ..item(&bun, 5)
            },
            // A second time, on what the first left.
            StockCountItem {
                expected_quantity: Field::Value(quantity(12_500)),
                ..item(&rye, 13_000)
            },
            item(&bun, 0),
            item(&bun, -1),
        ],
        note: Some("Stocktaking".to_owned()),
        dry_run: true,
    };
    let dry = stock.count_many(&counts).await.unwrap();
    assert_eq!(movements(&client, &shop).await.len(), 1);
    let counts = StockCounts {
        dry_run: false,
        ..counts
    };
    let done = stock.count_many(&counts).await.unwrap();
    assert_eq!(done, dry);
    assert_eq!((done.updated, done.unchanged, done.failed), (3, 1, 5));
    let told: Vec<_> = done
        .results
        .iter()
        .map(|it| {
            let error = it.error.as_ref();
            (
                it.status.clone(),
                it.product_id,
                it.external_id.as_deref(),
                it.quantity.map(Quantity::thousandths),
                error.map(|error| {
                    (
                        error.code.clone(),
                        error.field.as_deref().unwrap_or_default(),
                    )
                }),
            )
        })
        .collect();
    let (updated, failed) = (BatchStatus::Updated, BatchStatus::Failed);
    let id = Some;
    assert_eq!(
        told,
        [
            (updated.clone(), id(rye.id), Some("RYE"), Some(12_500), None),
            (
                BatchStatus::Unchanged,
                id(pie.id),
                Some("PIE"),
                Some(2000),
                None
            ),
            (
                failed.clone(),
                None,
                Some("THEIRS"),
                None,
                Some((ErrorCode::NotFound, "externalId"))
            ),
            (
                failed.clone(),
                None,
                None,
                None,
                Some((ErrorCode::ForbiddenLocation, "productId"))
            ),
            (
                failed.clone(),
                None,
                None,
                None,
                Some((ErrorCode::NotFound, "productId"))
            ),
            (
                failed.clone(),
                id(bun.id),
                Some("BUN"),
                None,
                Some((ErrorCode::Conflict, "expectedQuantity"))
            ),
            (updated.clone(), id(rye.id), Some("RYE"), Some(13_000), None),
            (updated, id(bun.id), Some("BUN"), Some(0), None),
            (
                failed,
                None,
                None,
                None,
                Some((ErrorCode::ValidationFailed, "quantity"))
            ),
        ]
    );
    let events = here.events().stream(&EventQuery::default()).all().await;
    let [event] = &events.unwrap()[before..] else {
        panic!("one event for all of them");
    };
    assert_eq!(event.kind, EventType::StockBatchChanged);
    let changed: StockBatchChanged = event.data_as().unwrap();
    let items: Vec<_> = (changed.items.iter())
        .map(|item| (item.product_id, item.quantity))
        .collect();
    assert_eq!(changed.reason, "count");
    assert_eq!(items, [(rye.id, quantity(13_000)), (bun.id, quantity(0))]);
    let all = movements(&client, &shop).await;
    assert_eq!(all.len(), 4);
    assert!(
        all[1..]
            .iter()
            .all(|it| it.note.as_deref() == Some("Stocktaking"))
    );
    assert!(all[1..].iter().all(|it| it.created_at == event.created_at));
    // Counted again, nothing changes, and nobody is told.
    let again = StockCounts {
        items: vec![coded_item("RYE", 13_000), coded_item("BUN", 0)],
        ..StockCounts::default()
    };
    let again = stock.count_many(&again).await.unwrap();
    assert_eq!((again.updated, again.unchanged), (0, 2));
    assert_eq!(movements(&client, &shop).await, all);
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_thousand_products_are_counted_with_one_request() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let inputs: Vec<ProductInput> = (0..1000)
        .map(|number| coded(&format!("P-{number}"), "Bun"))
        .collect();
    here.products().upsert_all(&inputs).run().await.unwrap();
    let counts = StockCounts {
        items: (0..1000)
            .map(|number| coded_item(&format!("P-{number}"), number * 125))
            .collect(),
        ..StockCounts::default()
    };
    let done = here.stock().count_many(&counts).await.unwrap();
    assert_eq!((done.updated, done.failed), (1000, 0));
    let levels = here.stock().stream(&StockLevelQuery::default()).all().await;
    let levels = levels.unwrap();
    assert_eq!(levels.len(), 1000);
    let time = levels[0].updated_at;
    assert!(levels.iter().all(|level| level.updated_at == time));
    let sum: i64 = levels.iter().map(|it| it.quantity.thousandths()).sum();
    assert_eq!(sum, 125 * 999 * 500);
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_copy_of_the_levels_follows_its_products() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (stock, products) = (here.stock(), here.products());
    let rye = make(&client, shop.here, "RYE").await;
    let bun = make(&client, shop.here, "BUN").await;
    stock.adjust(&by(&rye, 1000)).await.unwrap();
    stock.adjust(&by(&bun, 2000)).await.unwrap();
    let mut changes = stock.changes_since(None);
    let mut copy = Vec::new();
    while let Some(entry) = changes.next().await {
        match entry.unwrap() {
            Entry::Live(level) => copy.push(level),
            Entry::Deleted(_) => panic!("nothing is deleted yet"),
        }
    }
    assert_eq!(copy.len(), 2);

    // Another price is no change of stock; another code is one of the level.
    let pricier = ProductInput {
        price_cents: Field::Value(9),
        ..ProductInput::default()
    };
    products.update(rye.id, &pricier).await.unwrap();
    let since = changes.since();
    let (none, since) = stock.changes_since(since).all().await.unwrap();
    assert_eq!(none, []);
    let renamed = ProductInput {
        external_id: "RYE-800".into(),
        ..ProductInput::default()
    };
    let product = products.update(rye.id, &renamed).await.unwrap();
    products.delete(bun.id).await.unwrap();
    let (entries, _) = stock.changes_since(since).all().await.unwrap();
    let [Entry::Live(level), Entry::Deleted(tombstone)] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert_eq!(level.external_id.as_deref(), Some("RYE-800"));
    assert_eq!(level.quantity, quantity(1000));
    assert_eq!(level.updated_at, product.updated_at);
    assert_eq!(tombstone.id, bun.id.uuid());

    // The movements stay, with the code of their time.
    let gone = stock.get(bun.id).await.unwrap_err();
    assert_eq!(gone.code(), Some(&ErrorCode::NotFound));
    let all = movements(&client, &shop).await;
    let codes: Vec<_> = all.iter().map(|it| it.external_id.as_deref()).collect();
    assert_eq!(codes, [Some("RYE"), Some("BUN")]);
    let live = stock.list(&StockLevelQuery::default()).await.unwrap();
    assert_eq!(live.data, std::slice::from_ref(level));
    is_sound(&shop).await;
}

#[tokio::test]
async fn movements_are_narrowed_down_by_product_type_and_time() {
    let (shop, _watch, client) = open().await;
    let stock = client.location(shop.here).stock();
    let rye = make(&client, shop.here, "RYE").await;
    let bun = make(&client, shop.here, "BUN").await;
    let mut made = Vec::new();
    for round in 0..6 {
        shop.clock.advance(3600);
        let (product, kind) = match round % 3 {
            0 => (&rye, AdjustmentType::Delivery),
            1 => (&bun, AdjustmentType::Delivery),
            _ => (&rye, AdjustmentType::Correction),
        };
        let adjustment = StockAdjustment {
            kind: Field::Value(kind),
            ..by(product, 1000)
        };
        made.push(stock.adjust(&adjustment).await.unwrap());
    }
    let list = async |query: StockMovementQuery| -> Vec<usize> {
        let mut query = query;
        query.paging.limit = Some(1);
        let all = stock.movements().stream(&query).all().await.unwrap();
        let place = |it: &StockMovement| made.iter().position(|known| known == it).unwrap();
        all.iter().map(place).collect()
    };
    let all = StockMovementQuery::default;
    let of_rye = || StockMovementQuery {
        product_id: Some(rye.id),
        ..all()
    };
    assert_eq!(list(all()).await, [0, 1, 2, 3, 4, 5]);
    assert_eq!(list(of_rye()).await, [0, 2, 3, 5]);
    let delivered = StockMovementQuery {
        kind: Some(MovementType::Delivery),
        ..of_rye()
    };
    assert_eq!(list(delivered).await, [0, 3]);
    let sold = StockMovementQuery {
        kind: Some(MovementType::Sale),
        ..all()
    };
    assert_eq!(list(sold).await, [] as [usize; 0]);
    let period = Period {
        from: Some(Moment::At(made[2].created_at)),
        to: Some(Moment::At(made[5].created_at)),
    };
    let between = StockMovementQuery { period, ..all() };
    assert_eq!(list(between).await, [2, 3, 4]);
    let between = StockMovementQuery { period, ..of_rye() };
    assert_eq!(list(between).await, [2, 3]);
    let foreign = StockMovementQuery {
        product_id: Some(make(&client, shop.there, "THEIRS").await.id),
        ..all()
    };
    assert_eq!(list(foreign).await, [] as [usize; 0]);
}

#[tokio::test]
async fn adjustments_at_once_end_exact() {
    let (shop, _watch, client) = open().await;
    let rye = make(&client, shop.here, "RYE").await;
    let mut tasks = Vec::new();
    for number in 1..=8 {
        let (stock, rye) = (client.location(shop.here).stock(), rye.clone());
        tasks.push(tokio::spawn(async move {
            for _ in 0..10 {
                stock.adjust(&by(&rye, number * 3 + 1)).await.unwrap();
                stock.adjust(&by(&rye, -1)).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let level = client
        .location(shop.here)
        .stock()
        .get(rye.id)
        .await
        .unwrap();
    assert_eq!(level.quantity, quantity(10 * 3 * 36));
    let all = movements(&client, &shop).await;
    assert_eq!(all.len(), 160);
    let mut after = 0;
    for movement in all {
        after += movement.quantity_change.thousandths();
        assert_eq!(movement.quantity_after.thousandths(), after);
    }
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_token_that_reads_stock_does_not_write_it() {
    let (shop, watch, _) = open().await;
    let token = shop.token_for(shop.here, &[Scope::StockRead]).await;
    let client = super::client(&watch, &token);
    let stock = client.location(shop.here).stock();
    assert_eq!(
        stock.list(&StockLevelQuery::default()).await.unwrap().data,
        []
    );
    let product = Id::new(uuid::Uuid::now_v7());
    let refused = stock.count(product, &StockCount::of(quantity(1))).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::ForbiddenScope));
}
