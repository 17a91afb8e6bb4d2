//! Lists, and writes, beside damaged rows.

use connect_core::{
    Error,
    storage::{Commit, Storage, Value, Write},
    wire::{
        Field, Page, Product, ProductBatch, ProductInput, Timestamp,
        query::{ProductQuery, SyncQuery},
    },
};
use serde_json::Value as Json;
use uuid::Uuid;

use super::{PRODUCT, PRODUCT_BY_CHANGE, TOMBSTONE, create, key_of, start};
use crate::{
    faulty::rows,
    shop::{self, Shop},
};

#[tokio::test]
async fn an_unreadable_product_harms_no_other() {
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    let mut products = Vec::new();
    for number in 0..10 {
        products.push(create(connect, at, &format!("P-{number}")).await);
    }
    let torn = [
        &start(at.location().id, PRODUCT)[..],
        products[5].id.uuid().as_bytes(),
    ]
    .concat();
    shop.storage.damage(&torn);

    for (number, product) in products.iter().enumerate() {
        let read = connect.location(at).products().get(product.id).await;
        match number {
            5 => assert!(matches!(read.unwrap_err(), Error::Internal(_))),
            _ => assert_eq!(read.unwrap(), *product),
        }
    }
    // The lists up to it, and those from behind it.
    let page = async |since: usize, limit| {
        let query = ProductQuery {
            sync: SyncQuery {
                updated_since: Some(products[since].updated_at),
                limit: Some(limit),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let page = connect.location(at).products().list(&query).await;
        page.map(|page| page.data)
    };
    assert_eq!(page(0, 4).await.unwrap(), products[..4]);
    assert_eq!(page(6, 50).await.unwrap(), products[6..]);
    // A page ends before it, and the page that begins with it fails.
    assert_eq!(page(3, 4).await.unwrap(), products[3..5]);
    let failure = page(5, 4).await.unwrap_err();
    assert!(matches!(failure, Error::Internal(_)));
    assert!(failure.to_string().contains("check"), "{failure}");

    // A batch that touches it fails, those beside it do not.
    let batch = async |names: &[&str]| {
        let items = names.iter().map(|name| ProductInput {
            external_id: Field::Value((*name).into()),
            price_cents: Field::Value(5),
            ..ProductInput::default()
        });
        let batch = ProductBatch::new(items.collect());
        connect.location(at).products().batch(batch).await
    };
    let (one, torn, other) = tokio::join!(
        batch(&["P-1", "P-2"]),
        batch(&["P-3", "P-5"]),
        batch(&["P-6", "P-7"]),
    );
    assert!(matches!(torn.unwrap_err(), Error::Internal(_)));
    for done in [one, other] {
        assert_eq!(done.unwrap().updated, 2);
    }
    let untouched = connect.location(at).products().get(products[3].id).await;
    assert_eq!(untouched.unwrap(), products[3]);
}

/// Reads a list with deletions page by page from a time on, to its end or to the page that fails.
async fn walk(shop: &Shop, since: Timestamp, limit: usize) -> (Vec<Json>, Option<Error>) {
    let mut query = ProductQuery {
        sync: SyncQuery {
            updated_since: Some(since),
            limit: Some(limit),
            include_deleted: true,
            cursor: None,
        },
        ..ProductQuery::default()
    };
    let mut found = Vec::new();
    loop {
        match shop
            .connect
            .location(&shop.at)
            .json::<Product>()
            .list(&query)
            .await
        {
            Ok(page) => {
                let page: Page<Json> = serde_json::from_slice(&page.into_bytes()).unwrap();
                assert!(page.data.len() <= limit);
                found.extend(page.data);
                query.sync.cursor = page.next_cursor;
            }
            Err(failure) => return (found, Some(failure)),
        }
        if query.sync.cursor.is_none() {
            return (found, None);
        }
    }
}

/// All that lies before an unreadable row is listed, and all behind it: no page of others fails,
/// and none passes over the row in silence.
#[tokio::test]
async fn a_list_ends_before_a_row_that_cannot_be_read() {
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    for number in 0..20 {
        let product = create(connect, at, &format!("P-{number}")).await;
        // Two runs of deletions among the products.
        if [3, 4, 5, 6, 7, 15].contains(&number) {
            connect
                .location(at)
                .products()
                .delete(product.id)
                .await
                .unwrap();
        }
    }
    let location = at.location().id;
    let all = rows(&*shop.storage).await;
    let (whole, failure) = walk(&shop, shop::START, 50).await;
    assert!(failure.is_none() && whole.len() == 20);
    for (place, entry) in whole.iter().enumerate() {
        let id: Uuid = entry["id"].as_str().unwrap().parse().unwrap();
        let families = match entry["deleted"] {
            Json::Bool(true) => vec![TOMBSTONE],
            _ => vec![PRODUCT, PRODUCT_BY_CHANGE],
        };
        for family in families {
            shop.storage.damage(&key_of(&all, location, family, id));
            for limit in [1, 3, 50] {
                let (before, failure) = walk(&shop, shop::START, limit).await;
                assert_eq!(before, whole[..place], "{limit} a page");
                assert!(matches!(failure, Some(Error::Internal(_))));
                if let Some(next) = whole.get(place + 1) {
                    let next: Timestamp =
                        serde_json::from_value(next["updatedAt"].clone()).unwrap();
                    let (behind, failure) = walk(&shop, next, limit).await;
                    assert_eq!(behind, whole[place + 1..]);
                    assert!(failure.is_none());
                }
            }
            shop.storage.heal();
        }
    }
}

/// A row that is no product any more ends a page that has to look into its rows.
#[tokio::test]
async fn a_filtered_list_ends_before_a_row_that_cannot_be_parsed() {
    let shop = Shop::open().await;
    let (connect, at) = (&shop.connect, &shop.at);
    let same = ProductInput {
        barcode: Field::Value("SAME".into()),
        ..ProductInput::named("Bread")
    };
    // More than are read at once through the barcode.
    let holders = async |count| {
        let batch = ProductBatch::new(vec![same.clone(); count]);
        connect.location(at).products().batch(batch).await.unwrap();
    };
    holders(5).await;
    let torn = create(connect, at, "Torn").await;
    holders(500).await;
    let garbage = Value::from(&b"garbage"[..]);
    let all = rows(&*shop.storage).await;
    let key_in = |family| key_of(&all, at.location().id, family, torn.id);
    let commit = Commit {
        writes: vec![
            (key_in(PRODUCT), Write::Put(garbage.clone())),
            (key_in(PRODUCT_BY_CHANGE), Write::Index(garbage)),
        ],
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
    let mut query = ProductQuery {
        barcode: Some("SAME".into()),
        ..ProductQuery::default()
    };
    let first = connect.location(at).products().list(&query).await.unwrap();
    assert_eq!(first.data.len(), 5);
    query.sync.cursor = first.next_cursor;
    let failure = connect
        .location(at)
        .json::<Product>()
        .list(&query)
        .await
        .unwrap_err();
    assert!(matches!(failure, Error::Internal(_)));
}
