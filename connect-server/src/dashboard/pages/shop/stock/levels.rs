//! The levels of the tracked products.

use connect_core::{
    Error, UserRight,
    wire::{Id, Product, StockLevel, query::StockLevelQuery},
};
use maud::{Markup, html};

use super::{PATH, SHEET, entry::QUANTITY, may_enter, name};
use crate::dashboard::{
    Answer, components,
    messages::numbers,
    page_request::SignedIn,
    pages::shop::{PageLocation, next, nothing, nowhere, page, sync},
};

/// Shows the list.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-stock")));
    };
    let query = StockLevelQuery { sync: sync(to) };
    let found = shop.records.stock().list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        @if may_enter(&shop) {
            p.toolbar { a.button href=(shop.at(SHEET)) { (text!("stock-sheet")) } }
        }
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("stock-empty")))
        } @else { (table(&shop, &found.data).await?) }
        (next(&shop, PATH, &[], next_cursor))
    };
    Ok(page(to, &shop, PATH, &text!("section-stock"), content))
}

async fn table(shop: &PageLocation, levels: &[StockLevel]) -> Result<Markup, Error> {
    let ids: Vec<Id<Product>> = levels.iter().map(|level| level.product_id).collect();
    let products = shop.records.products().get_many(&ids).await?;
    let head = html! {
        th { (text!("word-product")) } th { (text!("word-code")) }
        th.number { (text!("stock-level")) } th { (text!("stock-since")) }
        @if may_enter(shop) { th { span.skip { (text!("stock-enter")) } } }
        th { span.skip { (text!("stock-history")) } }
    };
    let rows = html! {
        @for level in levels {
            @let address = shop.at(&format!("{PATH}/{}", level.product_id));
            @let name = name(&products, level.product_id);
            tr {
                td { (name) }
                td { @if let Some(code) = &level.external_id { code { (code) } } }
                td.number { (numbers::quantity(level.quantity)) }
                td { (components::time(level.updated_at)) }
                @if may_enter(shop) {
                    td {
                        a href={ (address) "#" (QUANTITY) }
                            aria-label=(text!("stock-enter-of", product = &*name)) {
                            (text!("stock-enter"))
                        }
                    }
                }
                td {
                    a href=(address) aria-label=(text!("stock-history-of", product = &*name)) {
                        (text!("stock-history"))
                    }
                }
            }
        }
    };
    Ok(components::table(&text!("section-stock"), head, rows))
}
