//! The pages of a location: its products, stock, journal and orders.

mod categories;
mod chart;
mod day;
mod journal;
mod orders;
mod products;
mod products_bulk;
mod stock;

use connect_core::{
    Access, AccountLocation, Error, LocationHandle, UserRight,
    wire::{
        PaymentMethod, VatAmount,
        query::{Paging, SyncQuery},
    },
};
use maud::{Markup, html};

pub(super) use day::show as day;
pub(super) use journal::{list as journal, one as receipt, z_reports};
pub(super) use orders::list as orders;
pub(super) use products::list as products;
pub(super) use products_bulk::act as products_bulk;
pub(super) use stock::{list as stock, movements};

use crate::dashboard::{Answer, components, layout, page_request::SignedIn};

/// The name of the field with the location of a page.
const AT: &str = "at";

/// The name of the field with the cursor of a list.
const CURSOR: &str = "cursor";

/// The location of a page.
pub(super) struct PageLocation {
    pub(super) location: AccountLocation,
    /// The right of the user for the page.
    right: UserRight,
    access: Access,
    records: LocationHandle,
}

impl PageLocation {
    /// Finds the location named by the form or the address, for a user with this right.
    /// If neither names one, it is the user's first location, or `None` if there is none.
    ///
    /// # Errors
    /// [`Error::NotFound`]: the user has no location with this ID.
    pub(super) fn find(to: &SignedIn<'_>, right: UserRight) -> Result<Option<Self>, Error> {
        let locations = to.locations(right);
        let named = [to.form.get(AT), to.query.get(AT)];
        let location = match named.into_iter().find(|id| !id.is_empty()) {
            Some(id) => {
                let found = locations.into_iter().find(|at| at.id.to_string() == id);
                found.ok_or_else(components::gone)?
            }
            None => match locations.first() {
                Some(location) => location,
                None => return Ok(None),
            },
        };
        let access = to.session.authorize(location.id, right)?;
        Ok(Some(Self {
            location: location.clone(),
            right,
            records: to.connect.location(&access),
            access,
        }))
    }

    /// Writes an amount in the currency of this location.
    fn money(&self, cents: i64) -> String {
        crate::dashboard::money::money(cents, &self.location.currency)
    }

    /// The address of a page of this location.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{path}?{AT}={}", self.location.id)
    }
}

/// Makes a page of a location, with a choice among several locations.
pub(super) fn page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    section: &str,
    title: &str,
    content: Markup,
) -> Answer {
    let locations = to.locations(shop.right);
    let content = html! {
        @if locations.len() > 1 {
            form.filter method="get" action=(section) {
                label for="at" { "Location" }
                select id="at" name=(AT) {
                    @for location in &locations {
                        option value=(location.id) selected[location.id == shop.location.id] {
                            (location.name)
                        }
                    }
                }
                button.quiet { "Show" }
            }
        }
        (content)
    };
    layout::page(to, section, title, content)
}

/// Makes the page of an account without locations.
pub(super) fn nowhere(to: &SignedIn<'_>, section: &str, title: &str) -> Answer {
    let text = "This account has no location yet. Ask the operator of this server to add one.";
    layout::page(to, section, title, components::empty(text, html! {}))
}

/// The link to the next page, if there is one.
fn next(shop: &PageLocation, path: &str, filters: &[(&str, &str)], cursor: Option<&str>) -> Markup {
    let Some(cursor) = cursor else {
        return html! {};
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair(AT, &shop.location.id.to_string());
    for (name, value) in filters.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    query.append_pair(CURSOR, cursor);
    html! { p { a href={ (path) "?" (query.finish()) } { "Next page" } } }
}

/// The placeholder of an empty page of a list.
/// `text` is shown if the whole list is empty.
fn nothing(to: &SignedIn<'_>, next: Option<&str>, text: &str) -> Markup {
    let text = match (next, to.query.get(CURSOR)) {
        // One page searches only a limited number of rows.
        (Some(_), _) => "Nothing was found so far. The next page continues the search.",
        (None, "") => text,
        (None, _) => "There is nothing more.",
    };
    components::empty(text, html! {})
}

/// The page of a list named by the address.
fn paging(to: &SignedIn<'_>) -> Paging {
    let cursor = to.query.get(CURSOR);
    Paging {
        cursor: (!cursor.is_empty()).then(|| cursor.to_owned()),
        ..Paging::default()
    }
}

/// The same for a list by `updatedAt`.
fn sync(to: &SignedIn<'_>) -> SyncQuery {
    SyncQuery {
        cursor: paging(to).cursor,
        ..SyncQuery::default()
    }
}

/// A table of two columns, the second with amounts.
fn pairs(rows: impl Iterator<Item = (String, String)>) -> Markup {
    html! {
        table.narrow { tbody {
            @for (name, amount) in rows { tr { th { (name) } td.number { (amount) } } }
        } }
    }
}

/// The name of a means of payment, as people write it.
fn means(method: &PaymentMethod) -> String {
    let words = match method {
        PaymentMethod::Cash => "Cash",
        PaymentMethod::Card => "Card",
        PaymentMethod::Voucher => "Voucher",
        PaymentMethod::Invoice => "Invoice",
        PaymentMethod::Other => "Other",
        unknown => unknown.as_str(),
    };
    words.to_owned()
}

/// The VAT in an amount, by rate.
fn vat(shop: &PageLocation, amounts: &[VatAmount]) -> Markup {
    html! {
        @if !amounts.is_empty() {
            h2 { "VAT" }
            (pairs(amounts.iter().map(|vat| {
                (format!("{} %", vat.vat_rate), shop.money(vat.vat_cents))
            })))
        }
    }
}
