//! The checked bodies of counts and adjustments.

use crate::{
    rules::option_link::RecordName,
    wire::{
        AdjustmentType, Field, Id, Product, Quantity, StockAdjustment, StockCount, StockCountItem,
        WriteInput as _,
        form::{Counted, ExternalId, OrNull},
        limits::MAX_EXTERNAL_ID,
        read::{Invalid, missing},
    },
};

/// A count of the stock of one product.
#[derive(Debug)]
pub(crate) struct CountedProduct {
    pub(crate) quantity: Quantity,
    /// The quantity assumed to be in stock.
    pub(crate) expected: Option<Quantity>,
}

impl CountedProduct {
    /// Checks the body of a count.
    /// Also returns its note.
    pub(crate) fn check(mut input: StockCount) -> Result<(Self, Option<String>), Invalid> {
        input.check()?;
        let count = Self::of(&input.quantity, &input.expected_quantity)?;
        Ok((count, input.note.into_value()))
    }

    /// Converts a count from a checked item of a batch.
    /// Also returns the product it names.
    pub(crate) fn of_item(input: StockCountItem) -> Result<(NamedProduct, Self), Invalid> {
        let named = NamedProduct::of(&input.product_id, input.external_id)?;
        let count = Self::of(&input.quantity, &input.expected_quantity)?;
        Ok((named, count))
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
    pub(crate) product: NamedProduct,
    pub(crate) change: Quantity,
    pub(crate) kind: AdjustmentType,
    pub(crate) note: Option<String>,
}

impl Adjustment {
    /// Checks the body of an adjustment.
    pub(crate) fn check(mut input: StockAdjustment) -> Result<Self, Invalid> {
        input.check()?;
        let product = NamedProduct::of(&input.product_id, input.external_id)?;
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
        if kind == AdjustmentType::Delivery && change.is_negative() {
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

/// The product named by a body.
#[derive(Debug)]
pub(crate) struct NamedProduct {
    /// The id, or else the external id.
    pub(crate) name: RecordName,
    /// The external id sent with the id: the product must have it.
    pub(crate) agrees_with: Option<String>,
}

impl NamedProduct {
    fn of(
        id: &Field<Id<Product>>,
        external_id: Field<OrNull<ExternalId<MAX_EXTERNAL_ID>>>,
    ) -> Result<Self, Invalid> {
        let (name, agrees_with) = match (id.value(), external_id.into_value()) {
            (Some(id), text) => (RecordName::Id(id.uuid()), text),
            (None, Some(text)) => (RecordName::ExternalId(text), None),
            (None, None) => return Err(Invalid::new("productId", "or externalId is required")),
        };
        Ok(Self { name, agrees_with })
    }

    /// The body's field for the product.
    pub(crate) fn field(&self) -> &'static str {
        match self.name {
            RecordName::Id(_) => "productId",
            RecordName::ExternalId(_) => "externalId",
        }
    }

    /// The external id, if sent.
    pub(crate) fn external_id(&self) -> Option<&str> {
        match &self.name {
            RecordName::Id(_) => self.agrees_with.as_deref(),
            RecordName::ExternalId(text) => Some(text),
        }
    }

    /// Returns the problem if the product's external id differs from the sent one.
    pub(crate) fn disagreement(&self, product: &Product) -> Option<String> {
        let sent = self.agrees_with.as_deref()?;
        let id = product.id;
        match product.external_id.as_deref() {
            Some(own) if own == sent => None,
            Some(own) => Some(format!(
                "product {id} has {own}, not {sent}; send one of the two names"
            )),
            None => Some(format!("product {id} has none; leave it out")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Timestamp, WireRecord as _};

    fn adjustment(body: &str) -> Result<Adjustment, String> {
        let input = StockAdjustment::from_json(body.as_bytes()).unwrap();
        Adjustment::check(input).map_err(|invalid| invalid.field)
    }

    #[test]
    fn an_adjustment_names_a_product_and_moves_it() {
        for (body, field) in [
            (r#"{"quantityChange":1}"#, "productId"),
            (r#"{"externalId":null,"quantityChange":1}"#, "productId"),
            (
                r#"{"productId":null,"externalId":"A","quantityChange":1}"#,
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
        assert_eq!(delivery.product.field(), "externalId");
        assert_eq!(delivery.product.external_id(), Some("A"));
        for (code, given) in [("null", None), ("\"A\"", Some("A"))] {
            let id = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
            let both = format!(
                r#"{{"productId":"{id}","externalId":{code},"quantityChange":1,"source":"B"}}"#
            );
            let product = adjustment(&both).unwrap().product;
            assert_eq!(product.field(), "productId");
            assert_eq!(product.external_id(), given);
        }
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
            let count = CountedProduct::check(StockCount::from_json(body.as_bytes()).unwrap());
            let count = count.as_ref().map(|(count, _)| {
                let expected = count.expected.map(Quantity::thousandths);
                (count.quantity.thousandths(), expected)
            });
            assert_eq!(count.map_err(|invalid| &*invalid.field), expected, "{body}");
        }
    }

    #[test]
    fn two_names_of_a_product_have_to_agree() {
        let id = Id::<Product>::new(uuid::Uuid::nil());
        for (own, sent, agrees) in [
            (Some("A"), None, true),
            (Some("A"), Some("A"), true),
            (Some("A"), Some("B"), false),
            (None, Some("A"), false),
        ] {
            let named = NamedProduct {
                name: RecordName::Id(id.uuid()),
                agrees_with: sent.map(str::to_owned),
            };
            let mut product = Product::new(id.uuid(), Timestamp::EPOCH);
            product.external_id = own.map(str::to_owned);
            let problem = named.disagreement(&product);
            assert_eq!(problem.is_none(), agrees, "{own:?} {sent:?}");
        }
    }
}
