//! Stock movements: written once, and kept when their product is deleted.

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    record::{Change, Row, keys::Family},
    wire::{StockMovement, Timestamp},
};

impl Row for StockMovement {
    type Key = Change;
    const ROWS: Family = Family::StockMovement;
    const IN_ORDER: Option<Family> = Some(Family::StockMovementByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> Change {
        (self.created_at, self.id.uuid())
    }

    fn group(&self) -> Option<(Family, Uuid)> {
        Some((Family::StockMovementByProduct, self.product_id.uuid()))
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Change> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            id: Uuid,
            created_at: Timestamp,
        }
        serde_json::from_slice(row).map(|movement: Made| (movement.created_at, movement.id))
    }
}
