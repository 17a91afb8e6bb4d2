//! Changing prices of the chosen products, after a look at them.

use connect_core::{Error, PreviewedPrice, PricePreview, Reason, SeenPrice, UserRight};
use maud::{Markup, html};

use super::{
    PATH, actions,
    bulk::{chosen, finish},
    failures::failures,
    here,
    list::{Beside, refused, show},
    price_fields,
};
use crate::dashboard::{
    Answer, FormFields, components,
    page_request::{AT, SignedIn},
    pages::shop::{PageLocation, nowhere, page},
};

const PREVIEW: &str = "/dashboard/products/prices/preview";

/// The field with a product and its price as shown.
const SEEN: &str = "seen";

/// The button back to the products.
const BACK: &str = "back";

/// Shows the present and the new prices of the chosen products.
/// The way back leads to the list with all that was chosen and typed.
pub(crate) async fn preview(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    if to.form.has_field(BACK) {
        return show(to, &shop, Beside::default()).await;
    }
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
/// Products with another price meanwhile stay as they are.
pub(crate) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let done = match seen(&to.form).and_then(|seen| Ok((seen, price_fields::read(&to.form)?))) {
        Ok((seen, change)) => shop.records.products().change_prices(seen, change).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match done {
        Ok(result) => finish(to, &shop, &result).await,
        Err(error) => refused(to, &shop, error).await,
    }
}

/// Reads the products with the prices of the preview.
fn seen(form: &FormFields) -> Result<Vec<SeenPrice>, Reason> {
    let seen = form.all(SEEN).map(|seen| {
        let (id, cents) = seen.split_once(' ')?;
        Some(SeenPrice {
            id: id.parse().ok()?,
            cents: cents.parse().ok()?,
        })
    });
    let seen = seen.collect::<Option<Vec<_>>>();
    let seen = seen.filter(|seen| !seen.is_empty());
    seen.ok_or_else(|| Reason::new(text!("form-too-old")))
}

/// The hidden field with the price of a product as shown.
fn seen_field(product: &PreviewedPrice) -> Markup {
    html! { input type="hidden" name=(SEEN) value={ (product.id) " " (product.old_cents) }; }
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
    html! {
        p { (text!("prices-summary", changed = changed, same = all - changed)) }
        @if all > 0 { (components::table(&text!("prices-title"), head, rows)) }
        form method="post" action=(here(to, shop, "/dashboard/products/prices")) {
            (components::hidden(&to.csrf))
            input type="hidden" name=(AT) value=(shop.location.id);
            (actions::hidden(&to.form))
            @for product in &preview.products { (seen_field(product)) }
            div.actions {
                @if changed > 0 { button { (text!("prices-change", changed = changed)) } }
                button.quiet name=(BACK) value="yes" formaction=(here(to, shop, PREVIEW)) {
                    (text!("prices-back"))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";

    #[test]
    fn the_prices_seen_are_sent_back_as_they_were_shown() {
        let product = PreviewedPrice {
            id: ID.parse().unwrap(),
            name: "Rye".to_owned(),
            old_cents: 345,
            new_cents: 380,
        };
        let shown = seen_field(&product).into_string();
        assert!(shown.contains(&format!("value=\"{ID} 345\"")), "{shown}");
        for (fields, expected) in [
            (format!("seen={ID}+345&seen={ID}+345"), Some(2)),
            (format!("id={ID}"), None),
            (format!("seen={ID}"), None),
            (format!("seen={ID}+345&seen=x+345"), None),
            (format!("seen={ID}+3.45"), None),
        ] {
            let found = seen(&FormFields::parse(fields.as_bytes())).ok();
            let price = SeenPrice {
                id: product.id,
                cents: 345,
            };
            assert_eq!(found, expected.map(|count| vec![price; count]), "{fields}");
        }
    }
}
