//! The products under their minimum: filtered, to count, and counted.

use connect_core::{
    Error,
    wire::{Scope, query::Paging},
};
use maud::{Markup, html};

use super::{PATH, SHEET};
use crate::dashboard::{
    messages::numbers,
    page_request::SignedIn,
    pages::shop::{LEVEL, PageLocation, next, nothing, paging},
};

/// The filter, as named in addresses and forms.
pub(super) const LOW: &str = "low";

/// The most products counted.
const MOST_COUNTED: usize = 100;

/// Returns whether only products under their minimum are asked for.
pub(super) fn is_chosen(to: &SignedIn<'_>) -> bool {
    to.query.get(LEVEL) == LOW || to.form.get(LEVEL) == LOW
}

/// The address of a page with the products under their minimum.
pub(super) fn address(shop: &PageLocation, path: &str) -> String {
    shop.with(path, [(LEVEL, LOW)].into_iter())
}

/// The address of the count sheet, with the filter of this page.
pub(super) fn sheet(to: &SignedIn<'_>, shop: &PageLocation) -> String {
    match is_chosen(to) {
        true => address(shop, SHEET),
        false => shop.at(SHEET),
    }
}

/// The hidden field to keep the filter.
pub(super) fn kept(to: &SignedIn<'_>) -> Markup {
    html! { @if is_chosen(to) { input type="hidden" name=(LEVEL) value=(LOW); } }
}

/// The products under their minimum to count, if asked for.
pub(super) async fn to_count(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &str,
) -> Result<Markup, Error> {
    if !is_chosen(to) {
        let only = address(shop, SHEET);
        return Ok(html! { p { a href=(only) { (text!("stock-sheet-low")) } } });
    }
    let found = shop.records.stock().below_minimum(&paging(to)).await?;
    let next_cursor = found.next_cursor.as_deref();
    Ok(html! {
        h2 { (text!("stock-under-minimum")) }
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("stock-none-low")))
        } @else {
            ul.rows {
                @for low in &found.data {
                    li {
                        a href={ (address(shop, SHEET)) "&" (product) "=" (low.product_id) } {
                            (low.name)
                        }
                        span {
                            (text!(
                                "stock-of-minimum",
                                quantity = numbers::quantity(low.quantity),
                                minimum = numbers::quantity(low.minimum),
                            ))
                        }
                    }
                }
            }
        }
        (next(shop, SHEET, &[(LEVEL, LOW)], next_cursor))
        p { a href=(shop.at(SHEET)) { (text!("stock-sheet-any")) } }
    })
}

/// The card about products under their minimum, if there are any.
/// Of more than 2000 minimums it looks at the first alone. If none of these is low, there is no card.
pub(in crate::dashboard::pages::shop) async fn card(shop: &PageLocation) -> Result<Markup, Error> {
    if !shop.access.allows(&Scope::StockRead) {
        return Ok(html! {});
    }
    // One page alone: the first page of a shop must not walk through all of its minimums.
    let paging = Paging {
        limit: Some(MOST_COUNTED),
        cursor: None,
    };
    let page = shop.records.stock().below_minimum(&paging).await?;
    let count = page.data.len();
    let words = match page.next_cursor {
        None => text!("stock-low-count", count = count),
        Some(_) => text!("stock-low-more", count = count),
    };
    Ok(html! {
        @if count > 0 {
            section.card {
                h2 { (text!("section-stock")) }
                p { a href=(address(shop, PATH)) { (words) } }
            }
        }
    })
}
