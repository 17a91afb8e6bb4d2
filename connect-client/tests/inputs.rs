//! Writing inputs and times in few words.

use std::time::SystemTime;

use connect_client::wire::{
    Category, Date, Field, Id, OptionGroupInput, OptionInput, OrderStatus, ProductInput, Quantity,
    StockCount, Timestamp, TransactionInput, TransactionType, VatRate,
    query::{OrderQuery, Query as _, TransactionQuery},
};
use serde_json::json;

use crate::support::ID;

#[test]
fn every_field_has_a_setter_for_its_values() {
    let category: Id<Category> = ID.into();
    let soup = ProductInput::named("Soup")
        .external_id("SOUP-1".to_owned())
        .price_cents(345)
        .vat_rate(VatRate::percent(9))
        .barcode(Field::Null)
        .category_id(category)
        .is_active(false)
        .available_from("2026-11-20".parse::<Date>().unwrap())
        .option_group_ids(vec![]);
    assert_eq!(
        serde_json::to_value(&soup).unwrap(),
        json!({
            "externalId": "SOUP-1", "name": "Soup", "priceCents": 345, "vatRate": 9,
            "barcode": null, "categoryId": ID, "isActive": false,
            "availableFrom": "2026-11-20", "optionGroupIds": [],
        })
    );
    let options = vec![OptionInput::named("Ketchup").price_cents(50)];
    let sauces = OptionGroupInput::named("Sauces", options).max_select(2);
    assert_eq!(sauces.max_select, Field::Value(2));
    let quantity = Quantity::from_thousandths(1500).unwrap();
    assert_eq!(
        StockCount::default().quantity(quantity),
        StockCount::of(quantity)
    );
    let change = connect_client::wire::OrderChange::default().status(OrderStatus::Ready);
    assert_eq!(change.status.value(), Some(&OrderStatus::Ready));
}

#[test]
fn every_filter_of_a_query_has_a_setter() {
    let day: Date = "2026-11-20".parse().unwrap();
    let time: Timestamp = "2026-11-21T09:15:30Z".parse().unwrap();
    let rows = TransactionQuery::default()
        .kind(TransactionType::Sale)
        .since_receipt(4711_u64)
        .from(day)
        .to(time);
    assert_eq!(
        rows.to_query(),
        "from=2026-11-20&to=2026-11-21T09%3A15%3A30.000000Z&type=sale&sinceReceipt=4711"
    );
    let orders = OrderQuery::default().status(OrderStatus::New).from(day);
    assert_eq!(orders.to_query(), "from=2026-11-20&status=new");
}

#[test]
fn times_of_the_standard_library_are_taken() {
    let now = SystemTime::now();
    let sale = TransactionInput::default().created_at(Timestamp::from(now));
    let sent = SystemTime::from(*sale.created_at.value().unwrap());
    assert!(now.duration_since(sent).unwrap().as_micros() == 0);
}
