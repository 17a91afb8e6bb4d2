//! Each typed call once, with its result.

use connect_client::{
    Client, Uuid,
    wire::{
        AdjustmentType, Batch, BatchStatus, CategoryInput, Date, Entry, ErrorCode, Field, MatchBy,
        MovementType, OptionGroupInput, OptionGroupLinks, OptionGroupRef, OptionInput, OrderSource,
        OrderStatus, ProductBatch, ProductInput, Quantity, Scope, StockAdjustment, StockCount,
        StockCountItem, StockCounts, Totals, VatRate,
        query::{
            CategoryQuery, OptionGroupQuery, OrderQuery, ProductQuery, StockLevelQuery,
            StockMovementQuery, TransactionQuery, ZReportQuery,
        },
    },
};
use serde_json::json;

use super::{coded, open};
use crate::devices::sale;

fn quantity(text: &str) -> Quantity {
    text.parse().unwrap()
}

#[tokio::test]
async fn locations_are_read_and_a_wrong_address_is_told_from_a_missing_record() {
    let (shop, _watch, client) = open().await;
    let locations = client.locations().await.unwrap();
    assert_eq!(
        (locations.len(), &*locations[0].name, locations[0].id),
        (2, "Harbour", shop.here)
    );
    assert!(locations[0].scopes.contains(&Scope::CatalogWrite));
    assert!(client.rate_limit().is_some());
    let missing = client
        .location(shop.here)
        .categories()
        .get(Uuid::nil())
        .await
        .unwrap_err();
    let lost = |error: &connect_client::Error| {
        error
            .api()
            .unwrap()
            .message
            .starts_with("there is nothing at")
    };
    assert!(missing.is_not_found() && !lost(&missing), "{missing}");
    for path in ["", "/v2", "/v1/v1"] {
        let base_url = format!("http://{}{path}", shop.address);
        let client = Client::builder(base_url, &shop.token).build().unwrap();
        let wrong = client.locations().await.unwrap_err();
        assert!(wrong.is_not_found() && lost(&wrong), "{wrong}");
    }
}

#[tokio::test]
async fn records_are_made_read_changed_listed_and_deleted() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (categories, products, groups) = (here.categories(), here.products(), here.option_groups());
    let bread = categories
        .create(&CategoryInput::named("Bread"))
        .await
        .unwrap();
    assert_eq!(categories.get(bread.id).await.unwrap(), bread);
    let moved = CategoryInput::default().position(7);
    let moved = categories.update(bread.id, &moved).await.unwrap();
    assert_eq!((moved.position, &moved.name), (7, &bread.name));
    assert_eq!(
        categories
            .stream(&CategoryQuery::default())
            .all()
            .await
            .unwrap(),
        [moved]
    );

    let options = vec![
        OptionInput::named("Ketchup").price_cents(50),
        OptionInput::named("Curry"),
    ];
    let sauces = OptionGroupInput::named("Sauces", options)
        .external_id("S")
        .max_select(2);
    let sauces = groups.create(&sauces).await.unwrap();
    let gone = OptionInput::default().is_available(false);
    let changed = groups
        .update_option(sauces.id, sauces.options[0].id, &gone)
        .await
        .unwrap();
    assert!(!changed.options[0].is_available && changed.options[1].is_available);
    let renamed = OptionGroupInput::default().name("Dips");
    assert_eq!(
        groups.update(sauces.id, &renamed).await.unwrap().options,
        changed.options
    );
    let query = OptionGroupQuery {
        external_id: Some("S".into()),
        ..OptionGroupQuery::default()
    };
    assert_eq!(
        groups.list(&query).await.unwrap().data,
        [groups.get(sauces.id).await.unwrap()]
    );
    let more = OptionGroupInput::named("Sizes", vec![OptionInput::named("Large")]).external_id("L");
    assert_eq!(
        groups.batch(&Batch::new(vec![more])).await.unwrap().created,
        1
    );

    let day = |text: &str| text.parse::<Date>().unwrap();
    let rye = coded("RYE 1", "Rye 🥖")
        .description("Two\nlines")
        .price_cents(425)
        .vat_rate(VatRate::from_hundredths(1234).unwrap())
        .category_id(bread.id)
        .available_from(day("2026-01-01"))
        .available_until(day("2026-12-31"))
        .option_group_ids(vec![sauces.id]);
    let rye = products.create(&rye).await.unwrap();
    assert_eq!(rye.external_id.as_deref(), Some("RYE 1"));
    assert_eq!(
        (rye.vat_rate.hundredths(), rye.category_id),
        (1234, Some(bread.id))
    );
    assert_eq!(
        (rye.available_until, &rye.option_group_ids[..]),
        (Some(day("2026-12-31")), &[sauces.id][..])
    );
    let change = ProductInput::default()
        .description(Field::Null)
        .price_cents(450);
    let changed = products.update(rye.id, &change).await.unwrap();
    let mut expected = rye.clone();
    (expected.description, expected.price_cents) = (None, 450);
    expected.updated_at = changed.updated_at;
    assert_eq!(changed, expected);
    let links = OptionGroupLinks::default()
        .product_external_ids(vec!["RYE 1".to_owned()])
        .add(vec![OptionGroupRef::by_external_id("L")])
        .remove(vec![OptionGroupRef::by_id(sauces.id)]);
    assert_eq!(
        products.link_option_groups(&links).await.unwrap().affected,
        1
    );

    groups.delete(sauces.id).await.unwrap();
    products.delete(rye.id).await.unwrap();
    categories.delete(bread.id).await.unwrap();
    let gone = products.delete(rye.id).await.unwrap_err();
    assert_eq!(
        (gone.status(), gone.code()),
        (Some(404), Some(&ErrorCode::NotFound))
    );
    let deleted = products
        .list_with_deleted(&ProductQuery::default())
        .await
        .unwrap();
    assert!(matches!(deleted.data[..], [Entry::Deleted(it)] if it.id == rye.id.uuid()));
}

#[tokio::test]
async fn a_batch_of_any_length_is_sent_in_pieces_and_tells_what_became_of_each_item() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items = vec![coded("A", "Rye"), coded("B", " "), coded("A", "Dark rye")];
    let dry = ProductBatch {
        dry_run: true,
        ..ProductBatch::new(items.clone())
    };
    for batch in [dry, ProductBatch::new(items)] {
        let done = products.batch(&batch).await.unwrap();
        assert_eq!((done.created, done.updated, done.failed), (1, 1, 1));
        let error = done.results[1].error.as_ref().unwrap();
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert!(error.message.starts_with("name: "), "{}", error.message);
        assert_eq!(done.results[2].id, done.results[0].id);
    }
    let items: Vec<_> = (0..1234).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    watch.passed();
    let first = products.upsert_all(&items).run().await.unwrap();
    assert_eq!(
        (
            first.created,
            first.results[1233].index,
            watch.passed().len()
        ),
        (1234, 1233, 3)
    );
    assert_eq!(
        products.upsert_all(&items).run().await.unwrap().unchanged,
        1234
    );
    // Long texts: now it is the 2 MB that cut.
    let long = |n: usize| coded(&format!("L-{n}"), "Long").description("é".repeat(2000));
    watch.passed();
    assert_eq!(
        products
            .upsert_all((0..600).map(long))
            .run()
            .await
            .unwrap()
            .created,
        600
    );
    assert!(watch.passed().len() >= 2);

    let rye = coded("RYE", "Rye").barcode("871");
    let rye = products.create(&rye).await.unwrap();
    let dearer = ProductInput::default().barcode("871").price_cents(5);
    let done = products
        .upsert_all([dearer])
        .match_by(MatchBy::Barcode)
        .run()
        .await
        .unwrap();
    assert_eq!(
        (&done.results[0].status, done.results[0].id),
        (&BatchStatus::Updated, Some(rye.id.uuid()))
    );
    let renamed = ProductInput {
        id: Field::Value(rye.id),
        ..ProductInput::named("Dark rye")
    };
    assert_eq!(
        products
            .upsert_all([renamed])
            .match_by(MatchBy::Id)
            .run()
            .await
            .unwrap()
            .updated,
        1
    );
    let unknown = [coded("new", "New")];
    let none = products
        .upsert_all(&unknown)
        .create_missing(false)
        .run()
        .await
        .unwrap();
    assert_eq!(
        none.results[0].error.as_ref().unwrap().code,
        ErrorCode::NotFound
    );
}

#[tokio::test]
async fn stock_is_counted_adjusted_and_listed() {
    let (shop, watch, client) = open().await;
    let stock = client.location(shop.here).stock();
    let rye = client
        .location(shop.here)
        .products()
        .create(&coded("RYE", "Rye"))
        .await
        .unwrap();
    // An answer that is lost is asked for again, and nothing is booked twice.
    watch.lose_answers(1);
    let noted = StockCount::of(quantity("24.125")).note("Shelf by the door");
    let level = stock.count(rye.id, &noted).await.unwrap();
    watch.lose_answers(1);
    let delivery = StockAdjustment::default()
        .external_id("RYE")
        .quantity_change(quantity("0.5"))
        .kind(AdjustmentType::Delivery);
    let delivered = stock.adjust(&delivery).await.unwrap();
    assert_eq!(
        (level.quantity, delivered.quantity_after),
        (quantity("24.125"), quantity("24.625"))
    );
    let all = stock
        .movements()
        .stream(&StockMovementQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!((all.len(), &all[1]), (2, &delivered));
    assert_eq!(
        (&all[0].kind, all[0].note.as_deref()),
        (&MovementType::Count, Some("Shelf by the door"))
    );
    let counts = StockCounts {
        items: vec![
            StockCountItem::default()
                .external_id("RYE")
                .quantity(quantity("7")),
        ],
        ..StockCounts::default()
    };
    assert_eq!(stock.count_many(&counts).await.unwrap().updated, 1);
    let level = stock.get(rye.id).await.unwrap();
    assert_eq!(
        (level.quantity, level.external_id.as_deref()),
        (quantity("7"), Some("RYE"))
    );
    assert_eq!(
        stock.list(&StockLevelQuery::default()).await.unwrap().data,
        [level]
    );
}

#[tokio::test]
async fn orders_and_the_journal_are_read() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let soup = json!({ "fulfilment": "dine_in", "lines": sale("Soup", 450)["lines"] });
    let order = kiosk.make("orders", &soup).await;
    let orders = here
        .orders()
        .stream(&OrderQuery::default().status(OrderStatus::New))
        .all()
        .await
        .unwrap();
    assert_eq!(
        (orders.len(), &orders[0].source, orders[0].total_cents),
        (1, &OrderSource::Kiosk, 450)
    );
    assert_eq!(order["id"], orders[0].id.to_string());
    assert_eq!(here.orders().get(orders[0].id).await.unwrap(), orders[0]);

    let day: Date = "2026-11-19".parse().unwrap();
    for at in [
        "2026-11-19T09:00:00Z",
        "2026-11-19T22:59:59Z",
        "2026-11-20T09:00:00Z",
    ] {
        let mut row = sale("Tea", 250);
        row["createdAt"] = at.into();
        till.make("transactions", &row).await;
    }
    let closed = till.make("z-reports", &json!({ "countedCents": 0 })).await;
    let journal = here.transactions();
    let rows = journal
        .stream(&TransactionQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(journal.get(rows[1].id).await.unwrap(), rows[1]);
    let reports = here
        .z_reports()
        .list(&ZReportQuery::default())
        .await
        .unwrap()
        .data;
    assert_eq!(
        (reports[0].number, reports[0].last_receipt_number),
        (1, Some(3))
    );
    assert_eq!(closed["id"], reports[0].id.to_string());
    assert_eq!(
        here.z_reports().get(reports[0].id).await.unwrap(),
        reports[0]
    );
    // The sums of days are those of their rows.
    let summary = here.daily_summary(Some(day)).await.unwrap();
    let of_day = journal.of_day(day).all().await.unwrap();
    assert_eq!(of_day, rows[..2]);
    let mut totals = Totals::default();
    totals.extend(&of_day);
    assert_eq!((summary.date, &summary.totals), (day, &totals));
    let mut both = summary.totals;
    both.merge(&here.daily_summary(None).await.unwrap().totals);
    totals.extend(&rows[2..]);
    assert_eq!(both, totals);
}
