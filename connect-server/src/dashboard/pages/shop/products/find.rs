//! The products of the list, by code, words and category.

use connect_core::{
    Error,
    wire::{
        Page, Product,
        query::{ProductQuery, SyncQuery},
    },
};

use super::{CATEGORY, SEARCH};
use crate::dashboard::{
    page_request::SignedIn,
    pages::shop::{PageLocation, product_search},
    table,
};

/// Finds a page of products from a cursor on, by the filters of the address.
pub(super) async fn find(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    cursor: Option<String>,
) -> Result<Page<Product>, Error> {
    let query = ProductQuery {
        sync: SyncQuery {
            cursor,
            limit: table::limit(to),
            ..SyncQuery::default()
        },
        category_id: to.query.get(CATEGORY).parse().ok(),
        ..ProductQuery::default()
    };
    let products = shop.records.products();
    product_search::find(&products, to.query.get(SEARCH), query).await
}
