//! Products changed and deleted in bulk by their owner.

use connect_core::{
    Access, Actor, Error, NewScreen, PriceChange, PriceDifference, PriceRounding, ScreenType,
    SeenPrice,
    storage::Write,
    wire::{
        Category, CategoryInput, EventType, Field, Id, IdempotencyKey, Product, ProductBatch,
        ProductInput, ProductsChanged, StockCount, VatRate,
        limits::{MAX_DESCRIPTION, MAX_PRICE_CENTS, MAX_PRODUCTS_PER_BULK},
        query::ProductQuery,
    },
};
use uuid::Uuid;

use crate::{
    properties::shop::{Backend, Shop, events},
    stored,
};

on_each_store!(many_are_changed_with_one_event);
on_each_store!(many_are_deleted_with_one_event);
on_each_store!(a_product_that_fails_spoils_no_other);
on_each_store!(only_an_owner_changes_in_bulk);
on_each_store!(a_key_is_used_once);
on_each_store!(prices_are_changed_as_their_preview_says);
on_each_store!(the_last_bulk_change_is_undone_exactly);
on_each_store!(an_undo_is_refused_once_anything_has_changed);
on_each_store!(a_deletion_and_an_image_cannot_be_undone);
on_each_store!(only_an_owner_undoes);
on_each_store!(an_undo_is_offered_for_a_week);
on_each_store!(an_unreadable_bulk_change_counts_as_none);
on_each_store!(a_record_read_before_is_not_overwritten);

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

/// The access of an integrator with every right.
async fn integrator(shop: &Shop) -> Access {
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
    access
}

async fn only_an_owner_changes_in_bulk(shop: Shop) {
    let [rye] = products(&shop, ["Rye"]).await;
    let access = integrator(&shop).await;
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

/// The products as they are, without the time of their last changes.
async fn as_they_are(shop: &Shop, ids: &[Id<Product>]) -> Vec<Product> {
    let products = shop.connect.location(&shop.at).products();
    let mut found = products.get_many(ids).await.unwrap();
    for product in &mut found {
        product.updated_at = product.created_at;
    }
    found
}

/// The products with their present prices; missing ones with a price of 0.
async fn seen_prices(shop: &Shop, ids: &[Id<Product>]) -> Vec<SeenPrice> {
    let found = as_they_are(shop, ids).await;
    let cents = |id| {
        let product = found.iter().find(|product| product.id == id);
        product.map_or(0, |product| product.price_cents)
    };
    let seen = ids.iter().map(|id| SeenPrice {
        id: *id,
        cents: cents(*id),
    });
    seen.collect()
}

/// The product that failed, and the field at fault.
fn only(failed: &[connect_core::ProductBulkFailure]) -> Vec<(Id<Product>, Option<&str>)> {
    let failed = failed.iter();
    let named = failed.map(|failure| (failure.id, failure.error.field.as_deref()));
    named.collect()
}

async fn prices_are_changed_as_their_preview_says(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let ids = products(&shop, ["Rye", "Oat", "Rice"]).await;
    let gone: Id<Product> = Uuid::from_u128(0xDEAD).into();
    let all = [&ids[..], &[gone, ids[0]]].concat();
    for (id, price) in ids.into_iter().zip([345, 20, 0]) {
        let priced = ProductInput::default().price_cents(price);
        products_here.update(id, priced).await.unwrap();
    }
    let percent = |tenths, rounding| PriceChange {
        by: PriceDifference::TenthsOfPercent(tenths),
        rounding,
    };
    let cents = |cents| PriceChange {
        by: PriceDifference::Cents(cents),
        rounding: PriceRounding::Cent,
    };
    // The change, the prices after it, and how many products cannot have it.
    for (change, after, refused) in [
        (percent(100, PriceRounding::Cent), [380, 22, 0], 0),
        (percent(-55, PriceRounding::FiveCents), [360, 20, 0], 0),
        (cents(-21), [339, 20, 0], 2),
        (cents(MAX_PRICE_CENTS), [339, 20, MAX_PRICE_CENTS], 2),
    ] {
        let before = as_they_are(&shop, &ids).await;
        let preview = products_here.preview_prices(all.clone(), change);
        let preview = preview.await.unwrap();
        assert_eq!(as_they_are(&shop, &ids).await, before, "{change:?}");
        let events_before = bulk_events(&shop).await.len();
        let seen = seen_prices(&shop, &all).await;
        let result = products_here.change_prices(seen.clone(), change).await;
        let result = result.unwrap();
        assert_eq!(preview.failed, result.failed, "{change:?}");
        assert_eq!(result.failed.len(), refused + 1, "{change:?}");
        let failed = only(&result.failed);
        assert!(failed.contains(&(gone, None)), "{failed:?}");
        let is_of_price = |(id, field): &&(_, _)| *id == gone || *field == Some("priceCents");
        assert_eq!(failed.iter().filter(is_of_price).count(), failed.len());
        let now = as_they_are(&shop, &ids).await;
        let prices: Vec<_> = now.iter().map(|product| product.price_cents).collect();
        assert_eq!(prices, after, "{change:?}");
        for shown in preview.products {
            let place = ids.iter().position(|id| *id == shown.id).unwrap();
            let expected = (before[place].price_cents, after[place]);
            assert_eq!((shown.old_cents, shown.new_cents), expected, "{change:?}");
            assert_eq!(shown.name, now[place].name);
        }
        let changed = before.iter().zip(&now).filter(|(old, new)| old != new);
        assert_eq!(changed.count(), result.affected, "{change:?}");
        let events = bulk_events(&shop).await;
        assert_eq!(events.len(), events_before + 1, "{change:?}");
        assert_eq!(events.last().unwrap().0.len(), result.affected);
        // The same once more, of a reader with the prices before.
        let again = products_here.change_prices(seen, change).await.unwrap();
        assert_eq!(again.affected, 0, "{change:?}");
        assert_eq!(as_they_are(&shop, &ids).await, now, "{change:?}");
        for (old, new) in before.iter().zip(&now).filter(|(old, new)| old != new) {
            let place = again.failed.iter().find(|failure| failure.id == old.id);
            let message = &place.unwrap().error.message;
            assert!(message.contains("has changed since"), "{new:?}: {message}");
        }
    }
    for (ids, change, field) in [
        (all.clone(), cents(0), "change"),
        (
            all.clone(),
            percent(-1001, PriceRounding::TenCents),
            "change",
        ),
        (Vec::new(), cents(1), "ids"),
    ] {
        let preview = products_here.preview_prices(ids.clone(), change).await;
        let seen = seen_prices(&shop, &ids).await;
        let changed = products_here.change_prices(seen, change).await;
        for refused in [preview.unwrap_err(), changed.unwrap_err()] {
            assert!(
                matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some(field)),
                "{refused}"
            );
        }
    }
}

async fn the_last_bulk_change_is_undone_exactly(shop: Shop) {
    let location = shop.connect.location(&shop.at);
    let products_here = location.products();
    let ids = products(&shop, ["Rye", "Oat", "Rice"]).await;
    let bread = CategoryInput::named("Bread");
    let bread = location.categories().create(bread).await.unwrap().id;
    let own = ProductInput {
        category_id: Field::Value(bread),
        description: "Of the day".into(),
        barcode: "87".into(),
        available_until: Field::Value("2026-11-21".parse().unwrap()),
        ..ProductInput::default().price_cents(345)
    };
    products_here.update(ids[0], own).await.unwrap();
    assert_eq!(products_here.last_bulk().await.unwrap(), None);

    let everything = ProductInput {
        category_name: Field::Value("Cake".into()),
        description: Field::Null,
        barcode: "88".into(),
        vat_rate: Field::Value(VatRate::percent(9)),
        is_active: Field::Value(false),
        available_from: Field::Value("2026-11-20".parse().unwrap()),
        available_until: Field::Null,
        ..ProductInput::named("Bun").price_cents(100)
    };
    let code = ProductInput::default().external_id("R-2");
    let price = PriceChange {
        by: PriceDifference::TenthsOfPercent(335),
        rounding: PriceRounding::FiveCents,
    };
    for (number, name) in ["change", "code", "price"].into_iter().enumerate() {
        let before = as_they_are(&shop, &ids).await;
        let key = || IdempotencyKey::new(name).unwrap();
        let seen = seen_prices(&shop, &ids).await;
        let mut expected = 0;
        // The repeated write is answered from its key, and leaves the row as it is.
        for _ in 0..2 {
            let write = match name {
                "change" => products_here.change_many(ids.to_vec(), everything.clone()),
                "code" => products_here.change_many(vec![ids[1]], code.clone()),
                _ => products_here.change_prices(seen.clone(), price),
            };
            let done = write.idempotency_key(key()).send().await.unwrap();
            expected = done.data.affected;
        }
        // Neither does a change without an effect.
        if name != "price" {
            let same = match name {
                "change" => products_here.change_many(ids.to_vec(), everything.clone()),
                _ => products_here.change_many(vec![ids[1]], code.clone()),
            };
            assert_eq!(same.await.unwrap().affected, 0);
        }
        assert_ne!(as_they_are(&shop, &ids).await, before, "{name}");
        let last = products_here.last_bulk().await.unwrap().unwrap();
        assert_eq!((last.products, last.user_id), (expected, None), "{name}");
        assert!(last.is_undoable, "{name}");
        let undo = products_here.undo_last_bulk(last.at);
        let undone = undo.await.unwrap();
        let counts = (undone.affected, undone.unchanged, undone.failed.len());
        assert_eq!(counts, (expected, 0, 0), "{name}");
        assert_eq!(as_they_are(&shop, &ids).await, before, "{name}");
        assert_eq!(bulk_events(&shop).await.len(), 2 * (number + 1), "{name}");
        assert_eq!(products_here.last_bulk().await.unwrap(), None, "{name}");
        let again = products_here.undo_last_bulk(last.at).await.unwrap_err();
        assert!(matches!(again, Error::Conflict(_)), "{again}");
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn an_undo_is_refused_once_anything_has_changed(shop: Shop) {
    let location = shop.connect.location(&shop.at);
    let products_here = location.products();
    let cheaper = || ProductInput::default().price_cents(1);
    for what in ["change", "delete", "count", "bulk"] {
        let names = ["A", "B", "C"].map(|name| format!("{name} {what}"));
        let ids = products(&shop, [&*names[0], &*names[1], &*names[2]]).await;
        let many = products_here.change_many(ids.to_vec(), cheaper());
        assert_eq!(many.await.unwrap().affected, 3);
        let last = products_here.last_bulk().await.unwrap().unwrap();
        match what {
            "change" => {
                let renamed = ProductInput::named("Bun");
                products_here.update(ids[1], renamed).await.unwrap();
            }
            "delete" => products_here.delete(ids[2]).await.unwrap(),
            // The stock of a product is a part of it.
            "count" => {
                let count = StockCount::of("3".parse().unwrap());
                location.stock().count(ids[0], count).await.unwrap();
            }
            _ => {
                let other = ProductInput::default().price_cents(2);
                products_here
                    .change_many(vec![ids[0]], other)
                    .await
                    .unwrap();
            }
        }
        let is_other = what == "bulk";
        let now = products_here.last_bulk().await.unwrap().unwrap();
        assert_eq!((now.at != last.at, now.is_undoable), (is_other, is_other));
        let before = as_they_are(&shop, &ids).await;
        let refused = products_here.undo_last_bulk(last.at).await.unwrap_err();
        let Error::Conflict(reason) = &refused else {
            panic!("{refused:?}");
        };
        let counts = reason.problem.contains("1 of its 3 products");
        assert_eq!(counts, !is_other, "{what}: {refused}");
        assert_eq!(as_they_are(&shop, &ids).await, before, "{what}");
    }
    // A former category that is gone cannot come back: nothing is restored.
    let bread = CategoryInput::named("Bread");
    let bread = location.categories().create(bread).await.unwrap().id;
    let ids = products(&shop, ["Rye", "Oat"]).await;
    let in_bread = ProductInput {
        category_id: Field::Value(bread),
        ..ProductInput::default()
    };
    products_here.update(ids[1], in_bread).await.unwrap();
    let out = ProductInput {
        category_id: Field::Null,
        ..cheaper()
    };
    let many = products_here.change_many(ids.to_vec(), out);
    assert_eq!(many.await.unwrap().affected, 2);
    location.categories().delete(bread).await.unwrap();
    let before = as_they_are(&shop, &ids).await;
    let last = products_here.last_bulk().await.unwrap().unwrap();
    assert!(!last.is_undoable, "what is refused is not offered");
    let refused = products_here.undo_last_bulk(last.at).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Conflict(why) if why.problem.contains("category")),
        "{refused}"
    );
    assert_eq!(as_they_are(&shop, &ids).await, before);
}

async fn an_undo_is_offered_for_a_week(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye] = products(&shop, ["Rye"]).await;
    let cheaper = ProductInput::default().price_cents(1);
    let many = products_here.change_many(vec![rye], cheaper.clone());
    many.await.unwrap();
    let last = products_here.last_bulk().await.unwrap().unwrap();
    let rows = async || {
        let before = stored::of_family(&*shop.storage, stored::family::BULK_BEFORE).await;
        let head = stored::of_family(&*shop.storage, stored::family::BULK_HEAD).await;
        (before.len(), head.len())
    };
    const WEEK: i64 = 7 * 24 * 3600;
    // The change is a little later than its clock.
    shop.clock.advance(WEEK - 1);
    shop.connect.maintain().await.unwrap();
    assert_eq!(products_here.last_bulk().await.unwrap(), Some(last));
    assert_eq!(rows().await, (1, 1));
    shop.clock.advance(2);
    assert_eq!(products_here.last_bulk().await.unwrap(), None);
    let refused = products_here.undo_last_bulk(last.at).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Conflict(why) if why.problem.contains("7 days")),
        "{refused}"
    );
    assert_eq!(rows().await, (1, 1));
    shop.connect.maintain().await.unwrap();
    assert_eq!(rows().await, (0, 0));
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

/// The page of products and the undo do without what cannot be read.
async fn an_unreadable_bulk_change_counts_as_none(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye] = products(&shop, ["Rye"]).await;
    for (family, cents) in [
        (stored::family::BULK_HEAD, 1),
        (stored::family::BULK_BEFORE, 2),
    ] {
        let priced = ProductInput::default().price_cents(cents);
        products_here.change_many(vec![rye], priced).await.unwrap();
        let last = products_here.last_bulk().await.unwrap().unwrap();
        let row = stored::of_family(&*shop.storage, family).await;
        stored::write(&*shop.storage, &row[0].0, stored::garbage()).await;
        if family == stored::family::BULK_HEAD {
            assert_eq!(products_here.last_bulk().await.unwrap(), None);
        } else {
            let refused = products_here.undo_last_bulk(last.at).await.unwrap_err();
            assert!(matches!(refused, Error::Conflict(_)), "{refused}");
        }
        let report = shop.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problem_count, 1, "{:?}", report.problems);
    }
}

/// A row has a largest size. Beyond it the change is made, and cannot be undone.
#[tokio::test]
async fn a_bulk_change_of_long_texts_cannot_be_undone() {
    let shop = Shop::open(Backend::Memory).await;
    let products_here = shop.connect.location(&shop.at).products();
    // Of four bytes each.
    let long = "\u{1F35E}".repeat(MAX_DESCRIPTION);
    let mut ids = Vec::new();
    for part in 0..3 {
        let items = (0..200).map(|number| ProductInput {
            external_id: Field::Value(format!("{part}-{number}")),
            description: long.as_str().into(),
            ..ProductInput::named("Bread")
        });
        let batch = ProductBatch::new(items.collect());
        let made = products_here.batch(batch).await.unwrap();
        assert_eq!(made.created, 200);
    }
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    loop {
        let page = products_here.list(&query).await.unwrap();
        ids.extend(page.data.iter().map(|product| product.id));
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() {
            break;
        }
    }
    let short = ProductInput {
        description: "Fresh".into(),
        ..ProductInput::default()
    };
    for (count, is_kept) in [(100, true), (500, true), (600, false)] {
        let again = ProductInput {
            description: long.as_str().into(),
            ..ProductInput::default()
        };
        let many = ids[..count].to_vec();
        let changed = products_here.change_many(many.clone(), short.clone()).await;
        assert_eq!(changed.unwrap().affected, count);
        let last = products_here.last_bulk().await.unwrap();
        assert_eq!(last.is_some(), is_kept, "{count}");
        products_here.change_many(many, again).await.unwrap();
    }
}

async fn a_deletion_and_an_image_cannot_be_undone(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let cheaper = ProductInput::default().price_cents(1);
    for what in ["delete", "image", "same image", "nothing"] {
        let names = ["A", "B"].map(|name| format!("{name} {what}"));
        let [one, two] = products(&shop, [&*names[0], &*names[1]]).await;
        let many = products_here.change_many(vec![one], cheaper.clone());
        many.await.unwrap();
        let last = products_here.last_bulk().await.unwrap();
        match what {
            "delete" => products_here.delete_many(vec![two]).await.unwrap(),
            "image" => {
                let pictured = ProductInput {
                    image_url: "https://images.example/rye".into(),
                    ..ProductInput::default()
                };
                let many = products_here.change_many(vec![two], pictured);
                many.await.unwrap()
            }
            // There is no image to be removed.
            "same image" => {
                let plain = ProductInput {
                    image_url: Field::Null,
                    ..ProductInput::default().price_cents(1)
                };
                let many = products_here.change_many(vec![two], plain);
                many.await.unwrap()
            }
            // A deletion of no product is none.
            _ => {
                let gone = Uuid::from_u128(0xDEAD).into();
                products_here.delete_many(vec![gone]).await.unwrap()
            }
        };
        let now = products_here.last_bulk().await.unwrap();
        if what == "same image" {
            assert!(now.is_some_and(|now| now.is_undoable && Some(now) != last));
            continue;
        }
        let expected = last.filter(|_| what == "nothing");
        assert_eq!(now, expected, "{what}");
    }
    // The check reads the row.
    let row = stored::of_family(&*shop.storage, stored::family::BULK_BEFORE).await;
    let (key, _) = row.into_iter().next().unwrap();
    stored::write(&*shop.storage, &key, Write::Put(b"{}".as_slice().into())).await;
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problem_count, 1, "{:?}", report.problems);
}

async fn only_an_owner_undoes(shop: Shop) {
    let [rye] = products(&shop, ["Rye"]).await;
    let own = shop.connect.location(&shop.at).products();
    let cheaper = ProductInput::default().price_cents(1);
    own.change_many(vec![rye], cheaper).await.unwrap();
    let last = own.last_bulk().await.unwrap().unwrap();
    let access = integrator(&shop).await;
    let theirs = shop.connect.location(&access).products();
    let change = PriceChange {
        by: PriceDifference::Cents(1),
        rounding: PriceRounding::Cent,
    };
    let seen = seen_prices(&shop, &[rye]).await;
    let refused = [
        theirs.last_bulk().await.err(),
        theirs.undo_last_bulk(last.at).await.err(),
        theirs.change_prices(seen, change).await.err(),
        theirs.preview_prices(vec![rye], change).await.err(),
    ];
    for (place, refused) in refused.into_iter().enumerate() {
        let is_forbidden = matches!(refused, Some(Error::ForbiddenScope(_)));
        assert!(is_forbidden, "{place}: {refused:?}");
    }
    assert_eq!(own.last_bulk().await.unwrap(), Some(last));
    assert_eq!(own.get(rye).await.unwrap().price_cents, 1);
}

async fn a_record_read_before_is_not_overwritten(shop: Shop) {
    let products_here = shop.connect.location(&shop.at).products();
    let [rye] = products(&shop, ["Rye"]).await;
    let read = products_here.get(rye).await.unwrap().updated_at;
    let priced = |cents| ProductInput::default().price_cents(cents);
    let key = || IdempotencyKey::new("edit").unwrap();
    let edit = || products_here.update_unchanged(rye, read, priced(2));
    let changed = edit().idempotency_key(key()).await.unwrap();
    assert_eq!(changed.price_cents, 2);
    // The repeated write is answered, another one is refused.
    let again = edit().idempotency_key(key()).send().await.unwrap();
    assert!(again.replayed);
    let late = products_here.update_unchanged(rye, read, priced(3));
    let refused = late.await.unwrap_err();
    assert!(
        matches!(&refused, Error::Conflict(why) if why.field.as_deref() == Some("updatedAt")),
        "{refused}"
    );
    let now = products_here.update_unchanged(rye, changed.updated_at, priced(3));
    assert_eq!(now.await.unwrap().price_cents, 3);
}
