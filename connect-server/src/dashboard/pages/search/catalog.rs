//! Hits among products, categories and option groups.

use connect_core::{
    Error, Records, Resource,
    wire::{
        Category, Id, OptionGroup, Page, Product,
        query::{CategoryQuery, OptionGroupQuery, ProductQuery},
    },
};

use super::{
    hits::{Hit, HitGroup},
    places::{Place, Places, first_hits},
    sought::Sought,
};
use crate::dashboard::{messages::numbers, pages::shop::find_products, search_form::QUERY};

const PRODUCTS: &str = "/dashboard/products";

/// Finds products by words of their names, by code, barcode or id.
pub(super) async fn products(places: &Places, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let mut group = HitGroup::new(text!("section-products"));
    for (place, (found, is_cut)) in places.each(|place| products_at(place, sought)).await? {
        let hits = found
            .iter()
            .map(|product| of_product(place, product, sought));
        let whole = place.at(PRODUCTS, &[(QUERY, sought.text)]);
        group.add(places.name(place), hits.collect(), Some(whole), is_cut);
    }
    Ok(group)
}

async fn products_at(place: &Place, sought: &Sought<'_>) -> Result<(Vec<Product>, bool), Error> {
    let records = place.records.products();
    let query = ProductQuery {
        sync: first_hits(),
        ..ProductQuery::default()
    };
    let mut found = find_products(&records, sought.text, query).await?;
    found.data.splice(0..0, by_id(&records, sought).await?);
    Ok((found.data, found.next_cursor.is_some()))
}

fn of_product(place: &Place, product: &Product, sought: &Sought<'_>) -> Hit {
    let codes = [&product.external_id, &product.barcode];
    let [code, barcode] = codes.map(|code| code.as_deref().unwrap_or_default());
    let price = numbers::money(product.price_cents, &place.location.currency);
    let address = place.at(&format!("/dashboard/stock/{}", product.id), &[]);
    Hit::new(&*product.name, address)
        .with([code, barcode, &*price])
        .exact(sought.is_id(product.id) || [code, barcode].contains(&sought.text))
}

/// Finds categories by words of their names, or by id.
pub(super) async fn categories(places: &Places, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let mut group = HitGroup::new(text!("overview-categories"));
    for (place, (found, is_cut)) in places.each(|place| categories_at(place, sought)).await? {
        let hit = |category: &Category| {
            let id = category.id.to_string();
            let address = place.at(PRODUCTS, &[("category", &id)]);
            Hit::new(&*category.name, address).exact(sought.is_id(category.id))
        };
        let hits = found.iter().map(hit).collect();
        // The page of products offers all of them.
        let whole = place.at(PRODUCTS, &[]);
        group.add(places.name(place), hits, Some(whole), is_cut);
    }
    Ok(group)
}

async fn categories_at(place: &Place, sought: &Sought<'_>) -> Result<(Vec<Category>, bool), Error> {
    let records = place.records.categories();
    let query = CategoryQuery {
        sync: first_hits(),
        ..CategoryQuery::default()
    };
    let found = records.list(&query.search(sought.text)).await;
    with_id(&records, found, sought).await
}

/// Finds option groups by words of their names, or by id.
pub(super) async fn option_groups(places: &Places, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let mut group = HitGroup::new(text!("overview-option-groups"));
    for (place, (found, is_cut)) in places.each(|place| groups_at(place, sought)).await? {
        let hit = |group: &OptionGroup| {
            // They have no page: their options tell which one it is.
            let options = group.options.iter().map(|option| &*option.name);
            Hit::new(&*group.name, "")
                .with(options.take(5))
                .exact(sought.is_id(group.id))
        };
        let hits = found.iter().map(hit).collect();
        group.add(places.name(place), hits, None, is_cut);
    }
    Ok(group)
}

async fn groups_at(place: &Place, sought: &Sought<'_>) -> Result<(Vec<OptionGroup>, bool), Error> {
    let records = place.records.option_groups();
    let query = OptionGroupQuery {
        sync: first_hits(),
        ..OptionGroupQuery::default()
    };
    let found = records.list(&query.search(sought.text)).await;
    with_id(&records, found, sought).await
}

/// Returns the record with this id, if the text is one.
async fn by_id<R: Resource>(records: &Records<R>, sought: &Sought<'_>) -> Result<Vec<R>, Error> {
    match sought.id {
        Some(id) => records.get_many(&[Id::new(id)]).await,
        None => Ok(Vec::new()),
    }
}

/// Puts the record with this id before the found ones.
async fn with_id<R: Resource>(
    records: &Records<R>,
    found: Result<Page<R>, Error>,
    sought: &Sought<'_>,
) -> Result<(Vec<R>, bool), Error> {
    let (mut found, is_cut) = by_words(found)?;
    found.splice(0..0, by_id(records, sought).await?);
    Ok((found, is_cut))
}

/// Returns the found records, and whether there are more.
/// A text without a letter or digit finds none.
fn by_words<R>(found: Result<Page<R>, Error>) -> Result<(Vec<R>, bool), Error> {
    match found {
        Ok(found) => Ok((found.data, found.next_cursor.is_some())),
        Err(Error::Malformed(_)) => Ok((Vec::new(), false)),
        Err(error) => Err(error),
    }
}
