//! Minimums of stock, held against a look at every product.

use std::collections::BTreeMap;

use connect_core::{
    Error, LocationHandle, LowStock, TrailFilter, TrailScope,
    storage::Write,
    wire::{
        Field, Id, Product, ProductInput, Quantity, StockAdjustment, StockCount, query::Paging,
    },
};
use proptest::collection::vec;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::{
    properties::{
        check::{Threads, on_each_backend},
        shop::Shop as AnyShop,
    },
    shop::Shop,
    stored::{
        self,
        family::{LEVEL, MINIMUM},
    },
};

fn quantity(thousandths: i64) -> Quantity {
    Quantity::from_thousandths(thousandths).unwrap()
}

async fn product(here: &LocationHandle, name: &str) -> Id<Product> {
    let made = here.products().create(ProductInput::named(name)).await;
    made.unwrap().id
}

/// The products under their minimum, in pages of so many.
async fn low(here: &LocationHandle, limit: usize) -> Vec<LowStock> {
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let paging = Paging {
            limit: Some(limit),
            cursor,
        };
        let page = here.stock().below_minimum(&paging).await.unwrap();
        assert!(page.data.len() <= limit);
        all.extend(page.data);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return all;
        }
    }
}

#[tokio::test]
async fn the_owner_sets_the_minimum_of_a_product() {
    let shop = Shop::open().await;
    let here = shop.here();
    let bread = product(&here, "Bread").await;
    for (set, expected) in [
        (Some(5000), Some(5000)),
        (Some(5000), Some(5000)),
        (Some(-1), Some(5000)),
        (Some(2500), Some(2500)),
        (None, None),
        (None, None),
        (Some(0), Some(0)),
    ] {
        shop.clock.advance(1);
        match here.stock().set_minimum(bread, set.map(quantity)).await {
            Ok(()) => assert_eq!(set, expected),
            Err(Error::Invalid(reason)) => {
                assert_eq!(reason.field.as_deref(), Some("minimum"));
                assert_ne!(set, expected);
            }
            Err(other) => panic!("{other:?}"),
        }
        let minimums = here.stock().minimums(&[bread]).await.unwrap();
        let found = minimums.first().map(|found| found.minimum.thousandths());
        assert_eq!(found, expected, "{set:?}");
    }
    // Each change has its entry, also the deletion of the product.
    here.products().delete(bread).await.unwrap();
    assert_eq!(here.stock().minimums(&[bread]).await.unwrap(), []);
    let filter = TrailFilter {
        kind: Some("stock minimum".to_owned()),
        ..TrailFilter::default()
    };
    let scope = TrailScope::Account(shop.account);
    let page = shop.connect.trail(scope, &filter, None, 50).await.unwrap();
    let mut told = Vec::new();
    for change in page.entries.iter().rev().flat_map(|entry| &entry.changes) {
        assert_eq!(change.id, bread.uuid());
        told.push(json!([change.action, change.before, change.after]));
    }
    let minimum = |minimum: Json| json!({ "minimum": minimum });
    let expected: Vec<Json> = vec![
        json!(["create", {}, minimum(json!(5))]),
        json!(["change", minimum(json!(5)), minimum(json!(2.5))]),
        json!(["delete", minimum(json!(2.5)), {}]),
        json!(["create", {}, minimum(json!(0))]),
        json!(["delete", minimum(json!(0)), {}]),
    ];
    assert_eq!(told, expected);
    shop.check().await;
}

#[tokio::test]
async fn a_minimum_is_of_a_product_here_and_of_no_token() {
    let shop = Shop::open().await;
    let bread = product(&shop.here(), "Bread").await;
    let there = shop.location("There").await;
    let (token, _) = shop.token().await;
    let unknown: Id<Product> = Uuid::from_u128(7).into();
    for (at, id, code) in [
        (&shop.at, unknown, "not_found"),
        (&there, bread, "not_found"),
        (&token, bread, "forbidden_scope"),
    ] {
        let stock = shop.connect.location(at).stock();
        for minimum in [Some(quantity(1)), None] {
            let refused = stock.set_minimum(id, minimum).await.unwrap_err();
            let found = match refused {
                Error::NotFound(_) => "not_found",
                Error::ForbiddenScope(_) => "forbidden_scope",
                other => panic!("{other:?}"),
            };
            assert_eq!(found, code, "{id}");
        }
    }
    assert_eq!(shop.here().stock().minimums(&[bread]).await.unwrap(), []);
}

#[tokio::test]
async fn a_low_product_is_told_with_what_is_missing() {
    let shop = Shop::open().await;
    let here = shop.here();
    let mut input = ProductInput::named("Bread").external_id("B-1");
    input.category_name = Field::Value("Bakery".into());
    let bread = here.products().create(input).await.unwrap();
    let stock = here.stock();
    stock
        .set_minimum(bread.id, Some(Quantity::MAX))
        .await
        .unwrap();
    // Nothing is known of the stock of an untracked product.
    assert_eq!(low(&here, 1).await, []);
    let correction = StockAdjustment::default()
        .product_id(bread.id)
        .quantity_change(quantity(-2500));
    stock.adjust(correction).await.unwrap();
    let [found] = &low(&here, 1).await[..] else {
        panic!("the product is not low");
    };
    let level = stock.get(bread.id).await.unwrap();
    assert_eq!((found.product_id, &*found.name), (bread.id, "Bread"));
    assert_eq!(found.external_id.as_deref(), Some("B-1"));
    assert_eq!(found.category_id, bread.category_id);
    assert_eq!(
        (found.quantity, found.minimum),
        (quantity(-2500), Quantity::MAX)
    );
    assert_eq!(found.updated_at, level.updated_at);
    let missing = Quantity::MAX.thousandths() + 2500;
    assert_eq!(found.missing.thousandths(), missing);
    // A level equal to its minimum is not under it.
    let minimum = Some(quantity(-2500).max(quantity(0)));
    stock
        .count(bread.id, StockCount::of(quantity(0)))
        .await
        .unwrap();
    stock.set_minimum(bread.id, minimum).await.unwrap();
    assert_eq!(low(&here, 1).await, []);
}

/// The walk through many minimums is in pieces, and a page of it is short rather than late.
#[tokio::test]
async fn a_page_looks_at_a_limited_number_of_minimums() {
    let shop = Shop::open().await;
    let here = shop.here();
    let bread = product(&here, "Bread").await;
    let stock = here.stock();
    stock
        .set_minimum(bread, Some(quantity(2000)))
        .await
        .unwrap();
    stock
        .count(bread, StockCount::of(quantity(1000)))
        .await
        .unwrap();
    // In front of it, those of products that are not tracked.
    let location = shop.at.location().id.uuid();
    let row = |number: u128| {
        let id = Uuid::from_u128(number);
        let key = [location.as_bytes(), &[MINIMUM][..], id.as_bytes()].concat();
        let row = json!({ "productId": id, "minimum": 1 }).to_string();
        (key.into(), Write::Put(row.as_bytes().into()))
    };
    stored::write_all(&*shop.storage, (1..=4100).map(row).collect()).await;
    let mut paging = Paging::default();
    let mut found = Vec::new();
    loop {
        let page = stock.below_minimum(&paging).await.unwrap();
        found.push(page.data.len());
        paging.cursor = page.next_cursor;
        if paging.cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, [0, 0, 1]);
    for (limit, cursor, field) in [
        (Some(0), None, "limit"),
        (Some(201), None, "limit"),
        (None, Some("x".to_owned()), "cursor"),
    ] {
        let bad = stock.below_minimum(&Paging { limit, cursor }).await;
        let Err(Error::Malformed(reason)) = bad else {
            panic!("{field}: {bad:?}");
        };
        assert_eq!(reason.field.as_deref(), Some(field));
    }
}

/// The damage of one product is no reason to tell of none.
#[tokio::test]
async fn damaged_rows_hide_no_other_product() {
    let shop = Shop::open().await;
    let here = shop.here();
    let stock = here.stock();
    let mut ids = Vec::new();
    for name in ["Damaged minimum", "Damaged level", "Low"] {
        let id = product(&here, name).await;
        stock.set_minimum(id, Some(quantity(2000))).await.unwrap();
        let count = StockCount::of(quantity(1000));
        stock.count(id, count).await.unwrap();
        ids.push(id);
    }
    let location = shop.at.location().id.uuid();
    for (id, family) in [(ids[0], MINIMUM), (ids[1], LEVEL)] {
        let id = id.uuid();
        let key = [location.as_bytes(), &[family][..], id.as_bytes()].concat();
        stored::write(&*shop.storage, &key, stored::garbage()).await;
    }
    for limit in [1, 200] {
        let found = low(&here, limit).await;
        let found: Vec<_> = found.iter().map(|low| low.product_id).collect();
        assert_eq!(found, [ids[2]], "{limit}");
    }
}

/// What is done: on which of the products, with which number of thousandths.
type Op = (u8, usize, i64);

/// A product of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Naive {
    quantity: Option<i64>,
    minimum: Option<i64>,
}

impl Naive {
    fn missing(self) -> Option<i64> {
        let missing = self.minimum? - self.quantity?;
        (missing > 0).then_some(missing)
    }
}

async fn minimums_are_as_in_the_model(shop: AnyShop, ops: Vec<Op>, limit: usize) {
    let here = shop.connect.location(&shop.at);
    let stock = here.stock();
    let mut model: BTreeMap<Id<Product>, Naive> = BTreeMap::new();
    let mut all = Vec::new();
    for (op, which, number) in ops {
        let ids: Vec<_> = model.keys().copied().collect();
        let chosen = ids.get(which % ids.len().max(1)).copied();
        let (Some(id), 1..) = (chosen, op) else {
            let id = product(&here, "Bread").await;
            model.insert(id, Naive::default());
            all.push(id);
            continue;
        };
        let naive = model.get_mut(&id).unwrap();
        match op {
            1 | 2 => {
                let set = stock.set_minimum(id, Some(quantity(number.abs()))).await;
                set.unwrap();
                naive.minimum = Some(number.abs());
            }
            3 => {
                stock.set_minimum(id, None).await.unwrap();
                naive.minimum = None;
            }
            4 => {
                let count = StockCount::of(quantity(number.abs()));
                stock.count(id, count).await.unwrap();
                naive.quantity = Some(number.abs());
            }
            5 if number != 0 => {
                let correction = StockAdjustment::default()
                    .product_id(id)
                    .quantity_change(quantity(number));
                stock.adjust(correction).await.unwrap();
                naive.quantity = Some(naive.quantity.unwrap_or_default() + number);
            }
            6 => {
                here.products().delete(id).await.unwrap();
                model.remove(&id);
            }
            _ => {}
        }
    }
    let found = low(&here, limit).await;
    let found = found.iter().map(|low| {
        let missing = low.missing.thousandths();
        let naive = Naive {
            quantity: Some(low.quantity.thousandths()),
            minimum: Some(low.minimum.thousandths()),
        };
        (low.product_id, naive, missing)
    });
    let expected = model.iter();
    let expected = expected.filter_map(|(id, naive)| Some((*id, *naive, naive.missing()?)));
    let (found, expected): (Vec<_>, Vec<_>) = (found.collect(), expected.collect());
    assert_eq!(found, expected);
    // Those of deleted products are gone.
    let found = stock.minimums(&all).await.unwrap();
    let found = found
        .iter()
        .map(|found| (found.product_id, found.minimum.thousandths()));
    let expected = all.iter();
    let expected = expected.filter_map(|id| Some((*id, model.get(id)?.minimum?)));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

on_each_backend!(
    any_minimums,
    Threads::One,
    100,
    5,
    (
        vec((0..7_u8, 0..9_usize, -3000..3000_i64), 1..40),
        1_usize..4
    ),
    |shop, (ops, limit)| async move { minimums_are_as_in_the_model(shop, ops, limit).await }
);
