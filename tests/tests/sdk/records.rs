//! Single records through the SDK.

use connect_client::{
    Client, Uuid,
    wire::{
        Category, CategoryInput, Date, ErrorCode, Field, ImageStatus, ProductInput, Scope, VatRate,
    },
};
use futures_util::TryStreamExt;

use super::open;

#[tokio::test]
async fn locations_are_read() {
    let (shop, _watch, client) = open().await;
    let locations = client.locations().await.unwrap();
    assert_eq!(locations.len(), 2);
    assert_eq!(
        (locations[0].id, &*locations[0].name),
        (shop.here, "Harbour")
    );
    assert!(locations[0].scopes.contains(&Scope::CatalogWrite));
    assert!(client.rate_limit().is_some());
}

#[tokio::test]
async fn categories_are_made_read_changed_listed_and_deleted() {
    let (shop, _watch, client) = open().await;
    let categories = client.location(shop.here).categories();
    let made = categories
        .create(&CategoryInput::named("Bread"))
        .await
        .unwrap();
    assert_eq!(categories.get(made.id).await.unwrap(), made);
    let move_it = CategoryInput {
        position: Field::Value(7),
        ..CategoryInput::default()
    };
    let moved = categories.update(made.id, &move_it).await.unwrap();
    assert_eq!((moved.position, &moved.name), (7, &made.name));
    let listed: Vec<Category> = categories
        .stream(&Default::default())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(listed, [moved]);
    categories.delete(made.id).await.unwrap();
    let gone = categories.get(made.id).await.unwrap_err();
    assert_eq!(
        (gone.status(), gone.code()),
        (Some(404), Some(&ErrorCode::NotFound))
    );
}

#[tokio::test]
async fn a_wrong_address_is_told_from_a_missing_record() {
    let (shop, _watch, client) = open().await;
    let missing = client.location(shop.here).categories().get(Uuid::nil());
    let missing = missing.await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
    let message = &missing.api().unwrap().message;
    assert!(!message.starts_with("there is nothing at"), "{message}");

    for path in ["", "/v2", "/v1/v1"] {
        let base_url = format!("http://{}{path}", shop.address);
        let client = Client::builder(base_url, &shop.token).build().unwrap();
        let wrong = client.locations().await.unwrap_err();
        assert!(wrong.is_not_found(), "{wrong}");
        let message = &wrong.api().unwrap().message;
        assert!(message.starts_with("there is nothing at"), "{message}");
    }
}

#[tokio::test]
async fn a_product_comes_back_as_it_was_written() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let day = |text: &str| text.parse::<Date>().unwrap();
    let input = ProductInput {
        external_id: Field::Value("RYE 1".into()),
        name: Field::Value("Rye 🥖".into()),
        description: Field::Value("Two\nlines".into()),
        price_cents: Field::Value(425),
        vat_rate: Field::Value(VatRate::from_hundredths(1234).unwrap()),
        barcode: Field::Value("871".into()),
        category_name: Field::Value("Bread".into()),
        is_active: Field::Value(false),
        available_from: Field::Value(day("2026-01-01")),
        available_until: Field::Value(day("2026-12-31")),
        image_url: Field::Value("https://img.example/rye.png".into()),
        option_group_ids: Field::Value(Vec::new()),
        ..ProductInput::default()
    };
    let made = products.create(&input).await.unwrap();
    assert_eq!(made.external_id.as_deref(), Some("RYE 1"));
    assert_eq!(made.vat_rate.hundredths(), 1234);
    assert_eq!(made.image_status, Some(ImageStatus::Pending));
    assert_eq!(made.available_until, Some(day("2026-12-31")));
    assert!(made.category_id.is_some());

    let change = ProductInput {
        description: Field::Null,
        price_cents: Field::Value(450),
        ..ProductInput::default()
    };
    let changed = products.update(made.id, &change).await.unwrap();
    let mut expected = made.clone();
    expected.description = None;
    expected.price_cents = 450;
    expected.updated_at = changed.updated_at;
    assert_eq!(changed, expected);
    products.delete(made.id).await.unwrap();
    assert_eq!(
        products.delete(made.id).await.unwrap_err().code(),
        Some(&ErrorCode::NotFound)
    );
}
