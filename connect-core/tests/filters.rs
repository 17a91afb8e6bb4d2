//! Two filters together: found through one index, held against the other.

use connect_core::{
    Request,
    wire::{
        Category, CategoryInput, Field, ProductInput,
        query::{ProductQuery, SyncQuery},
        read::BatchRequest,
    },
};

use crate::shop;

/// A page costs a bounded amount of work, however few of the many products with a barcode are in
/// the category asked for; following the cursors finds them all the same.
#[tokio::test]
async fn a_needle_is_found_page_by_page() {
    let (connect, at) = shop::open().await;
    let category: Category = connect
        .create_category(&at, CategoryInput::named("Needles").into())
        .await
        .unwrap()
        .decode()
        .unwrap();
    let straw = ProductInput {
        barcode: Field::Value("SAME".into()),
        ..ProductInput::named("Straw")
    };
    for _ in 0..9 {
        let items = BatchRequest::new(vec![straw.clone(); 500]);
        connect.write_products(&at, items.into()).await.unwrap();
    }
    let needle = ProductInput {
        category_id: Field::Value(category.id),
        ..straw
    };
    connect
        .create_product(&at, Request::from(needle))
        .await
        .unwrap();

    let (mut pages, mut found, mut cursor) = (0, Vec::new(), None);
    loop {
        let query = ProductQuery {
            barcode: Some("SAME".into()),
            category_id: Some(category.id),
            sync: SyncQuery {
                cursor,
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let page = connect.list_products(&at, &query).await.unwrap();
        let page = page.decode().unwrap();
        pages += 1;
        found.extend(page.data);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].category_id, Some(category.id));
    assert!((2..=4).contains(&pages), "{pages} pages");
}
