//! What a page of the dashboard shows is read at once, however much of it there is.

use connect_core::{
    DeliveryFilter, Error, NewWebhook, ScreenType,
    wire::{Category, Date, EventType, Id, Product, ProductInput, query::DailySummaryQuery},
};
use uuid::Uuid;

use crate::shop::{self, Shop};

#[tokio::test]
async fn many_records_are_read_by_their_ids() {
    let shop = Shop::open().await;
    let mut made = Vec::new();
    for name in ["Rye", "Oat", "Rice"] {
        let product = shop.products().create(ProductInput::named(name)).await;
        made.push(product.unwrap());
    }
    let nothing: Id<Product> = Uuid::from_u128(0xDEAD).into();
    let ids = [made[2].id, nothing, made[0].id];
    let before = shop.storage.trips();
    let found = shop.products().get_many(&ids).await.unwrap();
    assert_eq!(shop.storage.trips() - before, 1);
    assert_eq!(found, [made[2].clone(), made[0].clone()]);
    // Those of other locations are not there, nor are records of other kinds.
    let there = shop::location(&shop.connect, shop.account, "There").await;
    let there = shop.connect.location(&there).products();
    assert_eq!(there.get_many(&ids).await.unwrap(), []);
    let others: Vec<Id<Category>> = ids.iter().map(|id| id.uuid().into()).collect();
    assert_eq!(shop.categories().get_many(&others).await.unwrap(), []);
    assert_eq!(shop.products().get_many(&[]).await.unwrap(), []);
}

#[tokio::test]
async fn many_days_are_as_one_by_one() {
    let shop = Shop::open().await;
    let till = shop.screen(ScreenType::Pos, "Till").await;
    let sale = serde_json::json!({
        "type": "sale", "totalCents": 500,
        "lines": [{ "name": "Rye", "quantity": 2, "unitPriceCents": 250, "totalCents": 500,
                    "vatRate": 9 }],
        "payments": [{ "method": "card", "amountCents": 500 }],
    });
    let rows = shop.connect.location(&till).transactions();
    rows.write_json(connect_core::Request::json(sale.to_string()))
        .await
        .unwrap();
    let here = shop.connect.location(&shop.at);
    let days = ["2027-01-14", "2027-01-15", "2027-01-16"];
    let days: Vec<Date> = days.iter().map(|day| day.parse().unwrap()).collect();
    let before = shop.storage.trips();
    let found = here.daily_summaries(&days).await.unwrap();
    assert_eq!(shop.storage.trips() - before, 1);
    let mut expected = Vec::new();
    for day in &days {
        let query = DailySummaryQuery { date: Some(*day) };
        expected.push(here.daily_summary(&query).await.unwrap());
    }
    assert_eq!(found, expected);
    assert_eq!(found[1].totals.sales.count, 1);
}

#[tokio::test]
async fn a_webhook_is_read_with_its_health() {
    let shop = Shop::open().await;
    let new = NewWebhook {
        url: "https://hooks.example/in".into(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    let (connect, account) = (&shop.connect, shop.account);
    let webhook = connect.create_webhook(account, new).await.unwrap().webhook;
    let before = shop.storage.trips();
    let found = connect
        .webhook_with_health(account, webhook.id)
        .await
        .unwrap();
    let filter = DeliveryFilter::default();
    connect
        .deliveries(account, webhook.id, &filter, None, 25)
        .await
        .unwrap();
    assert_eq!(shop.storage.trips() - before, 2);
    assert_eq!(connect.webhooks(account).await.unwrap(), [found]);
    let nothing = Uuid::from_u128(0xDEAD);
    let gone = [
        connect
            .webhook_with_health(account, nothing.into())
            .await
            .err(),
        connect
            .deliveries(account, nothing.into(), &filter, None, 25)
            .await
            .err(),
        connect
            .delivery(account, webhook.id, nothing.into())
            .await
            .err(),
        connect
            .delivery_with_body(account, nothing.into(), nothing.into())
            .await
            .err(),
    ];
    for error in gone {
        assert!(matches!(error, Some(Error::NotFound(_))), "{error:?}");
    }
}
