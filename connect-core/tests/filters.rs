//! Two filters together: found through one index, held against the other.

use connect_core::{
    Access, Connect,
    wire::{
        Category, CategoryInput, Field, Id, ProductBatch, ProductInput,
        query::{ProductQuery, SyncQuery},
    },
};

use crate::shop::Shop;

/// Products that all have the same barcode, and a category with as many others; the needle is in
/// both, the last to be made.
struct Haystack {
    connect: Connect,
    at: Access,
    category: Id<Category>,
}

impl Haystack {
    async fn with(same_barcode: usize, in_category: usize) -> Self {
        let Shop { connect, at, .. } = Shop::open().await;
        let category = connect
            .location(&at)
            .categories()
            .create(CategoryInput::named("Food"))
            .await
            .unwrap();
        let needle = ProductInput {
            barcode: Field::Value("SAME".into()),
            category_id: Field::Value(category.id),
            ..ProductInput::named("Needle")
        };
        let coded = ProductInput {
            category_id: Field::Absent,
            ..needle.clone()
        };
        let placed = ProductInput {
            barcode: Field::Absent,
            ..needle.clone()
        };
        let batches = [(coded, same_barcode), (placed, in_category), (needle, 1)];
        for (input, mut left) in batches {
            while left > 0 {
                let count = left.min(500);
                let batch = ProductBatch::new(vec![input.clone(); count]);
                connect.location(&at).products().batch(batch).await.unwrap();
                left -= count;
            }
        }
        Self {
            connect,
            at,
            category: category.id,
        }
    }

    /// The number of pages until the end of a walk that finds the needle alone.
    async fn pages(&self) -> usize {
        let (mut pages, mut found, mut cursor) = (0, Vec::new(), None);
        loop {
            let query = ProductQuery {
                barcode: Some("SAME".into()),
                category_id: Some(self.category),
                sync: SyncQuery {
                    cursor,
                    ..SyncQuery::default()
                },
                ..ProductQuery::default()
            };
            let page = self
                .connect
                .location(&self.at)
                .products()
                .list(&query)
                .await
                .unwrap();
            pages += 1;
            found.extend(page.data);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].category_id, Some(self.category));
        pages
    }
}

/// A page costs a bounded amount of work, however few of the many products with a barcode are in
/// the category asked for; following the cursors finds them all the same.
#[tokio::test]
async fn a_needle_is_found_page_by_page() {
    let pages = Haystack::with(501, 4500).await.pages().await;
    assert!((2..=4).contains(&pages), "{pages} pages");
}

/// Of two filters the one with fewer products is searched through.
#[tokio::test]
async fn a_needle_in_a_small_heap_is_found_at_once() {
    assert_eq!(Haystack::with(4500, 10).await.pages().await, 1);
    assert_eq!(Haystack::with(10, 4500).await.pages().await, 1);
}

/// A product that one filter finds is held against the other.
#[tokio::test]
async fn two_filters_have_to_agree() {
    let Shop { connect, at, .. } = Shop::open().await;
    let here = connect.location(&at);
    let mut categories = Vec::new();
    for name in ["A", "B"] {
        let category = here.categories().create(CategoryInput::named(name)).await;
        let category = category.unwrap().id;
        let product = ProductInput {
            category_id: Field::Value(category),
            ..ProductInput::named(name).external_id(name)
        };
        here.products().create(product).await.unwrap();
        categories.push(category);
    }
    for (code, category, found) in [("A", 0, 1), ("A", 1, 0), ("B", 1, 1), ("C", 1, 0)] {
        let query = ProductQuery {
            external_id: Some(code.into()),
            category_id: Some(categories[category]),
            ..ProductQuery::default()
        };
        let page = here.products().list(&query).await.unwrap();
        assert_eq!(page.data.len(), found, "{code} {category}");
    }
}
