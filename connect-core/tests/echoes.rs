//! What an answer repeats of a request is short, however long that was: answers are kept for a day.

use connect_core::{
    Answer, Refusal, Request, ScreenType,
    wire::{
        Category, CategoryInput, OptionGroup, OptionGroupInput, OptionGroupLinks, OrderInput,
        Product, ProductInput, StockAdjustment, StockCount, StockCountItem, TransactionInput,
        WriteInput, ZReportInput,
    },
};
use uuid::Uuid;

use crate::shop::Shop;

/// The length of what is sent.
const LONG: usize = 20_000;

/// The longest answer that is expected: a record with a description that is as long as it may be.
const LONGEST_ANSWER: usize = 4_000;

/// Objects with a value that is too long in each field, and with a key that is.
fn objects<T: WriteInput>() -> Vec<String> {
    let rules = T::RULES.iter().map(|rule| rule.name);
    let mut objects = with_long(rules.chain(T::READ_ONLY.iter().copied()));
    objects.extend(with_long(["colour"].into_iter()));
    objects
}

/// Objects in which each of these fields has values that are too long.
fn with_long(fields: impl Iterator<Item = &'static str>) -> Vec<String> {
    let text = "x".repeat(LONG);
    let values = [
        format!("\"{text}\""),
        "1".repeat(LONG),
        format!("0.{}", "1".repeat(LONG)),
        format!("[\"{text}\"]"),
        format!("[{{\"{text}\":\"{text}\"}}]"),
    ];
    let object = |field| {
        let of = move |value: &String| format!("{{\"{field}\":{value}}}");
        values.iter().map(of).collect::<Vec<_>>()
    };
    fields
        .flat_map(object)
        .chain([format!("{{\"{text}\":1}}")])
        .collect()
}

/// The bodies that hold one of these as an item.
fn in_items(objects: Vec<String>) -> Vec<String> {
    let body = |item| format!("{{\"items\":[{item}]}}");
    objects.into_iter().map(body).collect()
}

/// Sends each body, and holds the length of each answer against the bound.
async fn hold(
    what: &str,
    bodies: Vec<String>,
    send: impl AsyncFn(Vec<u8>) -> Result<Answer, Refusal>,
) {
    assert!(bodies.len() > 5, "{what}");
    for body in bodies {
        let start: String = body.chars().take(60).collect();
        let answer = match send(body.into_bytes()).await {
            Ok(answer) => answer.body,
            Err(refusal) => serde_json::to_vec(&refusal.error.body()).unwrap(),
        };
        let length = answer.len();
        assert!(
            length <= LONGEST_ANSWER,
            "{what}: {length} bytes to {start}"
        );
    }
}

#[tokio::test]
async fn no_answer_of_the_catalog_repeats_a_long_text() {
    let Shop { connect, at, .. } = Shop::open().await;
    let location = connect.location(&at);
    let (products, groups) = (location.json::<Product>(), location.json::<OptionGroup>());
    let categories = location.json::<Category>();

    let product = objects::<ProductInput>;
    hold("product", product(), async |body| {
        products.create(Request::json(body)).await
    })
    .await;
    hold("item of a batch", in_items(product()), async |body| {
        products.batch(Request::json(body)).await
    })
    .await;
    let settings = ["matchBy", "createMissing", "dryRun", "items"];
    hold("batch", with_long(settings.into_iter()), async |body| {
        products.batch(Request::json(body)).await
    })
    .await;
    let group = objects::<OptionGroupInput>;
    hold("option group", group(), async |body| {
        groups.create(Request::json(body)).await
    })
    .await;
    hold("item of groups", in_items(group()), async |body| {
        groups.batch(Request::json(body)).await
    })
    .await;
    hold("link", objects::<OptionGroupLinks>(), async |body| {
        products.link_option_groups(Request::json(body)).await
    })
    .await;
    hold("category", objects::<CategoryInput>(), async |body| {
        categories.create(Request::json(body)).await
    })
    .await;
}

#[tokio::test]
async fn no_answer_about_stock_repeats_a_long_text() {
    let Shop { connect, at, .. } = Shop::open().await;
    let location = connect.location(&at);
    let stock = location.stock();
    let stock = stock.json();
    hold("count", objects::<StockCount>(), async |body| {
        stock.count(Uuid::nil(), Request::json(body)).await
    })
    .await;
    let counts = in_items(objects::<StockCountItem>());
    hold("item of a count", counts, async |body| {
        stock.count_many(Request::json(body)).await
    })
    .await;
    let settings = ["note", "dryRun", "items"];
    hold("counts", with_long(settings.into_iter()), async |body| {
        stock.count_many(Request::json(body)).await
    })
    .await;
    hold("adjustment", objects::<StockAdjustment>(), async |body| {
        stock.adjust(Request::json(body)).await
    })
    .await;
}

#[tokio::test]
async fn no_answer_to_a_screen_repeats_a_long_text() {
    let shop = Shop::open().await;
    let till = shop.screen(ScreenType::Pos, "Till 2").await;
    let kiosk = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let journal = shop.connect.location(&till);
    hold("row", objects::<TransactionInput>(), async |body| {
        let request = Request::json(body);
        journal.transactions().write_json(request).await
    })
    .await;
    hold("Z report", objects::<ZReportInput>(), async |body| {
        journal.z_reports().close_json(Request::json(body)).await
    })
    .await;
    let orders = shop.connect.location(&kiosk);
    hold("order", objects::<OrderInput>(), async |body| {
        orders.orders().create_json(Request::json(body)).await
    })
    .await;
}
