//! The stock of a location, and its movements.

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
        return Ok(nowhere(to, PATH, "Stock"));
    };
    let query = StockLevelQuery { sync: sync(to) };
    let found = shop.records.stock().list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        @if found.data.is_empty() {
            (nothing(
                to,
                next_cursor,
                "No product is tracked yet. Its stock is known from the first count or delivery on.",
            ))
        } @else { (levels(&shop, &found.data).await?) }
        (next(&shop, PATH, &[], next_cursor))
    };
    Ok(page(to, &shop, PATH, "Stock", content))
}

async fn levels(shop: &PageLocation, levels: &[StockLevel]) -> Result<Markup, Error> {
    let ids: Vec<Id<Product>> = levels.iter().map(|level| level.product_id).collect();
    let products = shop.records.products().get_many(&ids).await?;
    let name = |level: &StockLevel| {
        let product = products.iter().find(|it| it.id == level.product_id);
        // It was deleted between the two readings.
        product.map_or("A deleted product", |product| &*product.name)
    };
    let head = html! {
        th { "Product" } th { "Code" } th.number { "In stock" } th { "Since" }
        th { span.skip { "History" } }
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
                        aria-label={ "History of " (name(level)) } { "History" }
                }
            }
        }
    };
    Ok(components::table("Stock", head, rows))
}

/// Shows the movements of one product, the newest first.
pub(crate) async fn movements(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, "Stock"));
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
        Ok(product) => format!("Stock of {}", product.name),
        Err(Error::NotFound(_)) => "Stock of a product that was deleted".to_owned(),
        Err(error) => return Err(error),
    };
    let content = html! {
        @if found.data.is_empty() {
            (nothing(to, next_cursor, "Nothing has moved yet."))
        } @else { (table(&found.data)) }
        (next(&shop, &format!("{PATH}/{id}"), &[], next_cursor))
        p { a href=(shop.at(PATH)) { "Back to the stock" } }
    };
    Ok(page(to, &shop, PATH, &title, content))
}

fn table(movements: &[StockMovement]) -> Markup {
    let head = html! {
        th { "Time" } th { "What" } th.number { "Change" } th.number { "After it" } th { "By" }
        th { "Note" }
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
    components::table("Movements", head, rows)
}

fn words(kind: &MovementType) -> &str {
    match kind {
        MovementType::Count => "Counted",
        MovementType::Delivery => "Delivered",
        MovementType::Correction => "Corrected",
        MovementType::Sale => "Sold",
        MovementType::Refund => "Taken back",
        other => other.as_str(),
    }
}
