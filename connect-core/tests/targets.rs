//! An idempotency key belongs to one write: the same body about something else is another write.

use connect_core::{
    Error, ScreenType, Write,
    wire::{
        CategoryInput, Field, IdempotencyKey, OrderChange, OrderStatus, ProductInput, StockCount,
    },
};
use serde::de::DeserializeOwned;

use crate::{screens::soup, shop::Shop};

/// Sends the first write twice and the second once, all under one key.
async fn hold<T, U>(key: &str, first: impl Fn() -> Write<T>, second: Write<U>)
where
    T: DeserializeOwned + std::fmt::Debug,
    U: DeserializeOwned + std::fmt::Debug,
{
    let key = || IdempotencyKey::new(key).unwrap();
    let made = first().idempotency_key(key()).send().await.unwrap();
    assert!(!made.replayed, "{key:?}", key = key());
    let again = first().idempotency_key(key()).send().await.unwrap();
    assert!(again.replayed);
    let other = second.idempotency_key(key()).send().await;
    assert!(matches!(other, Err(Error::Conflict(_))), "{other:?}");
}

#[tokio::test]
async fn a_key_is_for_one_target() {
    let shop = Shop::open().await;
    let kiosk = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let (products, categories) = (shop.products(), shop.categories());
    let mut made = Vec::new();
    for name in ["Rye", "Oat"] {
        made.push(products.create(ProductInput::named(name)).await.unwrap().id);
    }
    let [rye, oat] = made[..] else { panic!("two") };
    hold(
        "create",
        || categories.create(CategoryInput::named("Bread")),
        products.create(ProductInput::named("Bread")),
    )
    .await;
    let renamed = || ProductInput::named("Spelt");
    let second = products.update(oat, renamed());
    hold("update", || products.update(rye, renamed()), second).await;

    let stock = shop.connect.location(&shop.at).stock();
    let count: StockCount = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
    let second = stock.count(oat, count.clone());
    hold("count", || stock.count(rye, count.clone()), second).await;

    let orders = shop.connect.location(&kiosk).orders();
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(orders.create(soup()).await.unwrap().id);
    }
    let accepted = || OrderChange {
        status: Field::Value(OrderStatus::Accepted),
        ..OrderChange::default()
    };
    let second = orders.update(made[1], accepted());
    hold("order", || orders.update(made[0], accepted()), second).await;
}
