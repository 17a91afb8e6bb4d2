//! A walk through changes and deletions, page by page, while maintenance purges.

use connect_core::{
    Error,
    wire::{Page, Product, ProductInput},
};
use serde_json::Value;

use crate::shop::{START, Shop};

const DAY: i64 = 24 * 3600;

async fn create(shop: &Shop, name: &str) -> Product {
    shop.products()
        .create(ProductInput::named(name))
        .await
        .unwrap()
}

/// A page of the changes and deletions since the start.
async fn page(shop: &Shop, limit: usize, cursor: Option<String>) -> Result<Page<Value>, Error> {
    shop.changed_products(Some(START), limit, cursor).await
}

/// What is purged behind a walk was seen by it; what is purged before it was not.
#[tokio::test]
async fn a_walk_ends_only_where_a_deletion_is_missing() {
    for (limit, goes_on) in [(2, false), (3, true)] {
        let shop = Shop::open().await;
        let gone = create(&shop, "Gone").await.id;
        shop.products().delete(gone).await.unwrap();
        create(&shop, "A").await;
        for name in ["B", "C"] {
            shop.clock.advance(10 * DAY);
            create(&shop, name).await;
        }
        shop.clock.advance(70 * DAY - 60);
        let first = page(&shop, limit, None).await.unwrap();
        assert_eq!(first.data[0]["deleted"], true);
        shop.clock.advance(120);
        assert_eq!(shop.connect.maintain().await.unwrap().tombstones, 1);
        let second = page(&shop, limit, first.next_cursor).await;
        if goes_on {
            let names: Vec<_> = second
                .unwrap()
                .data
                .iter()
                .map(|it| it["name"].clone())
                .collect();
            assert_eq!(names, ["C"]);
        } else {
            assert!(matches!(second.unwrap_err(), Error::Malformed(_)));
        }
        assert!(page(&shop, limit, None).await.is_err());
    }
}
