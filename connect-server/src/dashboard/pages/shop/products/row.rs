//! A row of the list.

use std::borrow::Cow;

use connect_core::wire::Product;
use maud::html;

use super::{EDIT, PATH, here, may_change};
use crate::dashboard::{
    messages::numbers,
    page_request::SignedIn,
    pages::{
        activity,
        shop::{PageLocation, categories::Categories, stock},
    },
    table::{Cell, Column, Value},
};

/// The columns of the list.
pub(super) fn columns() -> [Column; 10] {
    [
        Column::action(text!("products-choose")),
        Column::text("name", text!("word-name")),
        Column::text("code", text!("word-code")),
        Column::text("barcode", text!("word-barcode")),
        Column::text("category", text!("word-category")),
        Column::number("price", text!("word-price")),
        Column::number("vat", text!("word-vat")),
        Column::number("stock", text!("section-stock")),
        Column::text("active", text!("products-for-sale")),
        Column::action(text!("word-actions")),
    ]
}

/// The cells of a product.
pub(super) fn cells(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    categories: &Categories,
) -> [Cell; 10] {
    let id = product.id.to_string();
    let category = product.category_id.and_then(|id| categories.name(id));
    let code = |code: &Option<String>| code.as_ref().map_or_else(Cell::empty, Cell::code);
    let choice = html! {
        input type="checkbox" name="id" value=(id)
            aria-label=(text!("products-choose-one", product = &*product.name))
            checked[to.form.has("id", &id)];
    };
    let links = html! {
        span.links {
            @if may_change(shop) {
                a href={ (here(to, shop, PATH)) "&" (EDIT) "=" (id) }
                    aria-label=(text!("products-edit-of", product = &*product.name)) {
                    (text!("products-edit"))
                }
            }
            (activity::changes_link(to, &id, &product.name))
        }
    };
    [
        Cell::action(choice),
        Cell::text(&*product.name),
        code(&product.external_id),
        code(&product.barcode),
        category.map_or_else(Cell::empty, Cell::text),
        Cell::amount(product.price_cents, shop.money(product.price_cents)),
        Cell::number(product.vat_rate, numbers::percent(product.vat_rate)),
        stock_cell(shop, product),
        for_sale(product.is_active),
        Cell::action(links),
    ]
}

/// The level of a product, linked to its stock.
pub(super) fn stock_cell(shop: &PageLocation, product: &Product) -> Cell {
    let level = match product.stock_quantity {
        Some(level) => Value::Number(level.to_string()),
        None => Value::Empty,
    };
    Cell::of(stock::link(shop, product), level)
}

/// The word for a product on sale or not.
pub(super) fn yes_or_no(is_active: bool) -> Cow<'static, str> {
    match is_active {
        true => text!("word-yes"),
        false => text!("word-no"),
    }
}

fn for_sale(is_active: bool) -> Cell {
    let word = yes_or_no(is_active);
    let value = Value::Text(word.to_string());
    let shown = html! { @if is_active { (word) } @else { span.tag { (word) } } };
    Cell::of(shown, value)
}
