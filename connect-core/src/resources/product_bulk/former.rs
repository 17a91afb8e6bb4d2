//! The former values of the products of the last bulk change.
//!
//! Their row is written in the commit of the change. All changed products have the time of that commit as their
//! `updatedAt`, so one time in the row tells whether a product has changed since.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::images::has_same_image;
use crate::{
    storage::{Key, Value},
    transaction::{
        UnitOfWork,
        keys::{Family, key},
    },
    wire::{Field, Id, Product, ProductInput, Timestamp, form::OrNull},
};

/// The largest row, far below that of the storage. A larger change cannot be undone.
/// A thousand prices take a tenth of a megabyte, and a thousand long descriptions eight.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The products of a bulk change as they were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BulkBefore {
    /// The time of the change, and the `updatedAt` of its products by it.
    pub(super) at: Timestamp,
    pub(super) products: Vec<FormerProduct>,
    /// Set once an image has changed: its download cannot be taken back.
    #[serde(skip)]
    changes_images: bool,
}

/// A product as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormerProduct {
    pub(super) id: Id<Product>,
    /// The former values of the changed fields.
    pub(super) before: ProductInput,
}

impl BulkBefore {
    /// The key of the row of a location.
    pub(super) fn key(location: Uuid) -> Key {
        key(location, Family::BulkBefore, &[])
    }

    /// An empty row for the change of this operation.
    pub(super) fn begin(unit: &UnitOfWork<'_>) -> Self {
        Self {
            at: unit.time(),
            products: Vec::new(),
            changes_images: false,
        }
    }

    /// Adds a changed product.
    pub(super) fn add(&mut self, old: &Product, new: &Product) {
        let before = former_values(old, new);
        self.changes_images |= !has_same_image(old, new);
        self.products.push(FormerProduct { id: old.id, before });
    }

    /// Returns the row; `None` for a change that cannot be undone.
    pub(super) fn row(&self, unit: &mut UnitOfWork<'_>) -> Option<Value> {
        let row = unit.json(self);
        (!self.changes_images && row.len() <= MOST_BYTES).then_some(row)
    }
}

/// Returns the former values of the changed fields.
/// Images are left out: a change of one cannot be undone.
fn former_values(old: &Product, new: &Product) -> ProductInput {
    /// The former value of a field, if it has changed.
    macro_rules! former {
        ($field:ident) => {
            match old.$field == new.$field {
                true => Field::Absent,
                false => Field::Value(old.$field.clone()),
            }
        };
    }
    ProductInput {
        external_id: former_or_null(&old.external_id, &new.external_id),
        name: former!(name),
        description: former_or_null(&old.description, &new.description),
        price_cents: former!(price_cents),
        vat_rate: former!(vat_rate),
        barcode: former_or_null(&old.barcode, &new.barcode),
        category_id: former_or_null(&old.category_id, &new.category_id),
        is_active: former!(is_active),
        available_from: former_or_null(&old.available_from, &new.available_from),
        available_until: former_or_null(&old.available_until, &new.available_until),
        option_group_ids: former!(option_group_ids),
        ..ProductInput::default()
    }
}

/// The former value of a nullable field, if it has changed.
fn former_or_null<F: crate::wire::form::Form<Value: Clone + PartialEq>>(
    old: &Option<F::Value>,
    new: &Option<F::Value>,
) -> Field<OrNull<F>> {
    match old {
        same if same == new => Field::Absent,
        None => Field::Null,
        Some(value) => Field::Value(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{VatRate, WireRecord as _, WriteInput as _};

    /// Undoing is to restore every field of a bulk change.
    #[test]
    fn every_field_of_a_write_has_its_former_value() {
        let date = |text: &str| text.parse().ok();
        let mut old = Product::new(Uuid::nil(), Timestamp::EPOCH);
        old.name = "Rye".to_owned();
        old.available_until = date("2026-11-21");
        let mut new = Product {
            external_id: Some("R-1".to_owned()),
            name: "Oat".to_owned(),
            description: Some("Fresh".to_owned()),
            price_cents: 300,
            vat_rate: VatRate::percent(9),
            barcode: Some("87".to_owned()),
            category_id: Some(Uuid::from_u128(1).into()),
            is_active: false,
            available_from: date("2026-11-20"),
            available_until: None,
            option_group_ids: vec![Uuid::from_u128(2).into()],
            ..old.clone()
        };
        let before = former_values(&old, &new);
        let json = serde_json::to_value(&before).unwrap_or_default();
        let left_out = ["id", "categoryName", "imageUrl"];
        for rule in ProductInput::RULES {
            let name = rule.name;
            let is_there = json.get(name).is_some();
            assert_eq!(is_there, !left_out.contains(&name), "{name}");
        }
        new.apply(&before);
        assert_eq!(new, old);
        assert_eq!(former_values(&old, &new), ProductInput::default());
    }
}
