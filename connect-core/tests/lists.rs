//! Lists with deletions over a long time, lists through crowded indexes, and what a list says of
//! the state that it shows.

use std::collections::BTreeSet;

use connect_core::{
    Error,
    wire::{
        AnyEvent, Category, CategoryInput, Entry, Field, Id, Page, Product, ProductBatch,
        ProductInput, Timestamp,
        query::{CategoryQuery, EventQuery, ProductQuery, SyncQuery},
    },
};

use crate::shop::{self, START, Shop};

const DAY: i64 = 24 * 3600;
/// The byte of its family in a key, as the catalogue of keys has it.
const PRODUCT_TOMBSTONE: u8 = 0x32;

/// A page with deletions.
async fn page(
    shop: &Shop,
    since: Option<Timestamp>,
    cursor: Option<&str>,
) -> Result<Page<Entry<Product>>, Error> {
    let query = ProductQuery {
        sync: SyncQuery {
            updated_since: since,
            cursor: cursor.map(str::to_owned),
            limit: Some(1),
            include_deleted: true,
        },
        ..ProductQuery::default()
    };
    shop.products().list_with_deleted(&query).await
}

async fn create(shop: &Shop, name: &str) -> Product {
    shop.products()
        .create(ProductInput::named(name))
        .await
        .unwrap()
}

async fn delete(shop: &Shop, id: Id<Product>) {
    shop.products().delete(id).await.unwrap();
}

fn assert_too_old<T: std::fmt::Debug>(refused: Result<T, Error>, field: &str) {
    let failure = refused.unwrap_err();
    assert!(matches!(failure, Error::Malformed(_)));
    assert_eq!(failure.detail().field.as_deref(), Some(field), "{failure}");
}

#[tokio::test]
async fn a_walk_is_held_against_when_it_began() {
    let shop = Shop::open().await;
    for number in 0..3 {
        create(&shop, &format!("Bread {number}")).await;
    }
    let first = page(&shop, None, None).await.unwrap();
    let cursor = first.next_cursor.unwrap();
    shop.clock.advance(90 * DAY);
    // On the last day it goes on, and so does a walk that begins now and stands at an old place.
    let second = page(&shop, None, Some(&cursor)).await.unwrap();
    let old = second.next_cursor.unwrap();
    let young = page(&shop, None, None).await.unwrap().next_cursor.unwrap();
    shop.clock.advance(1);
    for cursor in [&cursor, &old] {
        assert_too_old(page(&shop, None, Some(cursor)).await, "cursor");
    }
    let mut cursor = Some(young);
    let mut found = 1;
    while let Some(at) = cursor {
        let page = page(&shop, None, Some(&at)).await.unwrap();
        found += page.data.len();
        cursor = page.next_cursor;
    }
    assert_eq!(found, 3);
    // Without deletions nothing is missing, however long it takes.
    let query = |cursor| ProductQuery {
        sync: SyncQuery {
            cursor,
            limit: Some(1),
            ..SyncQuery::default()
        },
        ..ProductQuery::default()
    };
    let plain = shop.products().list(&query(None)).await;
    let cursor = plain.unwrap().next_cursor;
    shop.clock.advance(91 * DAY);
    let plain = shop.products().list(&query(cursor)).await;
    assert_eq!(plain.unwrap().data[0].name, "Bread 1");
}

/// A walk through the changes since a time goes on as long as no deletion behind its place was
/// purged.
#[tokio::test]
async fn a_walk_that_is_past_what_was_purged_goes_on() {
    let shop = Shop::open().await;
    shop.connect.maintain().await.unwrap();
    let gone = create(&shop, "Gone").await;
    delete(&shop, gone.id).await;
    shop.clock.advance(10 * DAY);
    for number in 0..3 {
        create(&shop, &format!("Bread {number}")).await;
    }
    shop.clock.advance(79 * DAY);
    let since = Some(START);
    let first = page(&shop, since, None).await.unwrap();
    let before = first.next_cursor.unwrap();
    let second = page(&shop, since, Some(&before)).await.unwrap();
    let behind = second.next_cursor.unwrap();
    shop.clock.advance(2 * DAY);
    assert_eq!(shop.connect.maintain().await.unwrap().tombstones, 1);
    // Nobody knows any more what lay between the one and the purge.
    assert_too_old(page(&shop, since, Some(&before)).await, "cursor");
    let third = page(&shop, since, Some(&behind)).await.unwrap();
    assert_eq!(third.data.len(), 1);
    assert_too_old(page(&shop, since, None).await, "updatedSince");
}

/// Nothing came after the last event, so nothing is missed when it is purged.
#[tokio::test]
async fn a_walk_goes_on_after_a_purged_last_event() {
    let shop = Shop::open().await;
    create(&shop, "Rye").await;
    create(&shop, "Oat").await;
    let after = async |event: Option<Id<AnyEvent>>| {
        let query = EventQuery {
            after: event,
            ..EventQuery::default()
        };
        shop.here().events().list(&query).await
    };
    let events = after(None).await.unwrap().data;
    shop.clock.advance(31 * DAY);
    shop.connect.maintain().await.unwrap();
    assert!(after(Some(events[0].id)).await.is_err());
    assert_eq!(after(Some(events[1].id)).await.unwrap().data, []);
}

/// What was purged stays purged when the clock goes back.
#[tokio::test]
async fn purged_deletions_are_missed_whatever_the_clock_says() {
    const MINUTE: i64 = 60;
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    connect.maintain().await.unwrap();
    let category = connect
        .location(at)
        .categories()
        .create(CategoryInput::named("Food"))
        .await
        .unwrap();
    let gone = create(&shop, "Gone").await;
    delete(&shop, gone.id).await;
    shop.clock.advance(60 * MINUTE);
    connect
        .location(at)
        .categories()
        .delete(category.id)
        .await
        .unwrap();

    // The clock is 50 minutes ahead, which is believed. One of the two deletions cannot be read.
    shop.clock.advance(90 * DAY - 10 * MINUTE);
    shop.clock.set(START.plus_seconds(90 * DAY + 100 * MINUTE));
    let tombstones = [at.location().id.uuid().as_bytes(), &[PRODUCT_TOMBSTONE][..]].concat();
    shop.storage.damage(&tombstones);
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.tombstones, round.failed), (1, 1));
    shop.storage.heal();
    shop.clock.set(START.plus_seconds(90 * DAY + 50 * MINUTE));
    let since = |minutes| Some(START.plus_seconds(minutes * MINUTE));
    assert_too_old(page(&shop, since(99), None).await, "updatedSince");
    page(&shop, since(100), None).await.unwrap();

    // A round by the right clock purges less, and takes nothing back; nor does a new process.
    assert_eq!(connect.maintain().await.unwrap().tombstones, 1);
    assert_too_old(page(&shop, since(99), None).await, "updatedSince");
    let shop = Shop {
        connect: shop.beside(),
        ..shop
    };
    shop.connect.maintain().await.unwrap();
    assert_too_old(page(&shop, since(99), None).await, "updatedSince");
    page(&shop, since(100), None).await.unwrap();
}

#[tokio::test]
async fn more_holders_of_a_barcode_than_are_sorted() {
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    let category = connect
        .location(at)
        .categories()
        .create(CategoryInput::named("Food"))
        .await
        .unwrap();
    let mut names = Vec::new();
    for batch in 0..3 {
        let items = (0..400).map(|number| ProductInput {
            barcode: match number % 2 {
                0 => Field::Value("SAME".into()),
                _ => Field::Value(format!("{number}")),
            },
            category_id: match number % 3 {
                0 => Field::Value(category.id),
                _ => Field::Absent,
            },
            ..ProductInput::named(format!("{batch}-{number}"))
        });
        let items: Vec<_> = items.collect();
        names.extend(items.iter().filter_map(|item| item.name.value().cloned()));
        let batch = ProductBatch::new(items);
        connect.location(at).products().batch(batch).await.unwrap();
    }
    for (barcode, in_category) in [(true, false), (false, true), (true, true)] {
        let number = |name: &&String| -> usize {
            let (_, number) = name.split_once('-').unwrap();
            number.parse().unwrap()
        };
        let passes = |name: &&String| {
            (!barcode || number(name) % 2 == 0) && (!in_category || number(name) % 3 == 0)
        };
        let expected: BTreeSet<&String> = names.iter().filter(passes).collect();
        let mut query = ProductQuery {
            barcode: barcode.then(|| "SAME".to_owned()),
            category_id: in_category.then_some(category.id),
            sync: SyncQuery {
                limit: Some(70),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let mut found: Vec<Product> = Vec::new();
        loop {
            let page = connect.location(at).products().list(&query).await.unwrap();
            found.extend(page.data);
            query.sync.cursor = page.next_cursor;
            if query.sync.cursor.is_none() {
                break;
            }
        }
        assert!(found.is_sorted_by_key(|product| (product.updated_at, product.id)));
        let count = found.len();
        let found: BTreeSet<&String> = found.iter().map(|product| &product.name).collect();
        assert_eq!((count, found), (expected.len(), expected));
    }
}

#[tokio::test]
async fn a_list_says_which_state_it_shows() {
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    let state = async || {
        let products = connect
            .location(at)
            .json::<Product>()
            .list(&ProductQuery::default())
            .await;
        let categories = connect
            .location(at)
            .json::<Category>()
            .list(&CategoryQuery::default())
            .await;
        let states = [
            products.unwrap().state().unwrap(),
            categories.unwrap().state().unwrap(),
        ];
        assert_eq!(states[0], states[1]);
        states[0]
    };
    assert_eq!(state().await, Timestamp::EPOCH);
    let bread = create(&shop, "Bread").await;
    assert_eq!(state().await, bread.updated_at);
    let category = connect
        .location(at)
        .categories()
        .create(CategoryInput::named("Food"))
        .await
        .unwrap();
    assert_eq!(state().await, category.updated_at);
    shop.clock.advance(60);
    delete(&shop, bread.id).await;
    assert_eq!(state().await, START.plus_seconds(60));
    // What changes nothing is no change, and other locations have a state of their own.
    let same = connect
        .location(at)
        .json::<Category>()
        .update(category.id.uuid(), CategoryInput::named("Food").into());
    same.await.unwrap();
    let there = shop::location(connect, shop.account, "There").await;
    shop.clock.advance(60);
    let tea = connect
        .location(&there)
        .json::<Product>()
        .create(ProductInput::named("Tea").into());
    tea.await.unwrap();
    assert_eq!(state().await, START.plus_seconds(60));
}

/// Embedders set the limit without a query string that would check it.
#[tokio::test]
async fn a_limit_out_of_bounds_is_refused() {
    let shop = Shop::open().await;
    create(&shop, "Rye").await;
    for limit in [0, 201, usize::MAX] {
        let query = ProductQuery {
            sync: SyncQuery {
                limit: Some(limit),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let refused = shop.products().list(&query).await.unwrap_err();
        assert!(refused.to_string().contains("limit"), "{refused}");
    }
}
