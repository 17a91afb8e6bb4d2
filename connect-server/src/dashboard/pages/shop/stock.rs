//! The stock of a location, and its movements.

use std::borrow::Cow;

use connect_core::{
    Error, UserRight,
    wire::{
        Id, MovementType, Product, StockLevel, StockMovement,
        query::{StockLevelQuery, StockMovementQuery},
    },
};
use maud::{Markup, html};

use super::{PageLocation, next, nothing, nowhere, page, paging, sync};
use crate::dashboard::{Answer, components, page_request::SignedIn};

const PATH: &str = "/dashboard/stock";

/// Shows the levels of the tracked products.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("shop-stock")));
    };
    let query = StockLevelQuery { sync: sync(to) };
    let found = shop.records.stock().list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("stock-empty")))
        } @else { (levels(&shop, &found.data).await?) }
        (next(&shop, PATH, &[], next_cursor))
    };
    Ok(page(to, &shop, PATH, &text!("shop-stock"), content))
}

async fn levels(shop: &PageLocation, levels: &[StockLevel]) -> Result<Markup, Error> {
    let ids: Vec<Id<Product>> = levels.iter().map(|level| level.product_id).collect();
    let products = shop.records.products().get_many(&ids).await?;
    let name = |level: &StockLevel| {
        let product = products.iter().find(|it| it.id == level.product_id);
        // It was deleted between the two readings.
        let name = product.map(|product| Cow::Borrowed(&*product.name));
        name.unwrap_or_else(|| text!("stock-deleted"))
    };
    let head = html! {
        th { (text!("word-product")) } th { (text!("word-code")) }
        th.number { (text!("stock-level")) } th { (text!("stock-since")) }
        th { span.skip { (text!("stock-history")) } }
    };
    let rows = html! {
        @for level in levels {
            tr {
                td { (name(level)) }
                td { @if let Some(code) = &level.external_id { code { (code) } } }
                td.number { (level.quantity) }
                td { (components::time(level.updated_at)) }
                td {
                    a href=(shop.at(&format!("{PATH}/{}", level.product_id)))
                        aria-label=(text!("stock-history-of", product = name(level))) {
                        (text!("stock-history"))
                    }
                }
            }
        }
    };
    Ok(components::table(&text!("shop-stock"), head, rows))
}

/// Shows the movements of one product, the newest first.
pub(crate) async fn movements(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("shop-stock")));
    };
    let query = StockMovementQuery {
        paging: paging(to),
        product_id: Some(id),
        ..StockMovementQuery::default()
    };
    let rows = shop.records.stock().movements().newest_first();
    let found = rows.list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let title = match shop.records.products().get(id).await {
        Ok(product) => text!("stock-of", product = product.name),
        Err(Error::NotFound(_)) => text!("stock-of-deleted"),
        Err(error) => return Err(error),
    };
    let content = html! {
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("stock-nothing-moved")))
        } @else { (table(&found.data)) }
        (next(&shop, &format!("{PATH}/{id}"), &[], next_cursor))
        p { a href=(shop.at(PATH)) { (text!("stock-back")) } }
    };
    Ok(page(to, &shop, PATH, &title, content))
}

fn table(movements: &[StockMovement]) -> Markup {
    let head = html! {
        th { (text!("word-time")) } th { (text!("shop-what")) }
        th.number { (text!("stock-change")) } th.number { (text!("stock-after")) }
        th { (text!("stock-by")) } th { (text!("word-note")) }
    };
    let rows = html! {
        @for movement in movements {
            tr {
                td { (components::time(movement.created_at)) }
                td { (words(&movement.kind)) }
                td.number { (movement.quantity_change) }
                td.number { (movement.quantity_after) }
                td { (movement.source) }
                td { @if let Some(note) = &movement.note { (note) } }
            }
        }
    };
    components::table(&text!("stock-movements"), head, rows)
}

fn words(kind: &MovementType) -> Cow<'_, str> {
    match kind {
        MovementType::Count => text!("shop-counted"),
        MovementType::Delivery => text!("stock-delivered"),
        MovementType::Correction => text!("stock-corrected"),
        MovementType::Sale => text!("stock-sold"),
        MovementType::Refund => text!("stock-taken-back"),
        other => other.as_str().into(),
    }
}
