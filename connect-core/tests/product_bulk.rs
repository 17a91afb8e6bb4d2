//! Products changed and deleted in bulk by their owner.

use connect_core::{
    Actor, Error, NewScreen, ScreenType,
    wire::{
        Category, CategoryInput, EventType, Field, Id, IdempotencyKey, Product, ProductInput,
        ProductsChanged, VatRate, limits::MAX_PRODUCTS_PER_BULK,
    },
};
use uuid::Uuid;

use crate::properties::shop::{Shop, events};

on_each_store!(many_are_changed_with_one_event);
on_each_store!(many_are_deleted_with_one_event);
on_each_store!(a_product_that_fails_spoils_no_other);
on_each_store!(only_an_owner_changes_in_bulk);
on_each_store!(a_key_is_used_once);

/// Makes products of these names.
async fn products<const N: usize>(shop: &Shop, names: [&str; N]) -> [Id<Product>; N] {
    let products = shop.connect.location(&shop.at).products();
    let mut ids = Vec::new();
    for name in names {
        let input = ProductInput::named(name).external_id(name);
        ids.push(products.create(input).await.unwrap().id);
    }
    ids.try_into().unwrap()
}

/// The events of bulk changes: the products that were changed, and those that were deleted.
async fn bulk_events(shop: &Shop) -> Vec<(Vec<Uuid>, Vec<Uuid>)> {
    let events = events(shop).await.into_iter();
    let bulk = events.filter(|event| event.kind == EventType::ProductsChanged);
    let lists = bulk.map(|event| {
        let changed: ProductsChanged = serde_json::from_value(event.data).unwrap();
        assert_eq!(changed.reason, "bulk");
        (changed.ids, changed.deleted_ids.unwrap())
    });
    lists.collect()
}

fn uuids(ids: &[Id<Product>]) -> Vec<Uuid> {
    ids.iter().map(|id| id.uuid()).collect()
}

async fn many_are_changed_with_one_event(shop: Shop) {
    let location = shop.connect.location(&shop.at);
    let [rye, oat, rice] = products(&shop, ["Rye", "Oat", "Rice"]).await;
    let bread: Category = location
        .categories()
        .create(CategoryInput::named("Bread"))
        .await
        .unwrap();
    let change = ProductInput {
        category_id: Field::Value(bread.id),
        vat_rate: Field::Value(VatRate::percent(9)),
        ..ProductInput::default()
    };
    // One that is named twice counts once.
    let many = location
        .products()
        .change_many(vec![rye, oat, rye], change.clone());
    let result = many.await.unwrap();
    assert_eq!(
        (result.affected, result.unchanged, result.failed.len()),
        (2, 0, 0)
    );
    for (id, category) in [(rye, Some(bread.id)), (oat, Some(bread.id)), (rice, None)] {
        assert_eq!(
            location.products().get(id).await.unwrap().category_id,
            category
        );
    }
    let expected = (uuids(&[rye, oat]), Vec::new());
    assert_eq!(bulk_events(&shop).await, std::slice::from_ref(&expected));

    // What is as it should be is not written, and has no event.
    let again = location
        .products()
        .change_many(vec![rye, oat], change)
        .await
        .unwrap();
    assert_eq!((again.affected, again.unchanged), (0, 2));
    assert_eq!(bulk_events(&shop).await, [expected]);
}

async fn many_are_deleted_with_one_event(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye, oat, rice] = products(&shop, ["Rye", "Oat", "Rice"]).await;
    let result = products_here.delete_many(vec![rye, rice]).await.unwrap();
    assert_eq!((result.affected, result.failed.len()), (2, 0));
    for id in [rye, rice] {
        let gone = products_here.get(id).await.unwrap_err();
        assert!(matches!(gone, Error::NotFound(_)), "{gone}");
    }
    products_here.get(oat).await.unwrap();
    let expected = (Vec::new(), uuids(&[rye, rice]));
    assert_eq!(bulk_events(&shop).await, [expected]);
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn a_product_that_fails_spoils_no_other(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye, oat] = products(&shop, ["Rye", "Oat"]).await;
    let nothing: Id<Product> = Uuid::from_u128(0xDEAD).into();
    let change = ProductInput::default().external_id("Oat").price_cents(100);
    let result = products_here
        .change_many(vec![rye, nothing, oat], change)
        .await
        .unwrap();
    assert_eq!(result.affected, 1);
    let failed: Vec<_> = result.failed.iter().map(|failure| failure.id).collect();
    assert_eq!(failed, [rye, nothing]);
    assert_eq!(products_here.get(rye).await.unwrap().price_cents, 0);
    assert_eq!(products_here.get(oat).await.unwrap().price_cents, 100);
    assert_eq!(bulk_events(&shop).await[0].0, uuids(&[oat]));

    let ids = |count: usize| {
        (0..count)
            .map(|n| Uuid::from_u128(n as u128).into())
            .collect()
    };
    for (ids, field) in [(Vec::new(), "ids"), (ids(MAX_PRODUCTS_PER_BULK + 1), "ids")] {
        let refused = products_here.delete_many(ids).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some(field)));
    }
    let nothing = ProductInput::default();
    let refused = products_here
        .change_many(vec![rye], nothing)
        .await
        .unwrap_err();
    assert!(matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some("change")));
    let bad = ProductInput::default().price_cents(-1);
    let refused = products_here.change_many(vec![rye], bad).await.unwrap_err();
    assert!(matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some("priceCents")));
}

async fn only_an_owner_changes_in_bulk(shop: Shop) {
    let [rye] = products(&shop, ["Rye"]).await;
    let account = shop.at.account().id;
    let till = NewScreen {
        location_id: shop.at.location().id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    shop.connect.create_screen(account, till).await.unwrap();
    let token = shop
        .connect
        .create_full_token(account, "Sync")
        .await
        .unwrap();
    let address = std::net::IpAddr::from([127, 0, 0, 1]);
    let caller = shop
        .connect
        .authenticate(address, Some(token.secret.expose()))
        .await;
    let caller = caller.unwrap();
    let scope = connect_core::wire::Scope::CatalogWrite;
    let access = caller.authorize(shop.at.location().id, &scope).unwrap();
    assert!(matches!(access.actor(), Actor::Token { .. }));
    let products_here = shop.connect.location(&access).products();
    let refused = products_here.delete_many(vec![rye]).await.unwrap_err();
    assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused}");
    products_here.get(rye).await.unwrap();
}

async fn a_key_is_used_once(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye, oat] = products(&shop, ["Rye", "Oat"]).await;
    let key = || IdempotencyKey::new("once").unwrap();
    let first = products_here
        .delete_many(vec![rye])
        .idempotency_key(key())
        .send()
        .await;
    assert!(!first.unwrap().replayed);
    let again = products_here
        .delete_many(vec![rye])
        .idempotency_key(key())
        .send()
        .await;
    let again = again.unwrap();
    assert!(again.replayed && again.data.affected == 1);
    let other = products_here
        .delete_many(vec![oat])
        .idempotency_key(key())
        .await;
    assert!(matches!(other, Err(Error::Conflict(_))), "{other:?}");
}
