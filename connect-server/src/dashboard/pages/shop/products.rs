//! The products of a location.

use connect_core::{
    Error, UserRight,
    wire::{Page, Product, Scope, query::ProductQuery},
};
use maud::{Markup, html};

use super::{
    AT, CURSOR, PageLocation,
    categories::{self, Categories},
    next, nothing, nowhere, page, product_search, sync,
};
use crate::dashboard::{
    Answer, components, messages::numbers, page_request::SignedIn, pages::activity,
};

pub(super) const PATH: &str = "/dashboard/products";

/// The choice to take products out of their category.
pub(super) const NO_CATEGORY: &str = "none";

/// The filters of the list, as named in the address.
const SEARCH: &str = "q";
const CATEGORY: &str = "category";

/// Shows a page of the list, by filters.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    match PageLocation::find(to, UserRight::ReadCatalog)? {
        Some(shop) => show(to, &shop, None).await,
        None => Ok(nowhere(to, PATH, &text!("section-products"))),
    }
}

/// The address of the list with the filters of this page.
pub(super) fn filtered(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    path: &str,
    names: &[&str],
) -> String {
    shop.with(path, names.iter().map(|name| (*name, to.query.get(name))))
}

/// The address of the list's first page with the same filters.
pub(super) fn start(to: &SignedIn<'_>, shop: &PageLocation) -> String {
    filtered(to, shop, PATH, &[SEARCH, CATEGORY])
}

/// Shows the page with the input, and the problem if refused.
pub(super) async fn show(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    problem: Option<Markup>,
) -> Result<Answer, Error> {
    let (code, chosen) = (to.query.get(SEARCH), to.query.get(CATEGORY));
    let found = find(to, shop).await?;
    let shown = found.data.iter().filter_map(|product| product.category_id);
    let categories = categories::find(shop, shown.chain(chosen.parse().ok())).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        @if let Some(problem) = problem { (problem) }
        (filters(shop, code, chosen, &categories))
        @if found.data.is_empty() {
            @let text = if code.is_empty() && chosen.is_empty() {
                text!("products-none-yet")
            } else { text!("products-none") };
            (nothing(to, next_cursor, &text))
        } @else { (form(to, shop, &found.data, &categories)) }
        (next(shop, PATH, &[(SEARCH, code), (CATEGORY, chosen)], next_cursor))
    };
    Ok(page(to, shop, PATH, &text!("section-products"), content))
}

/// Finds the products of the page.
async fn find(to: &SignedIn<'_>, shop: &PageLocation) -> Result<Page<Product>, Error> {
    let query = ProductQuery {
        sync: sync(to),
        category_id: to.query.get(CATEGORY).parse().ok(),
        ..ProductQuery::default()
    };
    let products = shop.records.products();
    product_search::find(&products, to.query.get(SEARCH), query).await
}

fn filters(shop: &PageLocation, code: &str, category: &str, categories: &Categories) -> Markup {
    html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for=(SEARCH) { (text!("products-search")) }
            input id=(SEARCH) name=(SEARCH) type="search" value=(code);
            label for=(CATEGORY) { (text!("word-category")) }
            select id=(CATEGORY) name=(CATEGORY) {
                option value="" { (text!("word-all")) }
                (categories.options(category))
            }
            button.quiet { (text!("word-find")) }
            @if let Some(hint) = categories.hint() { span.hint { (hint) } }
        }
    }
}

/// The list with actions on the chosen products; input is kept.
fn form(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    products: &[Product],
    categories: &Categories,
) -> Markup {
    // With the filters and the place of this page, to be shown again.
    let action = "/dashboard/products/bulk";
    let action = filtered(to, shop, action, &[SEARCH, CATEGORY, CURSOR]);
    let head = html! {
        th { span.skip { (text!("products-choose")) } } th { (text!("word-name")) }
        th { (text!("word-code")) } th { (text!("word-category")) }
        th.number { (text!("word-price")) } th.number { (text!("word-vat")) }
        th.number { (text!("section-stock")) } th { (text!("products-for-sale")) }
        th { span.skip { (text!("products-changes")) } }
    };
    let rows = html! { @for product in products { (row(to, shop, product, categories)) } };
    html! {
        form method="post" action=(action) {
            (components::hidden(&to.csrf))
            // The first button of a form is pressed by Enter in any of its fields: this one does nothing.
            button.nothing name="do" value="" tabindex="-1" aria-hidden="true" {
                (text!("products-nothing"))
            }
            input type="hidden" name=(AT) value=(shop.location.id);
            (components::table(&text!("section-products"), head, rows))
            @if shop.access.allows(&Scope::CatalogWrite) { (actions(to, categories)) }
        }
    }
}

fn row(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    categories: &Categories,
) -> Markup {
    let id = product.id.to_string();
    let category = product.category_id.and_then(|id| categories.name(id));
    let code = product.external_id.as_ref().or(product.barcode.as_ref());
    html! {
        tr {
            td {
                input type="checkbox" name="id" value=(id)
                    aria-label=(text!("products-choose-one", product = &*product.name))
                    checked[to.form.has("id", &id)];
            }
            td { (product.name) }
            td { @if let Some(code) = code { code { (code) } } }
            td { @if let Some(category) = category { (category) } }
            td.number { (shop.money(product.price_cents)) }
            td.number { (numbers::percent(product.vat_rate)) }
            td.number { (super::stock::link(shop, product)) }
            td {
                @if product.is_active {
                    (text!("word-yes"))
                } @else { span.tag { (text!("word-no")) } }
            }
            td {
                @if let Some(changes) = activity::of_object(to, &id) {
                    a href=(changes)
                        aria-label=(text!("products-changes-of", product = &*product.name)) {
                        (text!("products-changes"))
                    }
                }
            }
        }
    }
}

/// The actions on the chosen products.
fn actions(to: &SignedIn<'_>, categories: &Categories) -> Markup {
    let typed = |name| to.form.get(name);
    html! {
        fieldset {
            legend { (text!("products-with-chosen")) }
            div.filter {
                label for="to-category" { (text!("word-category")) }
                select id="to-category" name="category" {
                    option value="" { (text!("products-choose-category")) }
                    option value=(NO_CATEGORY) selected[typed("category") == NO_CATEGORY] {
                        (text!("products-no-category"))
                    }
                    (categories.options(typed("category")))
                }
                button.quiet name="do" value="category" { (text!("products-set-category")) }
            }
            div.filter {
                label for="price" { (text!("word-price")) }
                input id="price" name="price" inputmode="decimal" autocomplete="off" value=(typed("price"));
                button.quiet name="do" value="price" { (text!("products-set-price")) }
            }
            div.filter {
                label for="vat" { (text!("products-vat")) }
                input id="vat" name="vat" inputmode="decimal" autocomplete="off" value=(typed("vat"));
                button.quiet name="do" value="vat" { (text!("products-set-vat")) }
            }
            div.filter {
                button.quiet name="do" value="on" { (text!("products-put-on-sale")) }
                button.quiet name="do" value="off" { (text!("products-take-off-sale")) }
                (components::confirmed(
                    &text!("products-delete-chosen"),
                    &text!("products-delete"),
                    &text!("products-delete-consequence"),
                    html! {
                        button.danger name="do" value="delete" { (text!("products-delete-chosen")) }
                    },
                ))
            }
        }
    }
}
