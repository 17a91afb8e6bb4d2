//! How many round trips to the storage each operation takes: what it costs on a store that is far
//! away.

use std::net::IpAddr;

use connect_core::{
    Access, Connect, NewScreen, Request, ScreenType,
    wire::{
        Batch, Category, CategoryInput, ErrorCode, Field, Id, ImageStatus, ItemResult, MatchBy,
        MovementType, OptionGroup, OptionGroupInput, OptionGroupLinks, OptionGroupRef, OptionInput,
        OrderInput, Product, ProductBatchResult, ProductInput, Quantity, StockAdjustment,
        StockCount, StockCountItem, StockCounts, Transaction, TransactionInput, ZReport,
        query::{
            DailySummaryQuery, EventQuery, ImageJobQuery, OptionGroupQuery, ProductQuery,
            StockLevelQuery, StockMovementQuery, SyncQuery, TransactionQuery, ZReportQuery,
        },
        read::BatchRequest,
    },
};
use uuid::Uuid;

use crate::shop::{self, Shop, keyed};

struct Counted {
    shop: Shop,
}

impl Counted {
    /// A shop of an account with five more locations. Their usage is known: it is read beside a write.
    async fn open() -> Self {
        let shop = Shop::open().await;
        for name in ["A", "B", "C", "D", "E"] {
            let there = shop::location(&shop.connect, shop.account, name).await;
            let categories = shop.connect.location(&there).categories();
            categories
                .create(CategoryInput::named("Bread"))
                .await
                .unwrap();
        }
        let mut counted = Self { shop };
        counted.enter().await;
        counted
    }

    /// Enters the location anew, with the account as it is now.
    async fn enter(&mut self) {
        let Shop {
            connect,
            at,
            account,
            ..
        } = &mut self.shop;
        let entered = connect.authorize_owner(*account, at.location().id, *account);
        *at = entered.await.unwrap();
    }

    /// The trips that `work` takes, and what it returns.
    async fn trips<T>(&self, work: impl AsyncFnOnce(&Connect, &Access) -> T) -> (u64, T) {
        let work = work(&self.shop.connect, &self.shop.at);
        self.shop.trips(work).await
    }

    async fn batch(
        &self,
        match_by: MatchBy,
        items: Vec<ProductInput>,
    ) -> (u64, ProductBatchResult) {
        let batch = BatchRequest {
            match_by,
            ..BatchRequest::new(items)
        };
        let request = keyed(Request::from(batch), &Uuid::now_v7().to_string());
        let (trips, answer) = self
            .trips(async |connect, at| connect.location(at).json::<Product>().batch(request).await)
            .await;
        (trips, answer.unwrap().decode().unwrap())
    }
}

fn product(number: usize) -> ProductInput {
    ProductInput {
        external_id: Field::Value(format!("P-{number}")),
        barcode: Field::Value(format!("871{number:05}")),
        ..ProductInput::named(format!("Product {number}"))
    }
}

fn products() -> Vec<ProductInput> {
    (0..500).map(product).collect()
}

#[tokio::test]
async fn single_writes() {
    let counted = Counted::open().await;
    let category: Category = counted
        .shop
        .connect
        .location(&counted.shop.at)
        .json::<Category>()
        .create(CategoryInput::named("Bread").into())
        .await
        .unwrap()
        .decode()
        .unwrap();
    let input = ProductInput {
        category_id: Field::Value(category.id),
        image_url: Field::Value("https://images.example/rye".into()),
        ..product(1)
    };
    let create = || keyed(Request::from(input.clone()), "create");
    let (trips, answer) = counted
        .trips(async |connect, at| {
            connect
                .location(at)
                .json::<Product>()
                .create(create())
                .await
        })
        .await;
    assert_eq!(trips, 2, "create");
    let made: Product = answer.unwrap().decode().unwrap();
    let (trips, answer) = counted
        .trips(async |connect, at| {
            connect
                .location(at)
                .json::<Product>()
                .create(create())
                .await
        })
        .await;
    assert_eq!((trips, answer.unwrap().replayed), (1, true), "replay");
    let change = ProductInput {
        image_url: Field::Value("https://images.example/other".into()),
        category_name: Field::Value("Rolls".into()),
        ..ProductInput::default()
    };
    let (trips, answer) = counted
        .trips(async |connect, at| {
            let change = keyed(Request::from(change), "update");
            connect
                .location(at)
                .json::<Product>()
                .update(made.id.uuid(), change)
                .await
        })
        .await;
    assert_eq!((trips, answer.is_ok()), (2, true), "update");
    let (trips, answer) = counted
        .trips(async |connect, at| {
            let delete = keyed(Request::from(()), "delete");
            connect
                .location(at)
                .json::<Product>()
                .delete(made.id.uuid(), delete)
                .await
        })
        .await;
    assert_eq!((trips, answer.is_ok()), (2, true), "delete");
    let (trips, answer) = counted
        .trips(async |connect, at| {
            let input = CategoryInput::named("Pastry");
            let rename = keyed(Request::from(input), "rename");
            connect
                .location(at)
                .json::<Category>()
                .update(category.id.uuid(), rename)
                .await
        })
        .await;
    assert_eq!((trips, answer.is_ok()), (2, true), "rename a category");
}

#[tokio::test]
async fn batches() {
    let counted = Counted::open().await;
    let (trips, done) = counted.batch(MatchBy::ExternalId, products()).await;
    assert_eq!((trips, done.created), (2, 500), "creates by external id");

    let priced = |price: i64| {
        let items = products().into_iter().map(move |product| ProductInput {
            price_cents: Field::Value(price),
            ..product
        });
        items.collect::<Vec<_>>()
    };
    let (trips, done) = counted.batch(MatchBy::ExternalId, priced(1)).await;
    assert_eq!((trips, done.updated), (2, 500), "updates by external id");
    let (trips, done) = counted.batch(MatchBy::Barcode, priced(2)).await;
    assert_eq!((trips, done.updated), (2, 500), "updates by barcode");
    let ids = done.results.iter().filter_map(|result| result.id);
    let by_id = ids.map(|id| ProductInput {
        id: Field::Value(id.into()),
        price_cents: Field::Value(3),
        ..ProductInput::default()
    });
    let (trips, done) = counted.batch(MatchBy::Id, by_id.collect()).await;
    assert_eq!((trips, done.updated), (2, 500), "updates by id");

    // Categories that are made, and then, for other products, such as are there.
    for shift in [0, 1] {
        let named = products().into_iter().enumerate();
        let named = named.map(|(number, product)| ProductInput {
            category_name: Field::Value(format!("Category {}", (number + shift) % 500)),
            ..product
        });
        let (trips, done) = counted.batch(MatchBy::ExternalId, named.collect()).await;
        assert_eq!((trips, done.updated), (2, 500), "500 category names");
    }

    for (round, link) in ["one", "two"].into_iter().enumerate() {
        let pictured = products().into_iter().map(|product| ProductInput {
            image_url: Field::Value(format!("https://images.example/{link}")),
            ..product
        });
        let (trips, done) = counted.batch(MatchBy::ExternalId, pictured.collect()).await;
        assert_eq!(
            (trips, done.extra.images_queued),
            (3, 500),
            "images, round {round}"
        );
    }
}

/// Categories that are not of the location are looked up at the others of the account, each once
/// and within a bound.
#[tokio::test]
async fn unknown_categories() {
    let mut counted = Counted::open().await;
    let unknown = || Id::new(Uuid::now_v7());
    let in_category = |id: &dyn Fn() -> Id<Category>| -> Vec<ProductInput> {
        let products = products().into_iter().map(|product| ProductInput {
            category_id: Field::Value(id()),
            ..product
        });
        products.collect()
    };
    let connect = &counted.shop.connect;
    let there = shop::location(connect, counted.shop.account, "F").await;
    let foreign = connect
        .location(&there)
        .categories()
        .create(CategoryInput::named("Bread"))
        .await
        .unwrap();
    counted.enter().await;
    for (ids, code, most) in [
        (
            &(|| foreign.id) as &dyn Fn() -> Id<Category>,
            ErrorCode::ForbiddenLocation,
            10,
        ),
        (&unknown, ErrorCode::ValidationFailed, 6 * 500),
    ] {
        let before = counted.shop.storage.reads();
        let (trips, done) = counted.batch(MatchBy::ExternalId, in_category(ids)).await;
        let reads = counted.shop.storage.reads() - before;
        assert!(trips <= 3, "{trips} trips for 500 unknown categories");
        // Besides them, each item is looked up itself, and its category here.
        assert!(reads <= 1010 + most, "{reads} reads");
        let is_refused = |result: &ItemResult| result.error.as_ref().unwrap().code == code;
        assert!(done.results.iter().all(is_refused));
    }
    for number in 0..15 {
        shop::location(
            &counted.shop.connect,
            counted.shop.account,
            &format!("{number}"),
        )
        .await;
    }
    counted.enter().await;
    let before = counted.shop.storage.reads();
    let (trips, done) = counted
        .batch(MatchBy::ExternalId, in_category(&unknown))
        .await;
    let reads = counted.shop.storage.reads() - before;
    assert_eq!((trips, done.failed), (3, 500));
    assert!(reads <= 1010 + 5000, "{reads} reads");
}

#[tokio::test]
async fn reads() {
    let counted = Counted::open().await;
    counted.batch(MatchBy::ExternalId, products()).await;
    let (trips, page) = counted
        .trips(async |connect, at| {
            connect
                .location(at)
                .json::<Product>()
                .list(&ProductQuery::default())
                .await
        })
        .await;
    let page = page.unwrap().decode().unwrap();
    assert_eq!((trips, page.data.len()), (1, 50), "a page");
    let id = page.data[0].id.uuid();
    let filters = [
        ProductQuery {
            external_id: Some("P-7".into()),
            ..ProductQuery::default()
        },
        ProductQuery {
            barcode: Some("87100007".into()),
            external_id: Some("P-7".into()),
            ..ProductQuery::default()
        },
        ProductQuery {
            barcode: Some("87100007".into()),
            ..ProductQuery::default()
        },
        ProductQuery {
            sync: SyncQuery {
                include_deleted: true,
                cursor: None,
                limit: Some(200),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        },
    ];
    for query in &filters {
        let (trips, page) = counted
            .trips(async |connect, at| connect.location(at).json::<Product>().list(query).await)
            .await;
        assert!(!page.unwrap().decode().unwrap().data.is_empty());
        assert_eq!(trips, 1, "{query:?}");
    }
    let pictured = products().into_iter().map(|product| ProductInput {
        image_url: Field::Value("https://images.example/one".into()),
        ..product
    });
    counted.batch(MatchBy::ExternalId, pictured.collect()).await;
    for (status, length, most) in [
        (None, 50, 1),
        (Some(ImageStatus::Pending), 50, 1),
        // Few pass: a look at a page, and one at many.
        (Some(ImageStatus::Failed), 0, 2),
    ] {
        let query = ImageJobQuery {
            status,
            ..ImageJobQuery::default()
        };
        let (trips, page) = counted
            .trips(async |connect, at| connect.location(at).image_jobs().list(&query).await)
            .await;
        assert_eq!(
            (trips, page.unwrap().data.len()),
            (most, length),
            "{query:?}"
        );
    }
    let mut query = EventQuery::default();
    for (limit, length) in [(1, 1), (50, 1)] {
        query.paging.limit = Some(limit);
        let (trips, page) = counted
            .trips(async |connect, at| connect.location(at).events().list(&query).await)
            .await;
        let page = page.unwrap();
        assert_eq!((trips, page.data.len()), (1, length), "{query:?}");
        query.after = Some(page.data[0].id);
    }
    let (trips, product) = counted
        .trips(async |connect, at| connect.location(at).products().get(id).await)
        .await;
    assert_eq!((trips, product.is_ok()), (1, true), "one product");

    let token = counted
        .shop
        .connect
        .create_full_token(counted.shop.account, "Sync");
    let secret = token.await.unwrap().secret;
    let address = IpAddr::from([127, 0, 0, 1]);
    for round in ["first", "second"] {
        let (trips, caller) = counted
            .trips(async |connect, _| connect.authenticate(address, Some(secret.expose())).await)
            .await;
        assert_eq!(
            (trips, caller.is_ok()),
            (1, true),
            "admission, {round} time"
        );
    }
}

fn group(number: usize) -> OptionGroupInput {
    OptionGroupInput {
        external_id: Field::Value(format!("G-{number}")),
        ..OptionGroupInput::named("Sauces", vec![OptionInput::named("Ketchup")])
    }
}

#[tokio::test]
async fn option_groups() {
    let counted = Counted::open().await;
    let groups = |connect: &Connect, at: &Access| connect.location(at).option_groups();
    let (trips, made) = counted
        .trips(async |connect, at| groups(connect, at).create(group(0)).await)
        .await;
    assert_eq!(trips, 2, "create");
    let made: OptionGroup = made.unwrap();
    let with_group = products().into_iter().map(|product| ProductInput {
        option_group_ids: Field::Value(vec![made.id]),
        ..product
    });
    let (trips, done) = counted
        .batch(MatchBy::ExternalId, with_group.collect())
        .await;
    assert_eq!((trips, done.created), (2, 500), "products with a group");

    let change = OptionGroupInput {
        external_id: "G-CHANGED".into(),
        ..OptionGroupInput::named("Dips", vec![OptionInput::named("Curry")])
    };
    let (trips, changed) = counted
        .trips(async |connect, at| groups(connect, at).update(made.id, change).await)
        .await;
    assert_eq!(trips, 2, "update");
    let (option, input) = (changed.unwrap().options[0].id, OptionInput::named("Mango"));
    let (trips, changed) = counted
        .trips(async |connect, at| {
            groups(connect, at)
                .update_option(made.id, option, input)
                .await
        })
        .await;
    assert_eq!((trips, changed.is_ok()), (2, true), "one option");

    let batch = || Batch::new((1..=200).map(group).collect());
    for name in ["creates", "finds nothing to change"] {
        let (trips, answer) = counted
            .trips(async |connect, at| groups(connect, at).batch(batch()).await)
            .await;
        // What writes nothing has nothing to commit.
        let expected = if name == "creates" { 2 } else { 1 };
        assert_eq!((trips, answer.is_ok()), (expected, true), "{name}");
    }
    let (trips, page) = counted
        .trips(async |connect, at| groups(connect, at).list(&OptionGroupQuery::default()).await)
        .await;
    assert_eq!((trips, page.unwrap().data.len()), (1, 50), "a page");
    // The group, its products, and the commit.
    let (trips, deleted) = counted
        .trips(async |connect, at| groups(connect, at).delete(made.id).await)
        .await;
    assert_eq!((trips, deleted.is_ok()), (3, true), "delete");
}

#[tokio::test]
async fn links() {
    let mut counted = Counted::open().await;
    let mut codes = Vec::new();
    for half in [0..500, 500..1000] {
        codes.extend(half.clone().map(|number| format!("P-{number}")));
        counted
            .batch(MatchBy::ExternalId, half.map(product).collect())
            .await;
    }
    let link = async |counted: &Counted, links: OptionGroupLinks| {
        counted
            .trips(async |connect, at| {
                connect
                    .location(at)
                    .products()
                    .link_option_groups(links)
                    .await
            })
            .await
    };
    for number in 0..2 {
        let made = counted
            .shop
            .connect
            .location(&counted.shop.at)
            .option_groups();
        made.create(group(number)).await.unwrap();
    }
    let by_code = |codes: &[&str]| {
        Field::Value(
            codes
                .iter()
                .map(|&code| OptionGroupRef::by_external_id(code))
                .collect(),
        )
    };
    let thousand = OptionGroupLinks {
        product_external_ids: Field::Value(codes),
        add: by_code(&["G-0"]),
        remove: by_code(&["G-1"]),
        ..OptionGroupLinks::default()
    };
    let (trips, done) = link(&counted, thousand.clone()).await;
    assert_eq!((trips, done.unwrap().affected), (2, 1000));
    let (trips, done) = link(&counted, thousand).await;
    assert_eq!((trips, done.unwrap().unchanged), (1, 1000));

    // What is unknown here is looked up elsewhere, with one trip more.
    let there = shop::location(&counted.shop.connect, counted.shop.account, "F").await;
    let theirs = counted.shop.connect.location(&there).option_groups();
    let theirs = theirs.create(group(0)).await.unwrap();
    counted.enter().await;
    let foreign = OptionGroupLinks {
        product_external_ids: Field::Value(vec!["P-1".into()]),
        add: Field::Value(vec![OptionGroupRef::by_id(theirs.id)]),
        remove: by_code(&["G-0"]),
        ..OptionGroupLinks::default()
    };
    let (trips, done) = link(&counted, foreign).await;
    let done = done.unwrap();
    assert_eq!((trips, done.affected), (3, 1));
    assert_eq!(done.failed[0].error.code, ErrorCode::ForbiddenLocation);
}

/// A sale of one thing on a day of December 2026, in UTC.
fn sale(day: u8) -> TransactionInput {
    let sale = format!(
        r#"{{ "type": "sale", "totalCents": 250, "createdAt": "2026-12-{day:02}T12:00:00Z",
              "payments": [{{ "method": "card", "amountCents": 250 }}],
              "lines": [{{ "name": "Rye", "quantity": 1, "unitPriceCents": 250,
                           "totalCents": 250, "vatRate": 9 }}] }}"#
    );
    TransactionInput::from_json(sale.as_bytes()).unwrap()
}

#[tokio::test]
async fn the_journal() {
    let counted = Counted::open().await;
    let till = counted.shop.screen(ScreenType::Pos, "Till").await;
    let journal = |connect: &Connect| connect.location(&till).transactions();
    let mut rows: Vec<Transaction> = Vec::new();
    // The first row of a day is entered in the indexes of days.
    for (day, expected) in [(1, 4), (1, 2), (2, 4), (2, 2), (1, 3), (1, 2), (2, 3)] {
        let (trips, row) = counted
            .trips(async |connect, _| {
                let request = keyed(Request::from(sale(day)), &rows.len().to_string());
                journal(connect).write_json(request).await
            })
            .await;
        assert_eq!(trips, expected, "row {} of day {day}", rows.len() + 1);
        rows.push(row.unwrap().decode().unwrap());
    }
    let refund = TransactionInput {
        refund_of: Field::Value(rows[0].id),
        ..TransactionInput::from_json(
            br#"{ "type": "refund", "totalCents": -250, "createdAt": "2026-12-02T13:00:00Z",
                  "payments": [{ "method": "card", "amountCents": -250 }],
                  "lines": [{ "name": "Rye", "quantity": -1, "unitPriceCents": 250,
                              "totalCents": -250, "vatRate": 9 }] }"#,
        )
        .unwrap()
    };
    let (trips, row) = counted
        .trips(async |connect, _| journal(connect).write(refund).await)
        .await;
    assert_eq!((trips, row.unwrap().receipt_number), (2, 8));
    let (trips, report) = counted
        .trips(async |connect, _| {
            let reports = connect.location(&till).z_reports();
            reports.close(Default::default()).await
        })
        .await;
    let report: ZReport = report.unwrap();
    assert_eq!((trips, report.last_receipt_number), (2, Some(8)));

    let (trips, row) = counted
        .trips(async |connect, at| connect.location(at).transactions().get(rows[3].id).await)
        .await;
    assert_eq!((trips, row.unwrap()), (1, rows[3].clone()));
    let (trips, found) = counted
        .trips(async |connect, at| connect.location(at).z_reports().get(report.id).await)
        .await;
    assert_eq!((trips, found.unwrap()), (1, report.clone()));
    let (trips, summary) = counted
        .trips(async |connect, at| {
            let query = DailySummaryQuery {
                date: Some("2026-12-01".parse().unwrap()),
            };
            connect.location(at).daily_summary(&query).await
        })
        .await;
    let summary = summary.unwrap();
    assert_eq!((trips, summary.totals.sales.count), (1, 4));

    let (trips, page) = counted
        .trips(async |connect, at| {
            let query = ZReportQuery::default();
            connect.location(at).z_reports().list(&query).await
        })
        .await;
    assert_eq!((trips, page.unwrap().data), (1, vec![report]));
    for (from, to, expected) in [
        ("", "", (1, 8)),
        ("2026-12-02", "", (2, 4)),
        ("", "2026-12-01", (2, 4)),
        ("2026-12-01T12:00:00Z", "2026-12-02T12:00:00Z", (2, 4)),
        ("2026-12-03", "2026-12-04", (2, 0)),
    ] {
        let moment = |text: &str| text.parse().ok();
        let mut query = TransactionQuery::default();
        query.period.from = moment(from);
        query.period.to = moment(to);
        let (trips, page) = counted
            .trips(async |connect, at| connect.location(at).transactions().list(&query).await)
            .await;
        assert_eq!(
            (trips, page.unwrap().data.len()),
            expected,
            "{from} to {to}"
        );
    }
}

fn quantity(pieces: i64) -> Quantity {
    Quantity::from_thousandths(1000 * pieces).unwrap()
}

/// A count of the products of [`products`], which are named by their codes.
fn counts(pieces: i64) -> StockCounts {
    let item = |number| StockCountItem {
        external_id: Field::Value(format!("P-{number}")),
        quantity: Field::Value(quantity(pieces)),
        ..StockCountItem::default()
    };
    StockCounts {
        items: (0..500).map(item).collect(),
        ..StockCounts::default()
    }
}

#[tokio::test]
async fn stock_of_one_product() {
    let counted = Counted::open().await;
    let two = products().into_iter().take(2).collect();
    let (_, made) = counted.batch(MatchBy::ExternalId, two).await;
    let rye: Id<Product> = made.results[0].id.unwrap().into();
    for (pieces, expected) in [(5, 2), (5, 1), (6, 2)] {
        let (trips, level) = counted
            .trips(async |connect, at| {
                let count = StockCount::of(quantity(pieces));
                connect.location(at).stock().count(rye, count).await
            })
            .await;
        assert_eq!(
            (trips, level.unwrap().quantity),
            (expected, quantity(pieces))
        );
    }
    let by_id = StockAdjustment {
        product_id: Field::Value(rye),
        quantity_change: Field::Value(quantity(1)),
        ..StockAdjustment::default()
    };
    // The level is found once the id is known.
    let by_code = StockAdjustment {
        product_id: Field::Absent,
        external_id: "P-0".into(),
        ..by_id.clone()
    };
    for (adjustment, expected) in [(by_id, 2), (by_code, 3)] {
        let (trips, movement) = counted
            .trips(async |connect, at| connect.location(at).stock().adjust(adjustment).await)
            .await;
        assert_eq!((trips, movement.is_ok()), (expected, true));
    }
    // A sale finds what it moves with the rest.
    let till = counted.shop.screen(ScreenType::Pos, "Till").await;
    for expected in [4, 2] {
        let mut sale = sale(1);
        let mut lines = sale.lines.into_value().unwrap();
        lines[0].product_id = Field::Value(rye);
        sale.lines = Field::Value(lines);
        let (trips, row) = counted
            .trips(async |connect, _| connect.location(&till).transactions().write(sale).await)
            .await;
        assert_eq!((trips, row.is_ok()), (expected, true));
    }
    // Levels that are named by their products' codes are looked up when the ids are known.
    let oat: Id<Product> = made.results[1].id.unwrap().into();
    let count = StockCount::of(quantity(5));
    counted.shop.here().stock().count(oat, count).await.unwrap();
    let mut by_code = sale(1);
    by_code.total_cents = Field::Value(500);
    let mut payments = by_code.payments.into_value().unwrap();
    payments[0].amount_cents = Field::Value(500);
    by_code.payments = Field::Value(payments);
    let mut lines = by_code.lines.into_value().unwrap();
    lines.push(lines[0].clone());
    for (line, code) in lines.iter_mut().zip(["P-0", "P-1"]) {
        line.external_id = code.into();
    }
    by_code.lines = Field::Value(lines);
    let (trips, row) = counted
        .trips(async |connect, _| connect.location(&till).transactions().write(by_code).await)
        .await;
    let named = row.unwrap().lines.into_iter().map(|line| line.product_id);
    assert_eq!((trips, named.collect()), (3, vec![Some(rye), Some(oat)]));

    let kiosk = counted.shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let order = r#"{ "fulfilment": "takeaway",
                     "lines": [{ "name": "Rye", "externalId": "P-0", "quantity": 1,
                                 "unitPriceCents": 250, "totalCents": 250, "vatRate": 9 }] }"#;
    let order = OrderInput::from_json(order.as_bytes()).unwrap();
    let (trips, order) = counted
        .trips(async |connect, _| connect.location(&kiosk).orders().create(order).await)
        .await;
    assert_eq!((trips, order.unwrap().lines[0].product_id), (2, Some(rye)));
}

#[tokio::test]
async fn stock() {
    let counted = Counted::open().await;
    let (_, made) = counted.batch(MatchBy::ExternalId, products()).await;
    let ids: Vec<Id<Product>> = made
        .results
        .iter()
        .map(|it| it.id.unwrap().into())
        .collect();
    let rye = ids[0];
    for (pieces, expected) in [(1, 3), (2, 3)] {
        let (trips, done) = counted
            .trips(async |connect, at| {
                connect
                    .location(at)
                    .stock()
                    .count_many(counts(pieces))
                    .await
            })
            .await;
        assert_eq!((trips, done.unwrap().updated), (expected, 500));
    }
    let mut named = counts(3);
    for (item, id) in named.items.iter_mut().zip(&ids) {
        (item.external_id, item.product_id) = (Field::Absent, Field::Value(*id));
    }
    let (trips, done) = counted
        .trips(async |connect, at| connect.location(at).stock().count_many(named).await)
        .await;
    assert_eq!((trips, done.unwrap().updated), (2, 500));

    // Levels follow the codes of their products, and cost nothing where those stay.
    let (trips, done) = counted.batch(MatchBy::ExternalId, products()).await;
    assert_eq!((trips, done.unchanged), (2, 500));
    let renamed = ids.iter().enumerate().map(|(number, id)| ProductInput {
        id: Field::Value(*id),
        external_id: Field::Value(format!("Q-{number}")),
        ..ProductInput::default()
    });
    let (trips, done) = counted.batch(MatchBy::Id, renamed.collect()).await;
    assert_eq!((trips, done.updated), (3, 500));
    let renamed = ProductInput {
        external_id: "RYE".into(),
        ..ProductInput::default()
    };
    let (trips, product) = counted
        .trips(async |connect, at| connect.location(at).products().update(rye, renamed).await)
        .await;
    assert_eq!((trips, product.is_ok()), (2, true), "rename");

    let (trips, level) = counted
        .trips(async |connect, at| connect.location(at).stock().get(rye).await)
        .await;
    assert_eq!((trips, level.unwrap().external_id), (1, Some("RYE".into())));
    let (trips, page) = counted
        .trips(async |connect, at| {
            let query = StockLevelQuery {
                sync: SyncQuery {
                    updated_since: Some(shop::START),
                    ..SyncQuery::default()
                },
            };
            connect.location(at).stock().list_with_deleted(&query).await
        })
        .await;
    assert_eq!((trips, page.unwrap().data.len()), (1, 50));
    for (product_id, kind, expected) in [
        (None, None, 50),
        (Some(rye), None, 3),
        (Some(rye), Some(MovementType::Count), 3),
    ] {
        let query = StockMovementQuery {
            product_id,
            kind,
            ..StockMovementQuery::default()
        };
        let (trips, page) = counted
            .trips(async |connect, at| connect.location(at).stock().movements().list(&query).await)
            .await;
        assert_eq!((trips, page.unwrap().data.len()), (1, expected));
    }
    let (trips, gone) = counted
        .trips(async |connect, at| connect.location(at).products().delete(rye).await)
        .await;
    assert_eq!((trips, gone.is_ok()), (2, true), "delete");
}

#[tokio::test]
async fn tokens() {
    let counted = Counted::open().await;
    let (connect, account) = (&counted.shop.connect, counted.shop.account);
    let mut expected = Vec::new();
    for number in 0..20 {
        let name = format!("Token {number}");
        let token = connect.create_full_token(account, &name).await.unwrap();
        let is_used = number % 3 == 0;
        if is_used {
            let secret = &token.secret;
            let address = IpAddr::from([127, 0, 0, 1]);
            connect
                .authenticate(address, Some(secret.expose()))
                .await
                .unwrap();
        }
        expected.push((token.token, is_used.then_some(shop::START)));
    }
    connect.flush_token_usage().await.unwrap();
    connect
        .revoke_token(account, expected[4].0.id)
        .await
        .unwrap();
    expected[4].0.revoked_at = Some(shop::START);
    let (trips, tokens) = counted
        .trips(async |connect, _| connect.tokens(account).await)
        .await;
    assert_eq!((trips, tokens.unwrap()), (2, expected));
}

/// Who is let in costs one trip and two reads, and is parsed again only after a change.
#[tokio::test]
async fn callers() {
    let counted = Counted::open().await;
    let (connect, account) = (&counted.shop.connect, counted.shop.account);
    let here = IpAddr::from([127, 0, 0, 1]);
    let token = connect.create_full_token(account, "Till").await.unwrap();
    let till = NewScreen {
        location_id: counted.shop.at.location().id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    let till = connect.create_screen(account, till).await.unwrap().id;
    let key = connect.roll_screen_key(account, till).await.unwrap();
    let by_token = async || {
        let caller = connect.authenticate(here, Some(token.secret.expose()));
        std::ptr::from_ref(caller.await.unwrap().account())
    };
    let by_key = async || {
        let access = connect.authenticate_screen(here, Some(key.expose()));
        std::ptr::from_ref(access.await.unwrap().account())
    };
    let mut parsed = (by_token().await, by_key().await);
    for is_changed in [false, true, false] {
        if is_changed {
            shop::location(connect, account, "Another").await;
        }
        let before = (counted.shop.storage.trips(), counted.shop.storage.reads());
        let now = (by_token().await, by_key().await);
        let after = (counted.shop.storage.trips(), counted.shop.storage.reads());
        assert_eq!((after.0 - before.0, after.1 - before.1), (2, 4));
        assert_eq!(
            (now.0 != parsed.0, now.1 != parsed.1),
            (is_changed, is_changed)
        );
        parsed = now;
    }

    // What is known of a key lets nobody in once there is another, or none.
    let lets_in = async |key: &str| {
        let access = connect.authenticate_screen(here, Some(key)).await;
        access.is_ok()
    };
    let rolled = connect.roll_screen_key(account, till).await.unwrap();
    assert_eq!(
        (lets_in(key.expose()).await, lets_in(rolled.expose()).await),
        (false, true)
    );
    connect.revoke_screen_key(account, till).await.unwrap();
    assert!(!lets_in(rolled.expose()).await);
}
