//! Stock movements: written once, and kept when their product is deleted.

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    auth::Access,
    engine::{Listed, Reversible, RowFilter},
    transaction::{
        AccessPath, Error, Indexed, ReadKey, Relations, Row, Stored, TimeKey, created_in,
        keys::Family,
    },
    wire::{
        MovementType, StockMovement,
        query::{Period, StockMovementQuery},
    },
};

impl Row for StockMovement {
    type Key = TimeKey;
    const ROWS: Family = Family::StockMovement;
    const IN_ORDER: Option<Family> = Some(Family::StockMovementByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> TimeKey {
        (self.created_at, self.id.uuid())
    }

    fn group(&self) -> Option<(Family, Uuid)> {
        Some((Family::StockMovementByProduct, self.product_id.uuid()))
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        created_in(row)
    }
}

impl Stored for StockMovement {
    const FAMILY: Family = Family::StockMovement;

    fn relations(&self, at: &ReadKey) -> Relations {
        let names = ("stock movement", "movement");
        Relations::of_row(self, names, self.created_at, at)
    }
}

impl Listed for StockMovement {
    const NAME: &'static str = "stock movement";
    const LIST: &'static str = "stock movements";
    type Query = StockMovementQuery;

    fn period(query: &StockMovementQuery) -> Period {
        query.period
    }

    fn access_path(query: &StockMovementQuery) -> AccessPath<'_> {
        match query.product_id {
            Some(product) => {
                let product = Indexed::Id(product.uuid());
                AccessPath::ByChange(Family::StockMovementByProduct, product)
            }
            None => AccessPath::All,
        }
    }

    fn filter(query: &StockMovementQuery, _: &Access) -> Result<Option<RowFilter>, Error> {
        #[derive(Deserialize)]
        struct MovementTypeField {
            #[serde(rename = "type")]
            kind: MovementType,
        }
        let passes = |wanted: MovementType| -> RowFilter {
            Box::new(move |row| {
                serde_json::from_slice(row).map(|row: MovementTypeField| row.kind == wanted)
            })
        };
        Ok(query.kind.clone().map(passes))
    }
}

impl Reversible for StockMovement {}
