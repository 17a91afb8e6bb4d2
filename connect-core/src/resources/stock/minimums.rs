//! Minimums of stock: one per product, set by the owner.
//!
//! A minimum stands for itself: a product need not be tracked to have one, and counts, sales and refunds leave it
//! alone. It is no part of the API, so it has no event, and no list tells of its deletion.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    auth::Access,
    engine::{Answer, Change, Outcome, Room},
    transaction::{
        Error, Fault, ReadKey, Reads, Relations, Row, Stored, UnitOfWork, another, keys::Family,
    },
    wire::{Id, Product, Quantity, read::Invalid},
};

/// The minimum of a product's stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockMinimum {
    /// The product.
    pub product_id: Id<Product>,
    /// The least quantity wanted in stock, 0 or more.
    pub minimum: Quantity,
}

impl Row for StockMinimum {
    type Key = Uuid;
    const ROWS: Family = Family::StockMinimum;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> Uuid {
        self.product_id.uuid()
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Uuid> {
        serde_json::from_slice(row).map(|row: Self| row.key())
    }
}

impl Stored for StockMinimum {
    const FAMILY: Family = Family::StockMinimum;

    fn relations(&self, at: &ReadKey) -> Relations {
        let product = self.product_id.uuid();
        Relations {
            misplaced: another(product, "minimum", at),
            references: vec![(Family::Product, "product", product)],
            ..Relations::named(format!("the minimum of product {product}"))
        }
    }
}

/// Another minimum of a product, or none.
pub(super) struct SetMinimum {
    product: Id<Product>,
    minimum: Option<Quantity>,
}

impl SetMinimum {
    /// Checks the minimum: 0 or more.
    pub(super) fn checked(
        product: Id<Product>,
        minimum: Option<Quantity>,
    ) -> Result<Self, Invalid> {
        if let Some(minimum) = minimum.filter(|minimum| minimum.is_negative()) {
            let problem = format!("must be from 0 to {}, not {minimum}", Quantity::MAX);
            return Err(Invalid::new("minimum", problem));
        }
        Ok(Self { product, minimum })
    }
}

#[async_trait]
impl Change for SetMinimum {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<Product>(self.product.uuid());
        reads.record::<StockMinimum>(self.product.uuid());
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, _: &Access) -> Result<Answer, Error> {
        let product = unit.find::<Product>(self.product.uuid()).await?;
        let product_id = product
            .ok_or_else(|| Error::not_found("product", self.product))?
            .id;
        let before = unit.find::<StockMinimum>(product_id.uuid()).await?;
        if before.map(|before| before.minimum) != self.minimum {
            match (before, self.minimum) {
                (_, Some(minimum)) => {
                    let now = StockMinimum {
                        product_id,
                        minimum,
                    };
                    unit.replace(before.as_ref(), &now);
                }
                (Some(before), None) => unit.remove_row(&before),
                (None, None) => {}
            }
            unit.be_quiet();
        }
        // Nothing is told of a minimum that is set, as of one removed.
        Ok(Answer::new(Outcome::Removed, Vec::new()))
    }

    fn room(&self) -> Room {
        match self.minimum {
            Some(_) => Room::Whole,
            None => Room::Removal,
        }
    }
}

/// Refuses callers other than the owner.
/// Minimums are no part of the API.
pub(super) fn check_owner(access: &Access) -> Result<(), Error> {
    access
        .check_owner("only the owner of the account sets minimums of stock; do it in the dashboard")
}

/// Adds the read of a product's minimum.
pub(super) fn reads(product: Id<Product>, reads: &mut Reads) {
    reads.record::<StockMinimum>(product.uuid());
}

/// Removes the minimum of a deleted product.
pub(super) async fn forget(unit: &mut UnitOfWork<'_>, product: Id<Product>) -> Result<(), Fault> {
    if let Some(minimum) = unit.find::<StockMinimum>(product.uuid()).await? {
        unit.remove_row(&minimum);
    }
    Ok(())
}
