//! Rules of products.

use crate::wire::{Field, Product, ProductInput, read::Invalid};

/// Requires a write to name the category in only one way.
pub(crate) fn check_category(input: &ProductInput) -> Result<(), Invalid> {
    if !input.category_id.is_absent() && !input.category_name.is_absent() {
        let problem = "cannot be sent together with categoryId";
        return Err(Invalid::new("categoryName", problem));
    }
    if matches!(input.category_name, Field::Null) {
        let problem =
            "must be a name; to take the product out of its category send categoryId: null";
        return Err(Invalid::new("categoryName", problem));
    }
    Ok(())
}

/// Checks the dates of a product after writing `input` to it.
pub(crate) fn check_dates(product: &Product, input: &ProductInput) -> Result<(), Invalid> {
    if let (Some(from), Some(until)) = (product.available_from, product.available_until)
        && until < from
    {
        // Name the field in the request; of two, the later one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_names_the_category_in_one_way() {
        let id = || Field::Value(uuid::Uuid::nil().into());
        let name = || Field::Value("Bread".to_owned());
        for (category_id, category_name, is_taken) in [
            (Field::Absent, Field::Absent, true),
            (id(), Field::Absent, true),
            (Field::Null, Field::Absent, true),
            (Field::Absent, name(), true),
            (Field::Absent, Field::Null, false),
            (id(), name(), false),
            (Field::Null, name(), false),
        ] {
            let input = ProductInput {
                category_id,
                category_name,
                ..ProductInput::default()
            };
            let refused = check_category(&input).err().map(|invalid| invalid.field);
            let expected = (!is_taken).then(|| "categoryName".to_owned());
            assert_eq!(refused, expected, "{input:?}");
        }
    }

    #[test]
    fn a_product_may_be_there_for_one_day() {
        use crate::wire::{Timestamp, WireRecord as _};
        let mut product = Product::new(uuid::Uuid::nil(), Timestamp::EPOCH);
        let input = ProductInput::default();
        for (from, until, is_taken) in [
            ("2026-11-20", "2026-11-20", true),
            ("2026-11-20", "2026-11-21", true),
            ("2026-11-21", "2026-11-20", false),
        ] {
            product.available_from = from.parse().ok();
            product.available_until = until.parse().ok();
            assert!(product.available_from.is_some() && product.available_until.is_some());
            let checked = check_dates(&product, &input);
            assert_eq!(checked.is_ok(), is_taken, "{from} to {until}");
        }
    }
}
