//! What a product may be, and what a write makes of it.

use super::field::{set, set_optional};
use crate::wire::{
    Field, Product, ProductInput, WriteInput as _,
    read::{Invalid, missing},
};

/// Checks everything of a product that needs nothing but itself to be checked, and trims names.
pub(crate) fn check(input: ProductInput) -> Result<ProductInput, Invalid> {
    if !input.category_id.is_absent() && !input.category_name.is_absent() {
        let problem = "cannot be sent together with categoryId";
        return Err(Invalid::new("categoryName", problem));
    }
    if matches!(input.category_name, Field::Null) {
        let problem =
            "must be a name; to take the product out of its category send categoryId: null";
        return Err(Invalid::new("categoryName", problem));
    }
    input.check()
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
