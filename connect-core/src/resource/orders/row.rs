//! The row of an order, and how a unit of work reads and writes it.

use uuid::Uuid;

use crate::{
    record::{
        Change, Fault, Row, Unit, change_key,
        keys::{Family, Part, key},
    },
    storage::Key,
    wire::{EventType, Id, Order, Timestamp},
};

/// The name of one, as messages use it.
pub(super) const NAME: &str = "order";

impl Row for Order {
    type Key = Change;
    const ROWS: Family = Family::Order;
    const IN_ORDER: Option<Family> = Some(Family::OrderByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> Change {
        (self.created_at, self.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Change> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            id: Uuid,
            created_at: Timestamp,
        }
        serde_json::from_slice(row).map(|order: Made| (order.created_at, order.id))
    }
}

/// The order with this id.
pub(super) async fn find(unit: &mut Unit<'_>, id: Id<Order>) -> Result<Option<Order>, Fault> {
    let row_key = row_key(unit.partition(), id);
    let row = unit.get(&row_key).await?;
    row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e)))
        .transpose()
}

/// Writes `new` in place of `old`, with its entries.
pub(super) fn save(unit: &mut Unit<'_>, old: Option<&Order>, new: &Order) {
    let partition = unit.partition();
    let by_update = |order: &Order| {
        let (family, id) = (Family::OrderByUpdate, order.id.uuid());
        change_key(partition, family, order.updated_at, id)
    };
    if let Some(old) = old {
        unit.delete(by_update(old));
    }
    let row = unit.append(new);
    unit.put_index(by_update(new), row);
}

/// Writes a changed order in place of `old`, with its event, if they differ.
pub(super) fn replace(unit: &mut Unit<'_>, old: &Order, order: &mut Order) {
    if order == old {
        return;
    }
    order.updated_at = unit.time();
    save(unit, Some(old), order);
    if order.status != old.status {
        unit.emit(EventType::OrderStatusChanged, &*order);
    }
}

pub(super) fn row_key(location: Uuid, id: Id<Order>) -> Key {
    key(location, Family::Order, &[Part::Id(id.uuid())])
}
