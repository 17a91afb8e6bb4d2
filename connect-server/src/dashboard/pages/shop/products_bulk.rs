//! Actions on the products that were chosen, in bulk.

use connect_core::{
    Error, ProductBulkResult, Reason,
    wire::{Field, Id, Product, ProductInput},
};
use maud::html;

use super::{
    Shop, nowhere, page,
    products::{NO_CATEGORY, PATH},
};
use crate::dashboard::{
    Answer, components, money,
    notices::{self, Notice},
    visit::SignedIn,
};

/// Does it, and says what became of the products.
pub(crate) async fn act(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = Shop::find(to).await? else {
        return Ok(nowhere(to, PATH, "Products"));
    };
    let ids = to.form.all("id").map(components::id);
    let ids: Vec<Id<Product>> = ids.collect::<Result<_, _>>()?;
    if ids.is_empty() {
        return Ok(Answer::redirect(&notices::at(
            &shop.at(PATH),
            Notice::NoneChosen,
        )));
    }
    let products = shop.records.products();
    let done = match change(to) {
        Ok(Some(change)) => products.change_many(ids, change).await,
        Ok(None) => products.delete_many(ids).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match done {
        Ok(result) if result.failed.is_empty() => Ok(Answer::redirect(&notices::at(
            &shop.at(PATH),
            Notice::ProductsChanged,
        ))),
        Ok(result) => Ok(failed(to, &shop, &result)),
        Err(error) => {
            let reason = components::mendable(error)?;
            let content = html! {
                (components::problem(Some(&reason), &[]))
                p { a href=(shop.at(PATH)) { "Back to the products" } }
            };
            Ok(page(to, &shop, PATH, "Nothing was changed", content))
        }
    }
}

/// The change that was chosen; `None` to delete.
fn change(to: &SignedIn<'_>) -> Result<Option<ProductInput>, Reason> {
    let mut change = ProductInput::default();
    let form = &to.form;
    match form.get("do") {
        "delete" => return Ok(None),
        "on" => change.is_active = Field::Value(true),
        "off" => change.is_active = Field::Value(false),
        "category" => {
            change.category_id = match form.get("category") {
                NO_CATEGORY => Field::Null,
                id => {
                    let id = id
                        .parse()
                        .map_err(|_| Reason::of("category", "must be chosen"))?;
                    Field::Value(id)
                }
            }
        }
        "price" => {
            let cents = money::cents(form.get("price"));
            let cents =
                cents.ok_or_else(|| Reason::of("price", "must be an amount such as 3.50"))?;
            change.price_cents = Field::Value(cents);
        }
        "vat" => {
            let rate = form.get("vat").replace(',', ".").parse();
            let problem = "must be a percentage such as 9 or 5.5";
            change.vat_rate = Field::Value(rate.map_err(|_| Reason::of("VAT", problem))?);
        }
        _ => return Err(Reason::new("choose what is to be done")),
    }
    Ok(Some(change))
}

fn failed(to: &SignedIn<'_>, shop: &Shop, result: &ProductBulkResult) -> Answer {
    let content = html! {
        p { (result.affected) " were changed, " (result.failed.len()) " were not:" }
        ul {
            @for failure in &result.failed {
                li { code { (failure.id) } ": " (components::sentence(&failure.error.message)) }
            }
        }
        p { a href=(shop.at(PATH)) { "Back to the products" } }
    };
    page(to, shop, PATH, "Not all products were changed", content)
}
