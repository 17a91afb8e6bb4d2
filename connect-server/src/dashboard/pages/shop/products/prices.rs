//! Changing prices of the chosen products, after a look at them.

use connect_core::{Error, PricePreview, UserRight};
use maud::{Markup, html};

use super::{
    PATH,
    bulk::{chosen, finish},
    failures::failures,
    here,
    list::refused,
    price_fields,
};
use crate::dashboard::{
    Answer, components,
    page_request::{AT, SignedIn},
    pages::shop::{PageLocation, nowhere, page},
};

/// Shows the present and the new prices of the chosen products.
pub(crate) async fn preview(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let previewed = match chosen(to).and_then(|ids| Ok((ids, price_fields::read(&to.form)?))) {
        Ok((ids, change)) => shop.records.products().preview_prices(ids, change).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match previewed {
        Ok(preview) => {
            let left = match &preview.failed[..] {
                [] => html! {},
                failed => failures(&shop, failed, &text!("prices-left")).await?,
            };
            let content = html! { (left) (confirmation(to, &shop, &preview)) };
            Ok(page(to, &shop, PATH, &text!("prices-title"), content))
        }
        Err(error) => refused(to, &shop, error).await,
    }
}

/// Changes the prices as previewed.
pub(crate) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let done = match chosen(to).and_then(|ids| Ok((ids, price_fields::read(&to.form)?))) {
        Ok((ids, change)) => shop.records.products().change_prices(ids, change).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match done {
        Ok(result) => finish(to, &shop, &result).await,
        Err(error) => refused(to, &shop, error).await,
    }
}

/// The prices, with the button to change them and a way back.
fn confirmation(to: &SignedIn<'_>, shop: &PageLocation, preview: &PricePreview) -> Markup {
    let all = preview.products.len();
    let changed = preview.products.iter();
    let changed = changed.filter(|it| it.old_cents != it.new_cents).count();
    let head = html! {
        th { (text!("word-product")) }
        th.number { (text!("prices-old")) } th.number { (text!("prices-new")) }
    };
    let rows = html! {
        @for product in &preview.products {
            tr {
                td { (product.name) }
                td.number { (shop.money(product.old_cents)) }
                td.number { (shop.money(product.new_cents)) }
            }
        }
    };
    let back = html! {
        a.button.quiet href=(here(to, shop, PATH)) { (text!("prices-back")) }
    };
    html! {
        p { (text!("prices-summary", changed = changed, same = all - changed)) }
        @if all > 0 { (components::table(&text!("prices-title"), head, rows)) }
        @if changed == 0 {
            p.actions { (back) }
        } @else {
            form method="post" action=(here(to, shop, "/dashboard/products/prices")) {
                (components::hidden(&to.csrf))
                input type="hidden" name=(AT) value=(shop.location.id);
                (price_fields::hidden(&to.form))
                @for product in &preview.products {
                    input type="hidden" name="id" value=(product.id);
                }
                div.actions {
                    button { (text!("prices-change", changed = changed)) }
                    (back)
                }
            }
        }
    }
}
