//! The row of an order, read and written in units of work.

use crate::{
    storage::Value,
    transaction::{
        ReadKey, Relations, Row, Stored, TimeKey, UnitOfWork, another, change_key, created_in,
        keys::Family,
    },
    wire::{EventType, Order},
};

/// The name of an order in messages.
pub(super) const NAME: &str = "order";

impl Row for Order {
    type Key = TimeKey;
    const ROWS: Family = Family::Order;
    const IN_ORDER: Option<Family> = Some(Family::OrderByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> TimeKey {
        (self.created_at, self.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        created_in(row)
    }
}

impl Stored for Order {
    const FAMILY: Family = Family::Order;

    fn relations(&self, at: &ReadKey) -> Relations {
        let id = self.id.uuid();
        let entry = |(family, time)| {
            // Even a row with another order has the entries of its key.
            let entry = change_key(at.partition, family, time, at.id().unwrap_or(id));
            (entry, Value::default())
        };
        let lists = [
            (Family::OrderByCreation, self.created_at),
            (Family::OrderByUpdate, self.updated_at),
        ];
        Relations {
            misplaced: another(id, "order", at),
            changed_at: Some(self.updated_at),
            entries: lists.map(entry).into(),
            ..Relations::named(format!("order {id}"))
        }
    }
}

/// Writes `new` in place of `old`, with its entries.
pub(super) fn save(unit: &mut UnitOfWork<'_>, old: Option<&Order>, new: &Order) {
    let partition = unit.partition();
    let by_update = |order: &Order| {
        let (family, id) = (Family::OrderByUpdate, order.id.uuid());
        change_key(partition, family, order.updated_at, id)
    };
    if let Some(old) = old {
        unit.delete(by_update(old));
    }
    let row = unit.replace(old, new);
    unit.put_index(by_update(new), row);
}

/// Writes a changed order in place of `old`, if they differ.
/// A new status has its event.
pub(super) fn replace(unit: &mut UnitOfWork<'_>, old: &Order, order: &mut Order) {
    if order == old {
        return;
    }
    order.updated_at = unit.time();
    save(unit, Some(old), order);
    if order.status != old.status {
        unit.emit(EventType::OrderStatusChanged, &*order);
    }
}
