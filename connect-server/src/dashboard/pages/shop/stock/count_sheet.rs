//! The count sheet: product after product, by barcode or code.

use std::slice;

use connect_core::{
    Error, Reason, UserRight, local_time,
    wire::{
        Id, MovementType, Page, Product, Quantity,
        query::{Paging, ProductQuery, StockMovementQuery},
    },
};
use maud::{Markup, html};

use super::{
    PATH, SHEET,
    entry::{self, QUANTITY},
    facts, low, minimum, name,
    who::MovementUsers,
};
use crate::dashboard::{
    Answer, components,
    inputs::Problem,
    messages::numbers,
    notices::{self, Notice},
    page_request::{AT, SignedIn},
    pages::shop::{PageLocation, nowhere, page_at, products::PATH as PRODUCTS},
    period::{Period, Unit},
};

/// The fields of the address: a typed code, or the product itself.
const CODE: &str = "code";
const PRODUCT: &str = "product";

/// The most counts shown.
const MOST_COUNTS: usize = 10;

/// Shows the sheet, with the product of the typed code.
pub(crate) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeStock)? else {
        return Ok(nowhere(to, PATH, &text!("stock-sheet")));
    };
    let found = find(to, &shop).await?;
    sheet(to, &shop, &found, None).await
}

/// Saves the count of a product, and returns to the sheet.
pub(crate) async fn count(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ChangeStock)? else {
        return Ok(nowhere(to, PATH, &text!("stock-sheet")));
    };
    let saved = match entry::counted(&to.form) {
        Ok(count) => entry::save_count(&shop, id, count).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match saved {
        Ok(is_changed) => {
            let notice = match is_changed {
                true => Notice::StockCounted,
                false => Notice::StockSame,
            };
            Ok(Answer::redirect(&notices::at(
                &low::sheet(to, &shop),
                notice,
            )))
        }
        Err(error) => {
            let form = async |reason: &Reason| {
                let product = shop.records.products().get(id).await?;
                sheet(to, &shop, slice::from_ref(&product), Some(reason)).await
            };
            components::again(error, form).await
        }
    }
}

/// Finds the products named by the address.
/// Those with the barcode come first, then the one with the shop's own code.
async fn find(to: &SignedIn<'_>, shop: &PageLocation) -> Result<Vec<Product>, Error> {
    let products = shop.records.products();
    let (code, id) = (to.query.get(CODE), to.query.get(PRODUCT));
    if !id.is_empty() {
        let id: Id<Product> = components::id(id)?;
        return Ok(vec![products.get(id).await?]);
    }
    if code.is_empty() {
        return Ok(Vec::new());
    }
    let by_barcode = ProductQuery {
        barcode: Some(code.to_owned()),
        ..ProductQuery::default()
    };
    let by_own_code = ProductQuery {
        external_id: Some(code.to_owned()),
        ..ProductQuery::default()
    };
    let mut found = listed(products.list(&by_barcode).await)?;
    let mut own = listed(products.list(&by_own_code).await)?;
    own.retain(|one| found.iter().all(|other| other.id != one.id));
    found.extend(own);
    Ok(found)
}

/// Returns the products of a list.
/// A code too long for any product has none.
fn listed(page: Result<Page<Product>, Error>) -> Result<Vec<Product>, Error> {
    match page {
        Ok(page) => Ok(page.data),
        Err(Error::Malformed(_) | Error::Invalid(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Makes the page, with the input and problem if refused.
async fn sheet(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    found: &[Product],
    refused: Option<&Reason>,
) -> Result<Answer, Error> {
    let code = to.query.get(CODE);
    let products = match found {
        [] => low::to_count(to, shop, PRODUCT).await?,
        [product] => {
            let minimum = minimum::of_product(shop, product.id).await?;
            card(to, shop, (product, minimum), refused)
        }
        several => which(to, shop, code, several),
    };
    let content = html! {
        (search(to, shop, code, found))
        (products)
        (recent(to, shop).await?)
        p { a href=(shop.at(PATH)) { (text!("stock-back")) } }
    };
    let title = text!("stock-sheet");
    Ok(page_at(to, shop, (PATH, SHEET), &title, content))
}

/// The form for a code. A scanner adds to a field's text, so it is empty.
fn search(to: &SignedIn<'_>, shop: &PageLocation, code: &str, found: &[Product]) -> Markup {
    let label = text!("stock-code");
    let unknown = (found.is_empty() && !code.is_empty())
        .then(|| Reason::of(CODE, text!("stock-code-unknown", code = code)));
    let problem = Problem::of(CODE, unknown.as_ref());
    html! {
        form method="get" action=(SHEET) {
            input type="hidden" name=(AT) value=(shop.location.id);
            (low::kept(to))
            div.field {
                label for=(CODE) { (label) }
                input id=(CODE) name=(CODE) type="text" inputmode="text" enterkeyhint="search"
                    autocomplete="off" autocapitalize="none" spellcheck="false" required
                    autofocus[found.len() != 1] aria-invalid=[problem.invalid()]
                    aria-describedby=[problem.id()];
                (problem.render(&label))
                @if unknown.is_some() {
                    p { a href=(shop.at(PRODUCTS)) { (text!("stock-to-products")) } }
                }
            }
            button.quiet { (text!("word-find")) }
        }
    }
}

/// The form for the count of one product.
fn card(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    (product, minimum): (&Product, Option<Quantity>),
    refused: Option<&Reason>,
) -> Markup {
    let label = text!("shop-counted");
    let problem = Problem::of(QUANTITY, refused);
    let fields = html! {
        (entry::hidden(to, shop, product, refused))
        (low::kept(to))
        (components::problem(refused, &[QUANTITY]))
        div.field {
            label for=(QUANTITY) { (label) }
            input id=(QUANTITY) name=(QUANTITY) type="text" inputmode="decimal"
                value=(to.form.get(QUANTITY)) autocomplete="off" required autofocus
                aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
            (problem.render(&label))
        }
        div.actions {
            button { (text!("word-save")) }
            a.button.quiet href=(low::sheet(to, shop)) { (text!("word-cancel")) }
        }
    };
    let action = shop.at(&format!("{PATH}/{}/count", product.id));
    html! {
        div.card {
            h2 { (product.name) }
            (facts(product, minimum))
            (components::form(&action, &to.csrf, fields))
        }
    }
}

/// The choice among several products with one code.
fn which(to: &SignedIn<'_>, shop: &PageLocation, code: &str, products: &[Product]) -> Markup {
    html! {
        p { (text!("stock-several", code = code)) }
        ul.rows {
            @for product in products {
                li {
                    a href={ (low::sheet(to, shop)) "&" (PRODUCT) "=" (product.id) } { (product.name) }
                    @if let Some(own) = &product.external_id { code { (own) } }
                }
            }
        }
    }
}

/// The last counts of today.
async fn recent(to: &SignedIn<'_>, shop: &PageLocation) -> Result<Markup, Error> {
    let today = local_time(to.connect.now()).date();
    let query = StockMovementQuery {
        paging: Paging {
            limit: Some(MOST_COUNTS),
            ..Paging::default()
        },
        kind: Some(MovementType::Count),
        period: Period::around(Unit::Day, today).range(),
        ..StockMovementQuery::default()
    };
    let rows = shop.records.stock().movements().newest_first();
    let counts = rows.list(&query).await?.data;
    let who = MovementUsers::find(to, shop, &counts).await?;
    let mut ids: Vec<Id<Product>> = counts.iter().map(|count| count.product_id).collect();
    ids.sort();
    ids.dedup();
    let products = shop.records.products().get_many(&ids).await?;
    Ok(html! {
        h2 { (text!("stock-counted-today")) }
        @if counts.is_empty() { p.hint { (text!("stock-none-counted")) } } @else {
            ul.rows {
                @for count in &counts {
                    li {
                        span {
                            (name(&products, count.product_id)) ": "
                            strong { (numbers::quantity(count.quantity_after)) }
                        }
                        span.hint { (components::time(count.created_at)) " · " (who.of(count)) }
                    }
                }
            }
        }
    })
}
