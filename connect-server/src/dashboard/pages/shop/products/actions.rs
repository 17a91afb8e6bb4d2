//! The actions on the chosen products.

use maud::{Markup, html};

use super::{NO_CATEGORY, here, price_fields};
use crate::dashboard::{
    FormFields, components,
    page_request::SignedIn,
    pages::shop::{PageLocation, categories::Categories},
};

/// The fields of the chosen products, and of the plain actions.
const FIELDS: [&str; 4] = ["id", "category", "price", "vat"];

/// Renders all choices and input as hidden fields, to send again.
pub(super) fn hidden(form: &FormFields) -> Markup {
    html! {
        @for name in FIELDS {
            @for value in form.all(name).filter(|value| !value.is_empty()) {
                input type="hidden" name=(name) value=(value);
            }
        }
        (price_fields::hidden(form))
    }
}

/// The fields and buttons of the actions; input is kept.
pub(super) fn actions(to: &SignedIn<'_>, shop: &PageLocation, categories: &Categories) -> Markup {
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
                (price_fields::fields(&to.form))
                button.quiet formaction=(here(to, shop, "/dashboard/products/prices/preview")) {
                    (text!("products-preview"))
                }
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
