//! The stock of a location: levels, minimums, movements and their entry.

mod count_sheet;
mod entry;
mod levels;
mod low;
mod minimum;
mod movements;
mod set_minimum;
mod who;

use std::borrow::Cow;

use connect_core::wire::{Id, Product, Quantity, Scope};
use maud::{Markup, html};

pub(crate) use count_sheet::{count, show as sheet};
pub(crate) use levels::list;
pub(super) use low::card as low_card;
pub(crate) use movements::{enter, show as movements_of_product};
pub(crate) use set_minimum::set as set_minimum;

use super::PageLocation;
use crate::dashboard::messages::numbers;

const PATH: &str = "/dashboard/stock";

const SHEET: &str = "/dashboard/stock/count";

/// Returns whether the user may enter stock at this location.
fn may_enter(shop: &PageLocation) -> bool {
    shop.access.allows(&Scope::StockWrite)
}

/// Returns the name of a product among these.
fn name(products: &[Product], id: Id<Product>) -> Cow<'_, str> {
    let found = products.iter().find(|product| product.id == id);
    // It was deleted later, or between the two readings.
    found.map_or_else(|| text!("stock-deleted"), |it| Cow::Borrowed(&*it.name))
}

/// The level of a product, linked to its stock.
pub(super) fn link(shop: &PageLocation, product: &Product) -> Markup {
    let name = &*product.name;
    let (shown, label) = match product.stock_quantity.map(numbers::quantity) {
        Some(level) => {
            let label = text!("stock-link", quantity = &*level, product = name);
            (Cow::Owned(level), label)
        }
        None => (
            text!("stock-untracked"),
            text!("stock-untracked-of", product = name),
        ),
    };
    html! {
        a href=(shop.at(&format!("{PATH}/{}", product.id))) aria-label=(label) { (shown) }
    }
}

/// The mark of a product under its minimum.
fn low_tag() -> Markup {
    html! { span.tag.bad { (text!("stock-low")) } }
}

/// The level, the minimum and the codes of a product.
fn facts(product: &Product, minimum: Option<Quantity>) -> Markup {
    let level = match product.stock_quantity {
        Some(level) => Cow::Owned(numbers::quantity(level)),
        None => text!("stock-untracked"),
    };
    html! {
        dl.facts {
            dt { (text!("stock-level")) }
            dd.level { (level) }
            @if let Some(minimum) = minimum {
                dt { (text!("stock-minimum")) }
                dd {
                    (numbers::quantity(minimum))
                    @if product.stock_quantity.is_some_and(|level| level < minimum) {
                        " " (low_tag())
                    }
                }
            }
            @if let Some(code) = &product.external_id {
                dt { (text!("word-code")) } dd { code { (code) } }
            }
            @if let Some(barcode) = &product.barcode {
                dt { (text!("word-barcode")) } dd { code { (barcode) } }
            }
        }
    }
}
