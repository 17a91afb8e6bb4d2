//! The look-ups of a write are announced, and read in one round trip with the rest: a few records show it
//! as well as the thousands of [`trips`](crate::trips).

use std::future::IntoFuture as _;

use connect_core::{
    Request, ScreenType,
    wire::{
        CategoryInput, Field, Id, ImageStatus, MatchBy, OptionGroupLinks, OptionGroupRef, Product,
        ProductBatch, ProductInput, Quantity, StockCountItem, StockCounts, TransactionInput,
        query::{ImageJobQuery, ProductQuery},
    },
};
use serde_json::json;
use uuid::Uuid;

use crate::{screens::soup, shop::Shop};

struct Scene {
    shop: Shop,
    products: Vec<Id<Product>>,
}

const NAMES: [&str; 3] = ["A", "B", "C"];

impl Scene {
    /// A shop with three products, each with a code, a barcode, an image and a level.
    async fn open() -> Self {
        let shop = Shop::open().await;
        let mut products = Vec::new();
        for name in NAMES {
            let input = ProductInput {
                barcode: Field::Value(name.into()),
                image_url: Field::Value(format!("https://images.example/{name}")),
                ..ProductInput::named(name).external_id(name)
            };
            let id = shop.products().create(input).await.unwrap().id;
            let count = serde_json::from_str(r#"{ "quantity": 9 }"#).unwrap();
            let stock = shop.connect.location(&shop.at).stock();
            stock.count(id, count).await.unwrap();
            products.push(id);
        }
        Self { shop, products }
    }
}

#[tokio::test]
async fn batches_announce_what_they_look_up() {
    let scene = Scene::open().await;
    let products = scene.shop.products();
    let code = |place: usize| Field::Value(NAMES[place].to_owned());
    let named = |by: &MatchBy, place: usize| match by {
        MatchBy::Id => ProductInput {
            id: Field::Value(scene.products[place]),
            ..ProductInput::default()
        },
        MatchBy::Barcode => ProductInput {
            barcode: code(place),
            ..ProductInput::default()
        },
        _ => ProductInput {
            external_id: NAMES[place].into(),
            ..ProductInput::default()
        },
    };
    let priced = |item, round: usize| ProductInput {
        price_cents: Field::Value(round as i64),
        ..item
    };
    let pictured = |item, round: usize| ProductInput {
        image_url: Field::Value(format!("https://images.example/{round}")),
        ..item
    };
    let coded = |item: ProductInput, round: usize| {
        let place = round.to_string();
        let own = item.barcode.value().or(item.external_id.value()).cloned();
        let own = own.unwrap_or_else(|| item.id.value().unwrap().to_string());
        item.external_id(format!("{own}-{place}"))
    };
    type Change<'c> = &'c dyn Fn(ProductInput, usize) -> ProductInput;
    let mut round = 0;
    for (by, change, expected) in [
        (MatchBy::ExternalId, &priced as Change<'_>, 2),
        (MatchBy::Barcode, &priced, 2),
        (MatchBy::Id, &priced, 2),
        // The jobs of the images, and the levels, are known by the products.
        (MatchBy::ExternalId, &pictured, 3),
        (MatchBy::Barcode, &pictured, 3),
        (MatchBy::Id, &pictured, 3),
        (MatchBy::Barcode, &coded, 3),
        (MatchBy::Id, &coded, 3),
    ] {
        round += 1;
        let items = (0..3)
            .map(|place| change(named(&by, place), round))
            .collect();
        let batch = ProductBatch {
            match_by: by.clone(),
            ..ProductBatch::new(items)
        };
        let (trips, done) = scene.shop.trips(products.batch(batch).into_future()).await;
        assert_eq!(
            (trips, done.unwrap().updated),
            (expected, 3),
            "{by:?} {round}"
        );
    }
}

#[tokio::test]
async fn single_writes_announce_what_they_look_up() {
    let scene = Scene::open().await;
    let Scene { shop, products, .. } = &scene;
    let here = shop.connect.location(&shop.at);
    let cheaper = ProductInput::default().price_cents(1);
    let many = here.products().change_many(products.clone(), cheaper);
    let (trips, done) = scene.shop.trips(many.into_future()).await;
    assert_eq!((trips, done.unwrap().affected), (2, 3), "change many");
    let pictured = ProductInput {
        image_url: Field::Value("https://images.example/same".into()),
        ..ProductInput::default()
    };
    let many = here.products().change_many(products.clone(), pictured);
    let (trips, done) = scene.shop.trips(many.into_future()).await;
    assert_eq!((trips, done.unwrap().affected), (2, 3), "picture many");
    let renamed = ProductInput::default().external_id("A-2");
    let renamed = here.products().update(products[0], renamed);
    assert_eq!(scene.shop.trips(renamed.into_future()).await.0, 2, "rename");

    // A body that is refused, without a key, looks at nothing.
    let faulty = here.json::<Product>().create(Request::json("{}"));
    let (trips, refused) = scene.shop.trips(faulty).await;
    assert_eq!((trips, refused.is_err()), (0, true), "refused");
    let gone = here.products().delete(products[2]);
    assert_eq!(scene.shop.trips(gone.into_future()).await.0, 2, "delete");
}

#[tokio::test]
async fn a_sale_announces_its_order_and_its_stock() {
    let scene = Scene::open().await;
    let connect = &scene.shop.connect;
    let kiosk = scene.shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let till = scene.shop.screen(ScreenType::Pos, "Till").await;
    let row = |order: serde_json::Value| {
        let line = |id: &Id<Product>| {
            json!({ "name": "Bread", "productId": id, "quantity": 1, "unitPriceCents": 100,
                    "totalCents": 100, "vatRate": 9 })
        };
        let mut row = json!({
            "type": "sale",
            "totalCents": 300,
            "payments": [{ "method": "card", "amountCents": 300 }],
            "lines": scene.products.iter().map(line).collect::<Vec<_>>(),
        });
        if !order.is_null() {
            row["orderId"] = order;
        }
        TransactionInput::from_json(row.to_string().as_bytes()).unwrap()
    };
    let journal = connect.location(&till).transactions();
    // The first row of a day looks up more.
    journal.write(row(json!(null))).await.unwrap();
    let order = connect.location(&kiosk).orders().create(soup()).await;
    let order = json!(order.unwrap().id);
    let accepted = serde_json::from_str(r#"{ "status": "accepted" }"#).unwrap();
    let id: Uuid = serde_json::from_value(order.clone()).unwrap();
    let accepted = connect.location(&till).orders().update(id, accepted);
    let (trips, accepted) = scene.shop.trips(accepted.into_future()).await;
    assert_eq!((trips, accepted.is_ok()), (2, true), "an order moves on");
    for order in [json!(null), order] {
        let sale = journal.write(row(order.clone()));
        let (trips, sale) = scene.shop.trips(sale.into_future()).await;
        assert_eq!((trips, sale.is_ok()), (2, true), "{order}");
    }
}

/// A page whose filter lets few rows pass is looked for once more, further on, and one that is full
/// is not.
#[tokio::test]
async fn a_page_is_looked_for_further_on_when_it_is_short() {
    let scene = Scene::open().await;
    let here = scene.shop.connect.location(&scene.shop.at);
    let input = |number| ProductInput {
        image_url: Field::Value(format!("https://images.example/{number}")),
        ..ProductInput::named("Bun")
    };
    let batch = ProductBatch::new((0..20).map(input).collect());
    here.products().batch(batch).await.unwrap();
    for (status, limit, expected) in [
        (ImageStatus::Pending, 4, (1, 4)),
        (ImageStatus::Pending, 200, (1, 23)),
        (ImageStatus::Failed, 4, (2, 0)),
    ] {
        let mut query = ImageJobQuery {
            status: Some(status),
            ..ImageJobQuery::default()
        };
        query.paging.limit = Some(limit);
        let (trips, page) = scene.shop.trips(here.image_jobs().list(&query)).await;
        assert_eq!((trips, page.unwrap().data.len()), expected, "{query:?}");
    }
    let query = ProductQuery {
        barcode: Some("A".into()),
        ..ProductQuery::default()
    };
    let (trips, page) = scene.shop.trips(here.products().list(&query)).await;
    assert_eq!((trips, page.unwrap().data.len()), (1, 1));
}

/// Nobody waits long for the many records of others.
#[tokio::test]
async fn large_writes_do_not_share_a_commit() {
    let scene = Scene::open().await;
    let here = scene.shop.connect.location(&scene.shop.at);
    let nowhere = |number| Uuid::from_u128(number);
    let ids: Vec<Id<Product>> = (0..600).map(|number| nowhere(number).into()).collect();
    let codes = || (0..600).map(|number| format!("no {number}"));
    let of_many = |name: &str| {
        let (ids, products) = (ids.clone(), here.products());
        match name {
            "change" => {
                let cheaper = ProductInput::default().price_cents(1);
                let many = products.change_many(ids, cheaper).into_future();
                tokio::spawn(async move { many.await.is_ok() })
            }
            "count" => {
                let item = |code: String| StockCountItem {
                    external_id: Field::Value(code),
                    quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
                    ..StockCountItem::default()
                };
                let counts = StockCounts {
                    items: codes().map(item).collect(),
                    ..StockCounts::default()
                };
                let many = here.stock().count_many(counts).into_future();
                tokio::spawn(async move { many.await.is_ok() })
            }
            _ => {
                let links = OptionGroupLinks {
                    product_external_ids: Field::Value(codes().collect()),
                    add: Field::Value(vec![OptionGroupRef::by_external_id("no")]),
                    ..OptionGroupLinks::default()
                };
                let many = products.link_option_groups(links).into_future();
                tokio::spawn(async move { many.await.is_ok() })
            }
        }
    };
    for name in ["change", "count", "link"] {
        let (alone, done) = scene.shop.trips(of_many(name)).await;
        assert!(done.unwrap(), "{name}");
        let both = async { tokio::join!(of_many(name), of_many(name)) };
        let (together, _) = scene.shop.trips(both).await;
        assert_eq!(together, 2 * alone, "{name}");
    }

    // Three batches of 400, of which two have as many records as may share one.
    let batch = || {
        let item = |code: String| ProductInput::default().external_id(code);
        let batch = ProductBatch {
            create_missing: false,
            ..ProductBatch::new(codes().take(400).map(item).collect())
        };
        let batch = here.products().batch(batch).into_future();
        tokio::spawn(async move { batch.await.is_ok() })
    };
    let (alone, _) = scene.shop.trips(batch()).await;
    let three = async { tokio::join!(batch(), batch(), batch()) };
    assert_eq!(scene.shop.trips(three).await.0, 2 * alone);

    // So do deletions that may change many others.
    let categories = here.categories();
    let mut trips = Vec::new();
    for together in [false, true] {
        let mut made = Vec::new();
        for name in ["Bread", "Rolls"] {
            made.push(
                categories
                    .create(CategoryInput::named(name))
                    .await
                    .unwrap()
                    .id,
            );
        }
        let gone = |id| {
            let gone = categories.delete(id).into_future();
            tokio::spawn(async move { gone.await.unwrap() })
        };
        let both = async {
            if together {
                let (one, other) = tokio::join!(gone(made[0]), gone(made[1]));
                one.and(other).unwrap();
            } else {
                gone(made[0]).await.unwrap();
                gone(made[1]).await.unwrap();
            }
        };
        trips.push(scene.shop.trips(both).await.0);
    }
    assert_eq!(trips[0], trips[1]);
}

/// Products of one barcode are sorted while they are few, and searched for otherwise.
#[tokio::test]
async fn all_holders_of_a_barcode_are_listed() {
    let scene = Scene::open().await;
    let products = scene.shop.products();
    let coded = ProductInput {
        barcode: Field::Value("SAME".into()),
        ..ProductInput::named("Bun")
    };
    for (more, all, expected) in [(500, 500, 1), (1, 501, 2)] {
        let batch = ProductBatch::new(vec![coded.clone(); more]);
        let made = products.batch(batch).await.unwrap();
        // The order of change is not that of the ids.
        let first = made.results[0].id.unwrap();
        let cheaper = ProductInput::default().price_cents(1);
        products.update(first, cheaper).await.unwrap();
        let mut query = ProductQuery {
            barcode: Some("SAME".into()),
            ..ProductQuery::default()
        };
        query.sync.limit = Some(200);
        let mut found = Vec::new();
        loop {
            let (trips, page) = scene.shop.trips(products.list(&query)).await;
            let page = page.unwrap();
            if found.is_empty() {
                assert_eq!(trips, expected, "{all}");
            }
            found.extend(page.data.into_iter().map(|product| product.id));
            query.sync.cursor = page.next_cursor;
            if query.sync.cursor.is_none() {
                break;
            }
        }
        found.sort_by_key(|id| id.uuid());
        found.dedup();
        assert_eq!(found.len(), all);
    }
}
