//! Bulk actions on the chosen products.

use connect_core::{
    Error, ProductBulkResult, Reason, UserRight,
    wire::{Field, Id, Product, ProductInput},
};
use http::StatusCode;

use super::{
    NO_CATEGORY, PATH,
    failures::failures,
    list::{Beside, refused, show},
    start,
};
use crate::dashboard::{
    Answer,
    messages::numbers,
    notices::{self, Notice},
    page_request::SignedIn,
    pages::shop::{PageLocation, nowhere},
};

/// Performs the action, and reports any products left unchanged.
pub(crate) async fn act(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let done = match chosen(to).and_then(|ids| Ok((ids, change(to)?))) {
        Ok((ids, Some(change))) => {
            let products = shop.records.products();
            products.change_many(ids, change).await
        }
        Ok((ids, None)) => shop.records.products().delete_many(ids).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match done {
        Ok(result) => finish(to, &shop, &result).await,
        Err(error) => refused(to, &shop, error).await,
    }
}

/// Returns to the list, or reports the products left unchanged.
pub(super) async fn finish(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    result: &ProductBulkResult,
) -> Result<Answer, Error> {
    if result.failed.is_empty() {
        let start = start(to, shop);
        return Ok(Answer::redirect(&notices::at(
            &start,
            Notice::ProductsChanged,
        )));
    }
    let sentence = text!(
        "products-partly",
        changed = result.affected,
        left = result.failed.len()
    );
    let problem = failures(shop, &result.failed, &sentence).await?;
    let beside = Beside {
        problem: Some(problem),
        edited: None,
    };
    let answer = show(to, shop, beside).await?;
    Ok(answer.with_status(StatusCode::CONFLICT))
}

/// Reads the chosen products.
pub(super) fn chosen(to: &SignedIn<'_>) -> Result<Vec<Id<Product>>, Reason> {
    let ids: Result<Vec<Id<Product>>, _> = to.form.all("id").map(str::parse).collect();
    let ids = ids.ok().filter(|ids| !ids.is_empty());
    ids.ok_or_else(|| Reason::new(text!("products-choose-first")))
}

/// Reads the chosen change; `None` to delete.
fn change(to: &SignedIn<'_>) -> Result<Option<ProductInput>, Reason> {
    let mut change = ProductInput::default();
    let form = &to.form;
    match form.get("do") {
        "delete" => return Ok(None),
        action @ ("on" | "off") => change.is_active = Field::Value(action == "on"),
        "category" => {
            change.category_id = match form.get("category") {
                NO_CATEGORY => Field::Null,
                id => {
                    let problem = text!("word-must-be-chosen");
                    let id = id
                        .parse()
                        .map_err(|_| Reason::of(text!("word-category"), problem))?;
                    Field::Value(id)
                }
            }
        }
        "price" => {
            let cents = numbers::cents(form.get("price"));
            let problem = text!("products-must-be-amount");
            let cents = cents.ok_or_else(|| Reason::of(text!("word-price"), problem))?;
            change.price_cents = Field::Value(cents);
        }
        "vat" => {
            let rate = form.get("vat").replace(',', ".").parse();
            let problem = text!("products-must-be-percentage");
            let rate = rate.map_err(|_| Reason::of(text!("word-vat"), problem))?;
            change.vat_rate = Field::Value(rate);
        }
        _ => return Err(Reason::new(text!("products-choose-action"))),
    }
    Ok(Some(change))
}
