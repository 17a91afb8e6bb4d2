//! A year of receipts, written through the core.

use connect_core::{
    Access, Connect, local_time, time_of_local,
    wire::{
        LineInput, PaymentInput, PaymentMethod, Product, Quantity, Timestamp, TransactionInput,
        TransactionType, ZReportInput,
        limits::MAX_PAGE_SIZE,
        query::{ProductQuery, SyncQuery},
    },
};
use futures_util::{StreamExt as _, stream};

const DAYS: usize = 365;

/// The receipts on their way at once.
/// The core commits 64 of a location together, so as many wait meanwhile.
const AT_ONCE: usize = 128;

/// The hours of trade, in seconds of a day.
const OPENS: i64 = 8 * 3600;
const CLOSES: i64 = 18 * 3600;
const DAY: i64 = 24 * 3600;

/// Writes receipts over the days up to today, and closes the till daily.
pub(crate) async fn sell(connect: &Connect, till: &Access, receipts: usize) {
    let here = connect.location(till);
    let query = ProductQuery {
        sync: SyncQuery {
            limit: Some(MAX_PAGE_SIZE),
            ..SyncQuery::default()
        },
        ..ProductQuery::default()
    };
    let products = here.products().list(&query).await.expect("products").data;
    for day in 0..DAYS {
        let numbers = receipts * day / DAYS..receipts * (day + 1) / DAYS;
        if numbers.is_empty() {
            continue;
        }
        let (opens, closes) = hours(DAYS - 1 - day, connect.now());
        let (first, count) = (numbers.start, numbers.len());
        let sales = numbers.map(|number| {
            let part = (closes.micros() - opens.micros()) / count as i64;
            let time = opens.plus_micros(part * (number - first) as i64);
            sale(&products, number, time)
        });
        let rows = here.transactions();
        let write = async |sale| {
            rows.write(sale).await.expect("a receipt");
        };
        stream::iter(sales)
            .for_each_concurrent(AT_ONCE, write)
            .await;
        let report = here.z_reports().close(ZReportInput::default()).await;
        report.expect("a Z report");
    }
}

/// The hours of trade, this many days ago.
/// Today has all its receipts before now, at any time of day.
fn hours(days_ago: usize, now: Timestamp) -> (Timestamp, Timestamp) {
    let midnight = local_time(now).date().and_hms_opt(0, 0, 0);
    let midnight = time_of_local(midnight.expect("a midnight"));
    match days_ago {
        0 => (midnight, now),
        days => {
            let midnight = midnight.plus_seconds(-DAY * days as i64);
            (midnight.plus_seconds(OPENS), midnight.plus_seconds(CLOSES))
        }
    }
}

/// A sale of one to three articles.
fn sale(products: &[Product], number: usize, time: Timestamp) -> TransactionInput {
    let lines: Vec<_> = (0..=number % 3)
        .map(|place| article(products, number * 3 + place))
        .collect();
    let total = lines
        .iter()
        .filter_map(|line| line.total_cents.value())
        .sum();
    let method = match number % 3 {
        0 => PaymentMethod::Cash,
        _ => PaymentMethod::Card,
    };
    TransactionInput::default()
        .kind(TransactionType::Sale)
        .total_cents(total)
        .lines(lines)
        .payments(vec![PaymentInput::of(method, total)])
        .created_at(time)
}

/// A line with one piece of an article; the first articles sell best.
fn article(products: &[Product], number: usize) -> LineInput {
    let chance = number * 7919 % 1000;
    let product = &products[chance * chance * products.len() / 1_000_000];
    let price = 100 + (chance % 40) as i64 * 25;
    let one: Quantity = "1".parse().expect("a quantity");
    LineInput::default()
        .product_id(product.id)
        .name(&*product.name)
        .quantity(one)
        .unit_price_cents(price)
        .total_cents(price)
        .vat_rate(product.vat_rate)
}
