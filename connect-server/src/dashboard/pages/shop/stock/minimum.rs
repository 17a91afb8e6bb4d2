//! The minimum of a product's stock: its form, beside the entry.

use connect_core::{
    Error, Reason,
    wire::{Id, Product, Quantity},
};
use maud::{Markup, html};

use super::{PATH, entry};
use crate::dashboard::{
    FormFields, components,
    inputs::Field,
    messages::numbers,
    page_request::{AT, SignedIn},
    pages::shop::PageLocation,
};

/// The field, and the end of the form's path.
const MINIMUM: &str = "minimum";

/// Returns the minimum of a product, if it has one.
pub(super) async fn of_product(
    shop: &PageLocation,
    id: Id<Product>,
) -> Result<Option<Quantity>, Error> {
    let found = shop.records.stock().minimums(&[id]).await?;
    Ok(found.first().map(|found| found.minimum))
}

/// Reads the form: a minimum, or nothing for none.
pub(super) fn typed(form: &FormFields) -> Result<Option<Quantity>, Reason> {
    match form.get(MINIMUM) {
        "" => Ok(None),
        text => {
            let quantity = entry::quantity_of(text);
            let wrong = || Reason::of(MINIMUM, text!("stock-must-be-quantity"));
            quantity.map(Some).ok_or_else(wrong)
        }
    }
}

/// The forms of one product: its stock, and its minimum.
/// The problem of a refused form is in that form alone.
pub(super) fn forms(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    minimum: Option<Quantity>,
    refused: Option<&Reason>,
) -> Markup {
    let is_sent = to.segments().last() == Some(&MINIMUM);
    let (of_entry, of_minimum) = match is_sent {
        true => (None, refused),
        false => (refused, None),
    };
    html! {
        (entry::form(to, shop, product, of_entry))
        (form(to, shop, product, minimum, of_minimum))
    }
}

fn form(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    minimum: Option<Quantity>,
    refused: Option<&Reason>,
) -> Markup {
    let stored = minimum.map(numbers::quantity).unwrap_or_default();
    let field = Field {
        label: text!("stock-minimum"),
        name: MINIMUM,
        kind: "text",
        value: match refused {
            Some(_) => to.form.get(MINIMUM),
            None => &stored,
        },
        hint: match product.stock_quantity {
            Some(_) => text!("stock-minimum-hint"),
            None => text!("stock-minimum-hint-untracked"),
        },
        autocomplete: "off",
    };
    let fields = html! {
        input type="hidden" name=(AT) value=(shop.location.id);
        (components::problem(refused, &[MINIMUM]))
        (field.render_optional(true, refused))
        button.quiet { (text!("word-save")) }
    };
    let action = shop.at(&format!("{PATH}/{}/{MINIMUM}", product.id));
    html! {
        div.card {
            h2 { (text!("stock-minimum-title")) }
            (components::form(&action, &to.csrf, fields))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_is_typed_or_left_empty() {
        let quantity = |thousandths| Quantity::from_thousandths(thousandths);
        for (text, expected) in [
            ("", Ok(None)),
            ("+", Ok(None)),
            ("12", Ok(quantity(12_000))),
            ("2,5", Ok(quantity(2500))),
            // The core refuses it, with the bounds.
            ("-1", Ok(quantity(-1000))),
            ("few", Err(MINIMUM)),
        ] {
            let form = FormFields::parse(format!("{MINIMUM}={text}").as_bytes());
            let found = typed(&form).map_err(|reason| reason.field.unwrap_or_default());
            assert_eq!(found, expected.map_err(str::to_owned), "{text}");
        }
    }
}
