//! The products of a location: list, edits in place, bulk changes.

mod actions;
mod bulk;
mod edit;
mod edited_row;
mod failures;
mod find;
mod last_bulk;
mod list;
mod price_fields;
mod prices;
mod row;
mod undo;

use connect_core::wire::Scope;

pub(crate) use bulk::act as bulk;
pub(crate) use edit::{create, save};
pub(crate) use list::list;
pub(crate) use prices::{change as change_prices, preview as preview_prices};
pub(crate) use undo::undo;

use super::PageLocation;
use crate::dashboard::{
    page_request::{CURSOR, SignedIn},
    table::SORT,
};

pub(super) const PATH: &str = "/dashboard/products";

/// The filters of the list, as named in the address.
const SEARCH: &str = "q";
const CATEGORY: &str = "category";

/// The product edited in its row, as named in the address.
const EDIT: &str = "edit";

/// The value of `edit` for a new product.
const NEW: &str = "new";

/// The choice to take products out of their category.
const NO_CATEGORY: &str = "none";

/// Returns whether the user may change products at this location.
fn may_change(shop: &PageLocation) -> bool {
    shop.access.allows(&Scope::CatalogWrite)
}

/// The address of the list's first page with the same filters.
fn start(to: &SignedIn<'_>, shop: &PageLocation) -> String {
    filtered(to, shop, PATH, &[SEARCH, CATEGORY, SORT])
}

/// The address of a page or a form about this page of the list.
fn here(to: &SignedIn<'_>, shop: &PageLocation, path: &str) -> String {
    filtered(to, shop, path, &[SEARCH, CATEGORY, CURSOR, SORT])
}

fn filtered(to: &SignedIn<'_>, shop: &PageLocation, path: &str, names: &[&str]) -> String {
    shop.with(path, names.iter().map(|name| (*name, to.query.get(name))))
}
