//! The stock of a location, and how it came about.

use connect_core::{
    Error,
    wire::{
        Id, MovementType, Product, StockMovement,
        query::{Paging, StockLevelQuery, StockMovementQuery, SyncQuery},
    },
};
use maud::{Markup, html};

use super::{PAGE, Shop, cursor, next, nowhere, page};
use crate::dashboard::{Answer, components, visit::SignedIn};

const PATH: &str = "/dashboard/stock";

/// Shows the levels of the products that are tracked.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(nowhere(to, PATH, "Stock"));
    };
    let query = StockLevelQuery {
        sync: SyncQuery {
            limit: Some(PAGE),
            cursor: cursor(to),
            ..SyncQuery::default()
        },
    };
    let found = shop.records.stock().list(&query).await?;
    let products = shop.records.products();
    let mut levels = Vec::with_capacity(found.data.len());
    for level in found.data {
        let name = match products.get(level.product_id).await {
            Ok(product) => product.name,
            // Deleted since.
            Err(Error::NotFound(_)) => continue,
            Err(error) => return Err(error),
        };
        levels.push((level, name));
    }
    let content = html! {
        @if levels.is_empty() {
            (components::empty(
                "No product is tracked yet. Its stock is known from the first count or delivery on.",
                html! {},
            ))
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Table" { table {
                thead { tr {
                    th { "Product" } th { "Code" } th.number { "In stock" } th { "Since" } th { "" }
                } }
                tbody {
                    @for (level, name) in &levels {
                        tr {
                            td { (name) }
                            td { @if let Some(code) = &level.external_id { code { (code) } } }
                            td.number { (level.quantity) }
                            td { (components::time(level.updated_at)) }
                            td {
                                a href=(shop.at(&format!("{PATH}/{}", level.product_id)))
                                    aria-label={ "History of " (name) } { "History" }
                            }
                        }
                    }
                }
            } }
        }
        (next(&shop, PATH, &[], found.next_cursor.as_deref()))
    };
    Ok(page(to, &shop, PATH, "Stock", content))
}

/// Shows the movements of one product.
pub(crate) async fn movements(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = Shop::find(to).await? else {
        return Ok(nowhere(to, PATH, "Stock"));
    };
    let query = StockMovementQuery {
        paging: Paging {
            limit: Some(PAGE),
            cursor: cursor(to),
        },
        product_id: Some(id),
        ..StockMovementQuery::default()
    };
    let found = shop.records.stock().movements().list(&query).await?;
    let title = match shop.records.products().get(id).await {
        Ok(product) => format!("Stock of {}", product.name),
        Err(Error::NotFound(_)) => "Stock of a product that was deleted".to_owned(),
        Err(error) => return Err(error),
    };
    let content = html! {
        @if found.data.is_empty() {
            (components::empty("Nothing has moved yet.", html! {}))
        } @else { (table(&found.data)) }
        (next(&shop, &format!("{PATH}/{id}"), &[], found.next_cursor.as_deref()))
        p { a href=(shop.at(PATH)) { "Back to the stock" } }
    };
    Ok(page(to, &shop, PATH, &title, content))
}

fn table(movements: &[StockMovement]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Table" { table {
            thead { tr {
                th { "Time" } th { "What" } th.number { "Change" } th.number { "After it" } th { "By" }
                th { "Note" }
            } }
            tbody {
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
            }
        } }
    }
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
