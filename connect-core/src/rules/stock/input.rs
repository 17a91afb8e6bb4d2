//! The checked bodies of counts and adjustments.

use crate::{
    rules::option_link::Name,
    wire::{
        AdjustmentType, Field, Id, Product, Quantity, StockAdjustment, StockCount, StockCountItem,
        WriteInput as _,
        form::{Counted, ExternalId},
        limits::MAX_EXTERNAL_ID,
        read::{Invalid, missing},
    },
};

/// A count of the stock of one product.
#[derive(Debug)]
pub(crate) struct Count {
    pub(crate) quantity: Quantity,
    /// The quantity that is believed to be in stock.
    pub(crate) expected: Option<Quantity>,
}

impl Count {
    /// Checks the body of a count. Returns its note too.
    pub(crate) fn check(input: StockCount) -> Result<(Self, Option<String>), Invalid> {
        let input = input.check()?;
        let count = Self::of(&input.quantity, &input.expected_quantity)?;
        Ok((count, input.note.into_value()))
    }

    /// Checks an item of many. Returns the product that it names too.
    pub(crate) fn check_item(input: StockCountItem) -> Result<(Name, Self), Invalid> {
        let input = input.check()?;
        let name = named(&input.product_id, &input.external_id)?;
        let count = Self::of(&input.quantity, &input.expected_quantity)?;
        Ok((name, count))
    }

    fn of(quantity: &Field<Counted>, expected: &Field<Quantity>) -> Result<Self, Invalid> {
        Ok(Self {
            quantity: *quantity.value().ok_or_else(|| missing("quantity"))?,
            expected: expected.value().copied(),
        })
    }
}

/// A checked adjustment.
#[derive(Debug)]
pub(crate) struct Adjustment {
    pub(crate) product: Name,
    pub(crate) change: Quantity,
    pub(crate) kind: AdjustmentType,
    pub(crate) note: Option<String>,
}

impl Adjustment {
    /// Checks the body of an adjustment.
    pub(crate) fn check(input: StockAdjustment) -> Result<Self, Invalid> {
        let input = input.check()?;
        let product = named(&input.product_id, &input.external_id)?;
        let field = "quantityChange";
        let change = *input
            .quantity_change
            .value()
            .ok_or_else(|| missing(field))?;
        let kind = input.kind.into_value();
        let kind = kind.unwrap_or(AdjustmentType::Correction);
        if change == Quantity::default() {
            return Err(Invalid::new(field, "must not be 0"));
        }
        if kind == AdjustmentType::Delivery && change < Quantity::default() {
            let problem = format!(
                "must be above 0 for a delivery, not {change}; take goods away by a correction"
            );
            return Err(Invalid::new(field, problem));
        }
        Ok(Self {
            product,
            change,
            kind,
            note: input.note.into_value(),
        })
    }
}

/// Returns the name of the product that a body names in one of two ways.
fn named(
    id: &Field<Id<Product>>,
    external_id: &Field<ExternalId<MAX_EXTERNAL_ID>>,
) -> Result<Name, Invalid> {
    match (id.value(), external_id.value()) {
        (Some(id), None) => Ok(Name::Id(id.uuid())),
        (None, Some(text)) => Ok(Name::ExternalId(text.clone())),
        (None, None) => Err(Invalid::new("productId", "or externalId is required")),
        (Some(_), Some(_)) => {
            let problem = "and externalId must not both be given; name the product by one of them";
            Err(Invalid::new("productId", problem))
        }
    }
}

/// Returns the field of a body that names the product.
pub(crate) fn field_of(name: &Name) -> &'static str {
    match name {
        Name::Id(_) => "productId",
        Name::ExternalId(_) => "externalId",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjustment(body: &str) -> Result<Adjustment, String> {
        let input = StockAdjustment::from_json(body.as_bytes()).unwrap();
        Adjustment::check(input).map_err(|invalid| invalid.field)
    }

    #[test]
    fn an_adjustment_names_a_product_in_one_way_and_moves_it() {
        for (body, field) in [
            (r#"{"quantityChange":1}"#, "productId"),
            (
                r#"{"productId":"019a8c52-8e20-7c42-8a1f-4c2d6e8fab02","externalId":"A","quantityChange":1}"#,
                "productId",
            ),
            (r#"{"externalId":"A"}"#, "quantityChange"),
            (r#"{"externalId":"A","quantityChange":0}"#, "quantityChange"),
            (
                r#"{"externalId":"A","quantityChange":-0.0}"#,
                "quantityChange",
            ),
            (
                r#"{"externalId":"A","quantityChange":-1,"type":"delivery"}"#,
                "quantityChange",
            ),
            (
                r#"{"externalId":"A","quantityChange":0,"type":"delivery"}"#,
                "quantityChange",
            ),
            (r#"{"externalId":"","quantityChange":1}"#, "externalId"),
        ] {
            assert_eq!(adjustment(body).unwrap_err(), field, "{body}");
        }
        let correction = adjustment(r#"{"externalId":"A","quantityChange":-0.125}"#).unwrap();
        assert_eq!(correction.kind, AdjustmentType::Correction);
        assert_eq!(correction.change.thousandths(), -125);
        assert_eq!(correction.note, None);
        let delivery = r#"{"externalId":"A","quantityChange":1,"type":"delivery","note":"B"}"#;
        let delivery = adjustment(delivery).unwrap();
        assert_eq!(delivery.kind, AdjustmentType::Delivery);
        assert_eq!(delivery.note.as_deref(), Some("B"));
        assert_eq!(field_of(&delivery.product), "externalId");
    }

    #[test]
    fn a_count_is_of_nothing_or_more() {
        for (body, expected) in [
            (r#"{"quantity":0}"#, Ok((0, None))),
            (
                r#"{"quantity":1.5,"expectedQuantity":-2}"#,
                Ok((1500, Some(-2000))),
            ),
            (r#"{"quantity":-0.001}"#, Err("quantity")),
            (r#"{"expectedQuantity":1}"#, Err("quantity")),
            (r#"{"quantity":null}"#, Err("quantity")),
            (
                r#"{"quantity":1,"expectedQuantity":null}"#,
                Err("expectedQuantity"),
            ),
        ] {
            let count = Count::check(StockCount::from_json(body.as_bytes()).unwrap());
            let count = count.as_ref().map(|(count, _)| {
                let expected = count.expected.map(Quantity::thousandths);
                (count.quantity.thousandths(), expected)
            });
            assert_eq!(count.map_err(|invalid| &*invalid.field), expected, "{body}");
        }
    }
}
