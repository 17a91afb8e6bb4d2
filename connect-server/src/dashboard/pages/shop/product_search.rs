//! The search among the products of a location.

use connect_core::{
    Error, Records,
    wire::{Page, Product, query::ProductQuery},
};

/// Finds products by a text, within the other filters of the query.
///
/// A text is the shop's own code of one product, or the barcode of several, or else words of names. The product
/// with the own code comes first.
pub(crate) async fn find(
    products: &Records<Product>,
    text: &str,
    query: ProductQuery,
) -> Result<Page<Product>, Error> {
    if text.is_empty() {
        return products.list(&query).await;
    }
    let is_first = query.sync.cursor.is_none();
    let by_external_id = ProductQuery {
        external_id: Some(text.to_owned()),
        category_id: query.category_id,
        ..ProductQuery::default()
    };
    let by_barcode = ProductQuery {
        barcode: Some(text.to_owned()),
        ..query.clone()
    };
    let has_barcode = |product: &Product| product.barcode.as_deref() == Some(text);
    let by_words = query.search(text);
    let first = products.list(&by_external_id).await?.data;
    // A cursor leads on in the list that it is of.
    let by_barcode = products.list(&by_barcode).await;
    let is_code = |found: &Page<Product>| !first.is_empty() || found.data.iter().any(has_barcode);
    let mut found = match by_barcode {
        Ok(found) if !is_first || is_code(&found) => found,
        Ok(none) => match products.list(&by_words).await {
            // A text without a letter or digit is no search.
            Err(Error::Malformed(_)) => none,
            found => found?,
        },
        Err(Error::Malformed(_)) => products.list(&by_words).await?,
        Err(error) => return Err(error),
    };
    found
        .data
        .retain(|product| product.external_id.as_deref() != Some(text));
    if is_first {
        found.data.splice(0..0, first);
    }
    Ok(found)
}
