//! The pages of a location: its products, stock, journal and orders.

mod categories;
mod import;
mod journal;
mod orders;
mod product_search;
mod products;
mod stock;
#[cfg(test)]
mod tests;
mod today;

use std::{borrow::Cow, iter};

use connect_core::{
    Access, AccountLocation, Error, LocationHandle, UserRight,
    wire::{PaymentMethod, VatAmount, query::Paging},
};
use http::Method;
use maud::{Markup, Render, html};

pub(super) use import::{
    apply as import_apply, check as import_check, show as products_import, upload as import_upload,
};
pub(super) use journal::{list as journal, one as receipt, z_reports};
pub(super) use orders::list as orders;
pub(super) use product_search::find as find_products;
pub(super) use products::{
    bulk as products_bulk, change_prices, create as create_product, list as products,
    preview_prices, save as save_product, undo as undo_products,
};
pub(super) use stock::{
    count as stock_count, enter as stock_entry, list as stock, movements_of_product as movements,
    set_minimum, sheet as stock_sheet,
};
pub(super) use today::show as today;

use crate::dashboard::{
    Answer, components, fields, layout,
    messages::numbers,
    page_request::{AT, CURSOR, SignedIn},
    period::{self, Period},
    period_choice,
    sections::ROOT,
    table,
};

/// The field to choose low levels of stock.
const LEVEL: &str = "level";

/// The location of a page.
pub(super) struct PageLocation {
    pub(super) location: AccountLocation,
    /// The right of the user for the page.
    right: UserRight,
    access: Access,
    records: LocationHandle,
    /// The fields of the address that name the period.
    kept: [(&'static str, String); 2],
}

impl PageLocation {
    /// Finds the location named by the form or the address, for a user with this right.
    /// If neither names one, it is the user's first location, or `None` if there is none.
    ///
    /// # Errors
    /// [`Error::NotFound`]: the account has no location with this ID, or a form is about one out of reach.
    pub(super) fn find(to: &SignedIn<'_>, right: UserRight) -> Result<Option<Self>, Error> {
        let locations = to.locations(right);
        let named = [to.form.get(AT), to.query.get(AT)];
        let named = named.into_iter().find(|id| !id.is_empty());
        let is_named = |at: &&AccountLocation| named.is_some_and(|id| at.id.to_string() == id);
        let is_form = to.method == Method::POST;
        let location = match locations.iter().copied().find(is_named) {
            Some(location) => location,
            // Links keep the location, also to pages for which the user has another one. A form acts at no other.
            None if named.is_none()
                || !is_form && to.account().locations.iter().any(|at| is_named(&at)) =>
            {
                match locations.first() {
                    Some(location) => location,
                    None => return Ok(None),
                }
            }
            None => return Err(components::gone()),
        };
        let access = to.session.authorize(location.id, right)?;
        Ok(Some(Self {
            location: location.clone(),
            right,
            records: to.connect.location(&access),
            access,
            kept: period::filters(to).map(|(name, value)| (name, value.to_owned())),
        }))
    }

    /// Writes an amount in the currency of this location.
    fn money(&self, cents: i64) -> String {
        numbers::money(cents, &self.location.currency)
    }

    /// The address of a page of this location, with the period of this page.
    pub(super) fn at(&self, path: &str) -> String {
        self.with(
            path,
            self.kept.iter().map(|(name, value)| (*name, &**value)),
        )
    }

    /// The address of a page of this location, with these fields but empty ones.
    fn with<'f>(&self, path: &str, fields: impl Iterator<Item = (&'f str, &'f str)>) -> String {
        let at = iter::once((AT, Cow::from(self.location.id.to_string())));
        let fields = fields.map(|(name, value)| (name, Cow::from(value)));
        fields::address(path, at.chain(fields))
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
    page_at(to, shop, (section, section), title, content)
}

/// The same for another page of a section: the choice leads to its `path`.
/// It keeps the order of the page, and the filter by level of stock.
fn page_at(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    (section, path): (&str, &str),
    title: &str,
    content: Markup,
) -> Answer {
    let locations = to.locations(shop.right);
    let choice = html! {
        @if locations.len() > 1 {
            form.filter method="get" action=(path) {
                (location_choice(shop, &locations))
                (hidden(&[(LEVEL, to.query.get(LEVEL)), table::order(to)]))
                button.quiet { (text!("word-show")) }
            }
        }
    };
    page_of_place(to, shop, section, title, &locations, choice, content)
}

/// Makes a page of a location and a period, with a choice of both.
/// `None` is all of the journal. The choice keeps the other `filters` of the page.
pub(super) fn page_of_period(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    section: &str,
    title: &str,
    period: Option<Period>,
    filters: &[(&str, &str)],
    content: Markup,
) -> Answer {
    let locations = to.locations(shop.right);
    let kept = [filters, &[table::order(to)]].concat();
    let address = |period: Period| {
        let own = period.fields();
        let own = own.iter().map(|(name, value)| (*name, &**value));
        shop.with(section, own.chain(kept.iter().copied()))
    };
    let choice = html! {
        form.filter method="get" action=(section) {
            @if locations.len() > 1 {
                (location_choice(shop, &locations))
            } @else { input type="hidden" name=(AT) value=(shop.location.id); }
            (hidden(&kept))
            (period_choice::fields(to, period, section != ROOT))
            button.quiet { (text!("word-show")) }
            (period_choice::neighbors(to, period, address))
        }
    };
    page_of_place(to, shop, section, title, &locations, choice, content)
}

/// Makes a page with its only location beside the title.
/// On paper, the name is there in any case.
fn page_of_place(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    section: &str,
    title: &str,
    locations: &[&AccountLocation],
    choice: Markup,
    content: Markup,
) -> Answer {
    let choice = html! {
        span.place hidden[locations.len() > 1] { (shop.location.name) }
        (choice)
    };
    layout::page_with_choice(to, section, title, choice, content)
}

/// The hidden fields of a form with these values, but empty ones.
fn hidden(fields: &[(&str, &str)]) -> Markup {
    html! {
        @for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            input type="hidden" name=(name) value=(value);
        }
    }
}

fn location_choice(shop: &PageLocation, locations: &[&AccountLocation]) -> Markup {
    html! {
        label.hidden for=(AT) { (text!("word-location")) }
        select id=(AT) name=(AT) {
            @for location in locations {
                option value=(location.id) selected[location.id == shop.location.id] { (location.name) }
            }
        }
    }
}

/// Makes the page of an account without locations.
pub(super) fn nowhere(to: &SignedIn<'_>, section: &str, title: &str) -> Answer {
    let text = text!("shop-nowhere");
    layout::page(to, section, title, components::empty(&text, html! {}))
}

/// The link to the next page, if there is one.
fn next(shop: &PageLocation, path: &str, filters: &[(&str, &str)], cursor: Option<&str>) -> Markup {
    let Some(cursor) = cursor else {
        return html! {};
    };
    let fields = filters.iter().copied().chain([(CURSOR, cursor)]);
    html! { p { a href=(shop.with(path, fields)) { (text!("shop-next-page")) } } }
}

/// The placeholder of an empty page of a list.
/// `text` is shown if the whole list is empty.
fn nothing(to: &SignedIn<'_>, next: Option<&str>, text: &str) -> Markup {
    let text = match (next, to.query.get(CURSOR)) {
        // One page searches only a limited number of rows.
        (Some(_), _) => text!("shop-nothing-so-far"),
        (None, "") => Cow::Borrowed(text),
        (None, _) => text!("shop-nothing-more"),
    };
    components::empty(&text, html! {})
}

/// The page of a list named by the address.
fn paging(to: &SignedIn<'_>) -> Paging {
    let cursor = to.query.get(CURSOR);
    Paging {
        cursor: (!cursor.is_empty()).then(|| cursor.to_owned()),
        ..Paging::default()
    }
}

/// A table of two columns, the second with amounts.
fn pairs(rows: impl Iterator<Item = (impl Render, String)>) -> Markup {
    html! {
        table.narrow { tbody {
            @for (name, amount) in rows { tr { th { (name) } td.number { (amount) } } }
        } }
    }
}

/// The name of a means of payment, as people write it.
fn means(method: &PaymentMethod) -> Cow<'_, str> {
    match method {
        PaymentMethod::Cash => text!("shop-means-cash"),
        PaymentMethod::Card => text!("shop-means-card"),
        PaymentMethod::Voucher => text!("shop-means-voucher"),
        PaymentMethod::Invoice => text!("shop-means-invoice"),
        PaymentMethod::Other => text!("shop-means-other"),
        unknown => unknown.as_str().into(),
    }
}

/// The VAT in an amount, by rate.
fn vat(shop: &PageLocation, amounts: &[VatAmount]) -> Markup {
    html! {
        @if !amounts.is_empty() {
            h2 { (text!("word-vat")) }
            (pairs(amounts.iter().map(|vat| {
                (numbers::percent(vat.vat_rate), shop.money(vat.vat_cents))
            })))
        }
    }
}
