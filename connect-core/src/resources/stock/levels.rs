//! Stock levels: one per tracked product, under the product's id.

use async_trait::async_trait;
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    auth::Access,
    engine::{Connect, Listed, PageRequest},
    transaction::{
        Error, Fault, ReadKey, Reads, Relations, Row, Stored, TimeKey, UnitOfWork, keys::Family,
    },
    wire::{Id, Product, StockLevel, Timestamp, query::StockLevelQuery},
};

impl Row for StockLevel {
    type Key = TimeKey;
    const ROWS: Family = Family::StockLevel;
    const IN_ORDER: Option<Family> = Some(Family::StockLevelByChange);
    const TOMBSTONES: Option<Family> = Some(Family::StockLevelTombstone);

    fn key(&self) -> TimeKey {
        (self.updated_at, self.product_id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct LevelChange {
            product_id: Uuid,
            updated_at: Timestamp,
        }
        serde_json::from_slice(row).map(|level: LevelChange| (level.updated_at, level.product_id))
    }
}

impl Stored for StockLevel {
    const FAMILY: Family = Family::StockLevel;
    const RECORD: Option<Family> = Some(Family::Product);

    fn relations(&self, at: &ReadKey) -> Relations {
        let names = ("the level of product", "level");
        let level = Relations::of_row(self, names, self.updated_at, at);
        let misplaced = |_| format!("the row is {}, which is another", level.name);
        Relations {
            misplaced: level.misplaced.as_ref().map(misplaced),
            ..level
        }
    }
}

#[async_trait]
impl Listed for StockLevel {
    const NAME: &'static str = "stock level";
    const LIST: &'static str = "stock";
    type Query = StockLevelQuery;

    async fn request(
        query: &StockLevelQuery,
        connect: &Connect,
        access: &Access,
        _newest_first: bool,
    ) -> Result<PageRequest<TimeKey>, Error> {
        PageRequest::of(Self::LIST, access, query, connect.now())
    }
}

/// Adds the read of a product's level.
pub(in crate::resources) fn reads(product: Id<Product>, reads: &mut Reads) {
    reads.record::<StockLevel>(product.uuid());
}

/// Copies a product's changed external id to its level.
pub(in crate::resources) async fn follow_external_id(
    unit: &mut UnitOfWork<'_>,
    product: &Product,
) -> Result<(), Fault> {
    if let Some(level) = unit.find::<StockLevel>(product.id.uuid()).await? {
        let moved = StockLevel {
            external_id: product.external_id.clone(),
            updated_at: unit.time(),
            ..level
        };
        unit.replace(Some(&level), &moved);
    }
    Ok(())
}

/// Removes the level of a deleted product.
pub(super) async fn forget(unit: &mut UnitOfWork<'_>, product: Id<Product>) -> Result<(), Fault> {
    if let Some(level) = unit.find::<StockLevel>(product.uuid()).await? {
        unit.tombstone(&level);
    }
    Ok(())
}

/// Restores the lost level of a product from the product's quantity.
pub(in crate::resources) async fn restore(
    unit: &mut UnitOfWork<'_>,
    product: &Product,
) -> Result<(), Fault> {
    let level = unit.find::<StockLevel>(product.id.uuid()).await?;
    if let (Some(quantity), None) = (product.stock_quantity, level) {
        let level = StockLevel {
            product_id: product.id,
            external_id: product.external_id.clone(),
            quantity,
            updated_at: unit.time(),
        };
        unit.replace(None, &level);
    }
    Ok(())
}
