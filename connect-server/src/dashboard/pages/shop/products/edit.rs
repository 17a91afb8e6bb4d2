//! Saving a product edited in its row, or a new one.

use connect_core::{
    Error, Reason, UserRight,
    wire::{
        Field, Id, Product, ProductInput, Timestamp,
        form::{Form, OrNull},
    },
};

use super::{
    PATH,
    edited_row::{ACTIVE, BARCODE, CODE, EditedRow, NAME, OF_CATEGORY, PRICE, SEEN, VAT},
    here,
    list::{Beside, show},
};
use crate::dashboard::{
    Answer, FormFields, components,
    messages::numbers,
    notices::{self, Notice},
    page_request::SignedIn,
    pages::shop::{PageLocation, nowhere},
};

/// Saves a product, and returns to the same page of the list.
pub(crate) async fn save(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let products = shop.records.products();
    let saved = match (seen(&to.form), input(&to.form)) {
        (Ok(seen), Ok(input)) => products.update_unchanged(id, seen, input).await,
        (Err(reason), _) | (_, Err(reason)) => Err(Error::Invalid(reason)),
    };
    match saved {
        Ok(_) => Ok(done(to, &shop, Notice::ProductSaved)),
        Err(Error::Conflict(reason)) if reason.field.as_deref() == Some(SEEN) => {
            let meanwhile = Reason::new(text!("products-changed-meanwhile"));
            again(to, &shop, Some(id), Error::Conflict(meanwhile), true).await
        }
        Err(error) => again(to, &shop, Some(id), error, false).await,
    }
}

/// Adds a product, and returns to the list.
pub(crate) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let made = match input(&to.form) {
        Ok(input) => shop.records.products().create(input).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match made {
        Ok(product) => {
            let mut answer = done(to, &shop, Notice::ProductMade);
            answer.made = Some(product.id.uuid());
            Ok(answer)
        }
        Err(error) => again(to, &shop, None, error, false).await,
    }
}

fn done(to: &SignedIn<'_>, shop: &PageLocation, notice: Notice) -> Answer {
    Answer::redirect(&notices::at(&here(to, shop, PATH), notice))
}

/// Shows the list again, with the row as filled in.
async fn again(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    id: Option<Id<Product>>,
    error: Error,
    is_outdated: bool,
) -> Result<Answer, Error> {
    let error = match error {
        Error::Conflict(reason) if reason.field.as_deref() == Some(CODE) => {
            Error::Conflict(Reason::of(CODE, text!("products-code-taken")))
        }
        other => other,
    };
    let form = async |reason: &Reason| {
        let edited = EditedRow::again(to, shop, id, reason, is_outdated).await?;
        let beside = Beside {
            edited: Some(edited),
            ..Beside::default()
        };
        show(to, shop, beside).await
    };
    components::again(error, form).await
}

/// Reads the time of the product's last change as shown.
fn seen(form: &FormFields) -> Result<Timestamp, Reason> {
    let seen = form.get(SEEN).parse();
    seen.map_err(|_| Reason::new(text!("form-too-old")))
}

/// Reads the fields of a product.
fn input(form: &FormFields) -> Result<ProductInput, Reason> {
    let category_id = match form.get(OF_CATEGORY) {
        "" => Field::Null,
        id => {
            let id = id.parse();
            let problem = || Reason::of(OF_CATEGORY, text!("word-must-be-chosen"));
            Field::Value(id.map_err(|_| problem())?)
        }
    };
    let price_cents = numbers::cents(form.get(PRICE));
    let price_cents =
        price_cents.ok_or_else(|| Reason::of(PRICE, text!("products-must-be-amount")))?;
    let vat_rate = form.get(VAT).trim_end_matches('%').trim_end();
    let vat_rate = vat_rate.replace(',', ".").parse();
    let vat_rate = vat_rate.map_err(|_| Reason::of(VAT, text!("products-must-be-percentage")))?;
    Ok(ProductInput {
        name: Field::Value(form.get(NAME).to_owned()),
        external_id: or_null(form.get(CODE)),
        barcode: or_null(form.get(BARCODE)),
        category_id,
        price_cents: Field::Value(price_cents),
        vat_rate: Field::Value(vat_rate),
        is_active: Field::Value(form.has_field(ACTIVE)),
        ..ProductInput::default()
    })
}

/// A text, or `null` for an empty one.
fn or_null<F: Form<Value = String>>(text: &str) -> Field<OrNull<F>> {
    match text {
        "" => Field::Null,
        text => Field::Value(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stands_at_its_field() {
        let rest = "name=Rye&priceCents=3,50&vatRate=9&categoryId=";
        for (fields, expected) in [
            (rest, Ok((350, "9", false))),
            (
                "name=Rye&priceCents=3.5&vatRate=5,5+%25&isActive=on",
                Ok((350, "5.5", true)),
            ),
            ("name=Rye&priceCents=x&vatRate=9", Err(PRICE)),
            ("name=Rye&priceCents=-1&vatRate=9", Err(PRICE)),
            ("name=Rye&priceCents=&vatRate=9", Err(PRICE)),
            ("name=Rye&priceCents=1&vatRate=", Err(VAT)),
            ("name=Rye&priceCents=1&vatRate=101", Err(VAT)),
            (
                "name=Rye&priceCents=1&vatRate=9&categoryId=x",
                Err(OF_CATEGORY),
            ),
        ] {
            let form = FormFields::parse(fields.as_bytes());
            let found = input(&form).map(|input| {
                let rate = input.vat_rate.value().map(ToString::to_string);
                let price = input.price_cents.value().copied().unwrap_or_default();
                assert_eq!(input.external_id, Field::Null, "{fields}");
                (
                    price,
                    rate.unwrap_or_default(),
                    input.is_active == Field::Value(true),
                )
            });
            let found = found.map_err(|reason| reason.field.unwrap_or_default());
            let expected =
                expected.map(|(price, rate, is_active)| (price, rate.to_owned(), is_active));
            assert_eq!(found, expected.map_err(str::to_owned), "{fields}");
        }
        let form = FormFields::parse(b"updatedAt=now");
        assert!(seen(&form).is_err_and(|reason| reason.field.is_none()));
    }
}
