//! The products of a location.

use connect_core::{
    Error,
    wire::{
        Category, Id, Product,
        query::{CategoryQuery, ProductQuery, SyncQuery},
    },
};
use maud::{Markup, html};

use super::{AT, PAGE, Shop, cursor, next, nowhere, page};
use crate::dashboard::{Answer, components, visit::SignedIn};

pub(super) const PATH: &str = "/dashboard/products";

/// The choice that takes products out of their category.
pub(super) const NO_CATEGORY: &str = "none";

/// The most categories that are offered to choose from.
const CATEGORIES: usize = 200;

/// Shows a page of the list, by filters.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(nowhere(to, PATH, "Products"));
    };
    let code = to.query.get("code");
    let category: Option<Id<Category>> = to.query.get("category").parse().ok();
    let categories = categories(&shop).await?;
    let mut query = ProductQuery {
        sync: SyncQuery {
            limit: Some(PAGE),
            cursor: cursor(to),
            ..SyncQuery::default()
        },
        category_id: category,
        ..ProductQuery::default()
    };
    let products = shop.records.products();
    let mut found = if code.is_empty() {
        products.list(&query).await?
    } else {
        // It may be either; few have both.
        query.external_id = Some(code.to_owned());
        let by_external_id = products.list(&query).await?;
        query.external_id = None;
        query.barcode = Some(code.to_owned());
        let mut by_barcode = products.list(&query).await?;
        by_barcode.data.splice(0..0, by_external_id.data);
        by_barcode.data.dedup_by_key(|product| product.id);
        by_barcode
    };
    let cursor = found.next_cursor.take();
    let chosen = to.query.get("category");
    let content = html! {
        (filters(&shop, code, chosen, &categories))
        @if found.data.is_empty() {
            (components::empty(
                if code.is_empty() && chosen.is_empty() {
                    "There is no product yet. Other software adds them through the API."
                } else { "No product matches." },
                html! {},
            ))
        } @else { (form(to, &shop, &found.data, &categories)) }
        (next(&shop, PATH, &[("code", code), ("category", chosen)], cursor.as_deref()))
    };
    Ok(page(to, &shop, PATH, "Products", content))
}

/// The categories of a location.
pub(super) async fn categories(shop: &Shop) -> Result<Vec<Category>, Error> {
    let query = CategoryQuery {
        sync: SyncQuery {
            limit: Some(CATEGORIES),
            ..SyncQuery::default()
        },
    };
    let mut found = shop.records.categories().list(&query).await?.data;
    found.sort_by(|one, other| (one.position, &one.name).cmp(&(other.position, &other.name)));
    Ok(found)
}

fn filters(shop: &Shop, code: &str, category: &str, categories: &[Category]) -> Markup {
    html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for="code" { "Code or barcode" }
            input id="code" name="code" type="search" value=(code);
            label for="category" { "Category" }
            select id="category" name="category" {
                option value="" { "All" }
                @for choice in categories {
                    @let id = choice.id.to_string();
                    option value=(id) selected[id == category] { (choice.name) }
                }
            }
            button.quiet { "Find" }
        }
    }
}

/// The list, with what can be done to the products that are chosen.
fn form(to: &SignedIn<'_>, shop: &Shop, products: &[Product], categories: &[Category]) -> Markup {
    html! {
        form method="post" action="/dashboard/products/bulk" {
            (components::hidden(&to.csrf))
            // The first button of a form is pressed by Enter in any of its fields: this one does nothing.
            button.nothing name="do" value="" tabindex="-1" aria-hidden="true" { "Nothing" }
            input type="hidden" name=(AT) value=(shop.location.id);
            div.scroll tabindex="0" role="group" aria-label="Table" { table {
                thead { tr {
                    th { span.skip { "Choose" } } th { "Name" } th { "Code" } th { "Category" }
                    th.number { "Price" } th.number { "VAT" } th.number { "Stock" } th { "For sale" }
                } }
                tbody { @for product in products { (row(shop, product, categories)) } }
            } }
            (actions(categories))
        }
    }
}

fn row(shop: &Shop, product: &Product, categories: &[Category]) -> Markup {
    let category = categories
        .iter()
        .find(|category| Some(category.id) == product.category_id);
    let code = product.external_id.as_ref().or(product.barcode.as_ref());
    html! {
        tr {
            td {
                input type="checkbox" name="id" value=(product.id) aria-label={ "Choose " (product.name) };
            }
            td { (product.name) }
            td { @if let Some(code) = code { code { (code) } } }
            td { @if let Some(category) = category { (category.name) } }
            td.number { (shop.money(product.price_cents)) }
            td.number { (product.vat_rate) " %" }
            td.number { @if let Some(quantity) = product.stock_quantity { (quantity) } }
            td { @if product.is_active { "Yes" } @else { span.tag { "No" } } }
        }
    }
}

/// The actions on the products that are chosen.
fn actions(categories: &[Category]) -> Markup {
    html! {
        fieldset {
            legend { "With the chosen products" }
            div.filter {
                label for="to-category" { "Category" }
                select id="to-category" name="category" {
                    option value="" { "Choose one" }
                    option value=(NO_CATEGORY) { "No category" }
                    @for category in categories { option value=(category.id) { (category.name) } }
                }
                button.quiet name="do" value="category" { "Set the category" }
            }
            div.filter {
                label for="price" { "Price" }
                input id="price" name="price" inputmode="decimal" autocomplete="off";
                button.quiet name="do" value="price" { "Set the price" }
            }
            div.filter {
                label for="vat" { "VAT in %" }
                input id="vat" name="vat" inputmode="decimal" autocomplete="off";
                button.quiet name="do" value="vat" { "Set the VAT" }
            }
            div.filter {
                button.quiet name="do" value="on" { "Put on sale" }
                button.quiet name="do" value="off" { "Take off sale" }
                (components::confirmed(
                    "Delete the chosen products",
                    "Delete…",
                    "They are removed for every program that uses the API. This cannot be undone.",
                    html! { button.danger name="do" value="delete" { "Delete the chosen products" } },
                ))
            }
        }
    }
}
