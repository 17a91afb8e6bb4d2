//! Bulk actions on the chosen products.

use std::{borrow::Cow, collections::HashMap};

use connect_core::{
    Error, ProductBulkResult, Reason, UserRight,
    wire::{Field, Id, Product, ProductInput},
};
use http::StatusCode;
use maud::{Markup, html};

use super::{
    PageLocation, nowhere,
    products::{NO_CATEGORY, PATH, show, start},
};
use crate::dashboard::{
    Answer, components,
    messages::{numbers, problems},
    notices::{self, Notice},
    page_request::SignedIn,
};

/// Performs the action, and reports any products left unchanged.
pub(crate) async fn act(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let done = match chosen(to) {
        Ok((ids, Some(change))) => {
            let products = shop.records.products();
            products.change_many(ids, change).await
        }
        Ok((ids, None)) => shop.records.products().delete_many(ids).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match done {
        Ok(result) if result.failed.is_empty() => {
            let start = start(to, &shop);
            Ok(Answer::redirect(&notices::at(
                &start,
                Notice::ProductsChanged,
            )))
        }
        Ok(result) => {
            let problem = failed(&shop, &result).await?;
            let answer = show(to, &shop, Some(problem)).await?;
            Ok(answer.with_status(StatusCode::CONFLICT))
        }
        Err(error) => {
            let form = async |reason: &Reason| {
                let reason = components::sentence(&problems::reason(reason));
                let unchanged = text!("products-unchanged", reason = reason);
                let problem = html! { p.problem role="alert" { (unchanged) } };
                show(to, &shop, Some(problem)).await
            };
            components::again(error, form).await
        }
    }
}

/// The chosen products with the change, or `None` to delete them.
fn chosen(to: &SignedIn<'_>) -> Result<(Vec<Id<Product>>, Option<ProductInput>), Reason> {
    let ids: Result<Vec<Id<Product>>, _> = to.form.all("id").map(str::parse).collect();
    let ids = ids.ok().filter(|ids| !ids.is_empty());
    let ids = ids.ok_or_else(|| Reason::new(text!("products-choose-first")))?;
    Ok((ids, change(to)?))
}

/// The chosen change; `None` to delete.
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

/// Lists the unchanged products by name, with the reasons.
async fn failed(shop: &PageLocation, result: &ProductBulkResult) -> Result<Markup, Error> {
    let ids: Vec<_> = result.failed.iter().map(|failure| failure.id).collect();
    let products = shop.records.products().get_many(&ids).await?;
    let names: HashMap<_, _> = products.iter().map(|it| (it.id, &*it.name)).collect();
    Ok(html! {
        div.problem role="alert" {
            p {
                (text!("products-partly", changed = result.affected, left = result.failed.len()))
            }
            ul {
                @for failure in &result.failed {
                    @let name = names.get(&failure.id).copied().map(Cow::Borrowed);
                    @let name = name.unwrap_or_else(|| text!("products-gone"));
                    @let problem = components::sentence(&problems::detail(&failure.error));
                    li {
                        (marked!(
                            "products-failure",
                            [product = name, problem = problem],
                            strong = |words: &str| html! { strong { (words) } },
                        ))
                    }
                }
            }
        }
    })
}
