//! What an account may store, and how it is counted.

use connect_core::{
    Connect, Error, NewWebhook, ScreenType, StorageLimits,
    storage::{Commit, Key, Read, Storage as _, Value, Write},
    wire::{
        Batch, BatchStatus, CategoryInput, ErrorCode, EventType, Field, OptionGroupInput,
        OptionInput, Product, ProductInput, TransactionInput,
    },
};
use serde_json::json;

use crate::{
    faulty::rows,
    shop::{self, Shop, keyed},
    stored::family,
};

const SMALL: StorageLimits = StorageLimits {
    products: 3,
    categories: 2,
    option_groups: 1,
    account_bytes: u64::MAX,
};

/// The same shop with other limits on what it stores.
fn limited(shop: Shop, limits: StorageLimits) -> Shop {
    Shop {
        connect: shop.process().storage_limits(limits).build(),
        ..shop
    }
}

async fn open(limits: StorageLimits) -> Shop {
    limited(Shop::open().await, limits)
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> (ErrorCode, u16, String) {
    let error = result.unwrap_err();
    (error.code(), error.status(), error.to_string())
}

fn group(name: &str) -> OptionGroupInput {
    OptionGroupInput::named(name, vec![OptionInput::named("Small")])
}

async fn check(connect: &Connect) -> Vec<String> {
    let report = connect.check(&mut |_| {}).await.unwrap();
    report
        .problems
        .iter()
        .map(|problem| format!("{problem:?}"))
        .collect()
}

/// The counts of a location as its clock row has them.
async fn counts(shop: &Shop) -> serde_json::Value {
    let clock = clock(shop).await.1;
    serde_json::from_slice::<serde_json::Value>(&clock).unwrap()["usage"].clone()
}

async fn clock(shop: &Shop) -> (Key, Value) {
    let location = shop.at.location().id.uuid();
    let key: Key = [location.as_bytes(), &[1][..]].concat().into();
    let mut state = shop.storage.read(&[Read::Get(&key)]).await.unwrap();
    (key, state.value().unwrap().unwrap())
}

#[tokio::test]
async fn a_location_has_so_many_records_of_a_kind() {
    let shop = open(SMALL).await;
    let at = shop.connect.location(&shop.at);
    let (products, categories, groups) = (at.products(), at.categories(), at.option_groups());
    let first = products.create(ProductInput::named("A")).await.unwrap();
    // Of three, two are not near the limit yet.
    for (name, accounts_near) in [("B", 0), ("C", 1)] {
        products.create(ProductInput::named(name)).await.unwrap();
        let backlog = shop.connect.backlog().await.unwrap();
        assert_eq!(backlog.stored.near_limit, accounts_near);
    }
    let refused = products.create(ProductInput::named("D")).await;
    let (code_, status, message) = code(refused);
    assert_eq!((code_, status), (ErrorCode::LimitReached, 422));
    assert!(message.contains("3 products, and may have 3"), "{message}");
    // A change needs no room for a record, and a deletion makes some.
    let change = ProductInput::named("A2");
    products.update(first.id, change).await.unwrap();
    products.delete(first.id).await.unwrap();
    products.create(ProductInput::named("D")).await.unwrap();

    for name in ["Bread", "Tea"] {
        categories.create(CategoryInput::named(name)).await.unwrap();
    }
    let refused = categories.create(CategoryInput::named("Soup")).await;
    assert_eq!(code(refused).0, ErrorCode::LimitReached);
    groups.create(group("Size")).await.unwrap();
    let refused = groups.create(group("Sauce")).await;
    assert_eq!(code(refused).0, ErrorCode::LimitReached);
    // A category that a product names is made as well.
    let named = ProductInput {
        category_name: Field::Value("Cake".into()),
        ..ProductInput::default()
    };
    let some = products.list(&Default::default()).await.unwrap().data[0].id;
    let refused = products.update(some, named).await;
    assert_eq!(code(refused).0, ErrorCode::LimitReached);
    assert_eq!(check(&shop.connect).await, Vec::<String>::new());
}

/// A location once had no limits after a refused first write, stored as an answer alone.
#[tokio::test]
async fn a_location_is_counted_from_its_first_write_on() {
    for products in [0, 1] {
        let shop = open(StorageLimits { products, ..SMALL }).await;
        let json = shop.connect.location(&shop.at).json::<Product>();
        let create = |input: ProductInput, name: &str| {
            json.create(keyed(connect_core::Request::from(input), name))
        };
        if products == 1 {
            let nameless = create(ProductInput::default(), "nameless");
            assert_eq!(nameless.await.unwrap_err().error.status(), 422);
            create(ProductInput::named("A"), "A").await.unwrap();
        }
        let refused = create(ProductInput::named("B"), "B").await.unwrap_err();
        assert_eq!(refused.error.code(), ErrorCode::LimitReached);
        assert_eq!(check(&shop.connect).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn items_beyond_the_limit_fail_alone() {
    let shop = open(SMALL).await;
    let products = shop.connect.location(&shop.at).products();
    let item = |code: &str, price: i64| ProductInput {
        price_cents: Field::Value(price),
        ..ProductInput::named(code).external_id(code)
    };
    const CODES: [&str; 6] = ["A", "B", "C", "D", "A", "E"];
    let mut items = CODES.map(|code| item(code, 1)).to_vec();
    items[1].image_url = Field::Value("https://images.example/b".into());
    for dry_run in [true, false] {
        let batch = Batch {
            dry_run,
            ..Batch::new(items.clone())
        };
        let done = products.batch(batch).await.unwrap();
        let (created, unchanged) = (BatchStatus::Created, BatchStatus::Unchanged);
        let failed = BatchStatus::Failed;
        let expected = [&created, &created, &created, &failed, &unchanged, &failed];
        let found: Vec<_> = done.results.iter().map(|result| &result.status).collect();
        assert_eq!(found, expected);
        let codes = done
            .results
            .iter()
            .map(|result| result.external_id.as_deref());
        assert_eq!(codes.collect::<Vec<_>>(), CODES.map(Some));
        assert_eq!(done.extra.images_queued, 1);
        for result in done.results.iter().filter(|result| result.status == failed) {
            let error = result.error.as_ref().unwrap();
            assert_eq!(error.code, ErrorCode::LimitReached);
        }
    }
    assert_eq!(check(&shop.connect).await, Vec::<String>::new());
}

/// What grows beyond the limit is refused; what shrinks, and what is deleted, is not.
#[tokio::test]
async fn an_account_stores_so_many_bytes() {
    let bytes = StorageLimits {
        account_bytes: 40_000,
        ..StorageLimits::default()
    };
    let shop = open(bytes).await;
    let products = shop.connect.location(&shop.at).products();
    let long = |name: &str| ProductInput {
        description: Field::Value("d".repeat(2000)),
        ..ProductInput::named(name)
    };
    let mut made = Vec::new();
    let refused = loop {
        match products.create(long(&format!("P{}", made.len()))).await {
            Ok(product) => made.push(product),
            Err(error) => break error,
        }
        assert!(made.len() < 20);
    };
    assert!(made.len() > 5, "{}", made.len());
    assert_eq!(refused.code(), ErrorCode::LimitReached);
    assert!(refused.to_string().contains("may store 40000"), "{refused}");
    let done = products.batch(Batch::new((0..10).map(|_| long("Q")).collect()));
    let done = done.await.unwrap();
    let refused = done
        .results
        .iter()
        .filter_map(|result| result.error.as_ref());
    let refused: Vec<_> = refused.map(|error| &error.code).collect();
    assert_eq!(refused.len(), done.failed);
    assert!(done.created < 3 && refused.iter().all(|code| **code == ErrorCode::LimitReached));
    let first = made.len() + done.created;
    let batch = done.results.iter().filter_map(|result| result.id);
    let made = made.iter().map(|made| made.id).chain(batch.map(Into::into));
    for id in made {
        products.delete(id).await.unwrap();
    }
    // Their rows are gone, and the events of them stay until they are purged.
    let mut again = 0;
    while products.create(long("Q")).await.is_ok() {
        again += 1;
    }
    assert!((1..first).contains(&again), "{again} of {first}");
    shop.clock.advance(36 * 24 * 3600);
    products.create(long("Q")).await.unwrap();
    // Registers have a tenth more.
    let limits = StorageLimits {
        account_bytes: 20_000,
        ..bytes
    };
    let shop = limited(shop, limits);
    let till = shop.screen(ScreenType::Pos, "Till").await;
    let category = shop.categories().create(CategoryInput::named("Bread"));
    let category = category.await.unwrap();
    let products = shop.connect.location(&shop.at).products();
    while products.create(long("R")).await.is_ok() {}
    let sale = || {
        let cash = json!({ "type": "cash_in", "totalCents": 100,
                           "payments": [{ "method": "cash", "amountCents": 100 }] });
        let row = TransactionInput::from_json(cash.to_string().as_bytes()).unwrap();
        shop.connect.location(&till).transactions().write(row)
    };
    sale().await.unwrap();
    let refused = loop {
        if let Err(refused) = sale().await {
            break refused;
        }
    };
    assert_eq!(refused.code(), ErrorCode::LimitReached);
    assert!(
        refused.to_string().contains("may store 22000;"),
        "{refused}"
    );
    // There is always room for a removal, also one that leaves more bytes for a while.
    shop.categories().delete(category.id).await.unwrap();
}

/// The limit is that of the account, whichever of its locations has what is stored.
#[tokio::test]
async fn locations_share_the_bytes_of_their_account() {
    let limits = StorageLimits {
        account_bytes: 30_000,
        ..StorageLimits::default()
    };
    let mut shop = open(limits).await;
    let there = shop::location(&shop.connect, shop.account, "There").await;
    let here = shop.at.location().id;
    let entered = shop
        .connect
        .authorize_owner(shop.account, here, shop.account);
    shop.at = entered.await.unwrap();
    let full = |number: usize| ProductInput {
        description: Field::Value("d".repeat(2000)),
        ..ProductInput::named(format!("P{number}"))
    };
    for number in 0..4 {
        let products = shop.connect.location(&there).products();
        products.create(full(number)).await.unwrap();
    }
    let shop = limited(shop, limits);
    let mut made = 0;
    let trips = shop.storage.trips();
    while shop.products().create(full(made)).await.is_ok() {
        made += 1;
    }
    assert!((1..5).contains(&made), "{made}");
    // The counts of the locations are read beside the first write.
    assert_eq!(shop.storage.trips() - trips, 2 * made as u64 + 1 + 1);
    assert_eq!(check(&shop.connect).await, Vec::<String>::new());
}

/// An answer that says that there is no room is not kept: there may be room soon.
#[tokio::test]
async fn a_request_is_done_once_there_is_room() {
    let shop = open(SMALL).await;
    let products = shop.products();
    let json = shop.connect.location(&shop.at);
    let create = |name: &str| keyed(connect_core::Request::from(ProductInput::named(name)), name);
    let mut ids = Vec::new();
    for name in ["A", "B", "C"] {
        ids.push(products.create(ProductInput::named(name)).await.unwrap().id);
    }
    let refused = json
        .json::<Product>()
        .create(create("D"))
        .await
        .unwrap_err();
    assert_eq!(refused.error.code(), ErrorCode::LimitReached);
    products.delete(ids[0]).await.unwrap();
    let done = json.json::<Product>().create(create("D")).await.unwrap();
    assert!(!done.replayed);
}

#[tokio::test]
async fn a_wrong_count_is_found() {
    let shop = open(StorageLimits::default()).await;
    let products = shop.products();
    products.create(ProductInput::named("A")).await.unwrap();
    // A count that is wrong is found.
    let (key, row) = clock(&shop).await;
    let mut clock: serde_json::Value = serde_json::from_slice(&row).unwrap();
    clock["usage"]["products"] = json!(981);
    let commit = Commit {
        writes: vec![(key, Write::Put(clock.to_string().into_bytes().into()))],
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
    let problems = check(&shop.connect).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("981 products"), "{problems:?}");
}

/// Events, stored answers and deliveries count until they are purged.
#[tokio::test]
async fn what_is_purged_later_counts_until_then() {
    let shop = open(StorageLimits::default()).await;
    let passing = async || -> u64 {
        let counts = counts(&shop).await;
        let passing = counts["passing"].as_array().unwrap();
        passing.iter().map(|entry| entry[1].as_u64().unwrap()).sum()
    };
    let rows_of = async |families: &[u8]| -> u64 {
        let rows = rows(&*shop.storage).await;
        let location = shop.at.location().id.uuid();
        // The account has a trail of its own, which does not count.
        let is_counted =
            |key: &Key| key[16] != family::TRAIL || key.starts_with(location.as_bytes());
        let rows = rows
            .iter()
            .filter(|(key, _)| families.contains(&key[16]) && is_counted(key));
        rows.map(|(key, row)| (key.len() + row.len()) as u64).sum()
    };
    let create = async |name: &str| {
        let input = connect_core::Request::from(ProductInput::named(name));
        let here = shop.connect.location(&shop.at);
        here.json::<Product>()
            .create(keyed(input, name))
            .await
            .unwrap();
    };
    let kept = [
        family::EVENT,
        family::ANSWER,
        family::ANSWER_BY_EXPIRY,
        family::TRAIL,
    ];
    create("Rye").await;
    assert_eq!(passing().await, rows_of(&kept).await);
    let new = NewWebhook {
        url: "https://hooks.example/in".to_owned(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    shop.connect
        .create_webhook(shop.account, new)
        .await
        .unwrap();
    create("Oat").await;
    let deliveries = passing().await - rows_of(&kept).await;
    // Twice: in the queue, and in the log with its attempts.
    let queued = rows_of(&[family::DELIVERY_BY_DUE]).await;
    assert!(
        (2 * queued..4 * queued).contains(&deliveries),
        "{deliveries} of {queued}"
    );
    shop.clock.advance(36 * 24 * 3600);
    let stored = shop.connect.stored(shop.account).await.unwrap().bytes;
    let lasting = stored - rows_of(&[family::TRAIL]).await;
    assert_eq!(json!(lasting), counts(&shop).await["bytes"]);
}

/// The bytes are those of the rows as they lie in the storage.
#[tokio::test]
async fn bytes_are_those_of_the_rows() {
    let shop = open(StorageLimits::default()).await;
    let made = shop
        .products()
        .create(ProductInput::named("A").external_id("A-1"))
        .await;
    let id = made.unwrap().id;
    let change = ProductInput {
        category_name: Field::Value("Cake".into()),
        barcode: Field::Value("8712345".into()),
        ..ProductInput::named("A longer name").external_id("B-1")
    };
    shop.products().update(id, change).await.unwrap();
    let location = shop.at.location().id.uuid();
    let of_location = |key: &Key| {
        key.starts_with(location.as_bytes())
            && ![0x01, 0x50, 0xB1, family::TRAIL].contains(&key[16])
    };
    let stored = rows(&*shop.storage).await;
    let stored = stored.iter().filter(|(key, _)| of_location(key));
    let stored: usize = stored.map(|(key, value)| key.len() + value.len()).sum();
    assert_eq!(counts(&shop).await["bytes"], json!(stored));
}
