//! What a product may be, and what a write makes of it.

use std::collections::HashSet;

use super::{
    field::{required, set, set_optional, within},
    text,
};
use crate::wire::{
    Field, Product, ProductInput, limits,
    read::{Invalid, missing},
};

/// Checks every field of a product that needs nothing but itself to be checked, and trims names.
pub(crate) fn check(mut input: ProductInput) -> Result<ProductInput, Invalid> {
    if let Field::Value(id) = &input.external_id {
        text::external_id("externalId", id, limits::MAX_EXTERNAL_ID)?;
    }
    input.name = required(input.name, "name", |name| {
        text::name("name", &name, limits::MAX_PRODUCT_NAME)
    })?;
    if let Field::Value(description) = &input.description {
        text::prose("description", description, limits::MAX_DESCRIPTION)?;
    }
    input.price_cents = required(input.price_cents, "priceCents", |price| {
        within("priceCents", price, limits::MAX_PRICE_CENTS)
    })?;
    input.vat_rate = required(input.vat_rate, "vatRate", Ok)?;
    if let Field::Value(barcode) = &input.barcode {
        text::code("barcode", barcode, limits::MAX_BARCODE)?;
    }
    if let Field::Value(name) = input.category_name {
        let name = text::name("categoryName", &name, limits::MAX_CATEGORY_NAME)?;
        input.category_name = Field::Value(name);
    }
    if !input.category_id.is_absent() && !input.category_name.is_absent() {
        return Err(Invalid::new(
            "categoryName",
            "cannot be sent together with categoryId",
        ));
    }
    if matches!(input.category_name, Field::Null) {
        let problem =
            "must be a name; to take the product out of its category send categoryId: null";
        return Err(Invalid::new("categoryName", problem));
    }
    input.is_active = required(input.is_active, "isActive", Ok)?;
    if let Field::Value(link) = &input.image_url {
        text::https_link("imageUrl", link, limits::MAX_IMAGE_URL)?;
    }
    input.option_group_ids = required(input.option_group_ids, "optionGroupIds", |ids| {
        if ids.len() > limits::MAX_OPTION_GROUPS_PER_PRODUCT {
            let most = limits::MAX_OPTION_GROUPS_PER_PRODUCT;
            return Err(Invalid::new(
                "optionGroupIds",
                format!("must have at most {most} ids"),
            ));
        }
        let mut seen = HashSet::new();
        match ids.iter().position(|id| !seen.insert(*id)) {
            Some(at) => Err(Invalid::new(
                format!("optionGroupIds[{at}]"),
                "repeats an earlier id",
            )),
            None => Ok(ids),
        }
    })?;
    Ok(input)
}

/// Writes the given fields of a checked `input` into `product`; whatever needs a look at other
/// records (category, image) is the resource's business.
pub(crate) fn apply(input: &ProductInput, product: &mut Product) -> Result<(), Invalid> {
    set_optional(&mut product.external_id, &input.external_id);
    set(&mut product.name, &input.name);
    set_optional(&mut product.description, &input.description);
    set(&mut product.price_cents, &input.price_cents);
    set(&mut product.vat_rate, &input.vat_rate);
    set_optional(&mut product.barcode, &input.barcode);
    set(&mut product.is_active, &input.is_active);
    set_optional(&mut product.available_from, &input.available_from);
    set_optional(&mut product.available_until, &input.available_until);
    set(&mut product.option_group_ids, &input.option_group_ids);
    if let (Some(from), Some(until)) = (product.available_from, product.available_until)
        && until < from
    {
        // Name the field that was sent; of two, the later one.
        let (field, problem) = if input.available_until.is_absent() {
            (
                "availableFrom",
                format!("must not be after availableUntil, which is {until}"),
            )
        } else {
            (
                "availableUntil",
                format!("must not be before availableFrom, which is {from}"),
            )
        };
        return Err(Invalid::new(field, problem));
    }
    Ok(())
}

/// The name that creating a product requires.
pub(crate) fn name_of(input: &ProductInput) -> Result<&String, Invalid> {
    input.name.value().ok_or_else(|| missing("name"))
}
