//! The names of persons in orders and receipts, blanked.
//!
//! A blanked order has changed, with another `updatedAt`. A receipt keeps its number and its place: the journal
//! has no changes, so copies of it keep the name.

use serde_json::Value as Json;

use crate::{
    storage::Key,
    transaction::{Fault, UnitOfWork, change_key, keys::Family},
    wire::{Order, Transaction},
};

/// Blanks the customer's name in an order; `false` without one.
pub(crate) fn blank_order(unit: &mut UnitOfWork<'_>, old: &Order) -> bool {
    if old.customer_name.is_none() {
        return false;
    }
    let partition = unit.partition();
    let new = Order {
        customer_name: None,
        updated_at: unit.time(),
        ..old.clone()
    };
    let by_update = |order: &Order| {
        let (family, id) = (Family::OrderByUpdate, order.id.uuid());
        change_key(partition, family, order.updated_at, id)
    };
    unit.delete(by_update(old));
    let row = unit.replace(Some(old), &new);
    unit.put_index(by_update(&new), row);
    true
}

/// Blanks the employee's name in a receipt; `false` without one.
pub(crate) fn blank_receipt(unit: &mut UnitOfWork<'_>, receipt: &Transaction) -> bool {
    if receipt.employee.is_none() {
        return false;
    }
    let blanked = Transaction {
        employee: None,
        ..receipt.clone()
    };
    unit.replace(Some(receipt), &blanked);
    true
}

/// Blanks the person in an event, if `is_wanted` says so of its data.
pub(crate) fn blank_event(
    unit: &mut UnitOfWork<'_>,
    (key, row): (Key, &[u8]),
    is_wanted: impl Fn(&Json) -> bool,
) -> Result<bool, Fault> {
    let mut event: Json = serde_json::from_slice(row).map_err(|e| Fault::corrupt(&key, e))?;
    let data = &mut event["data"];
    let names = ["employee", "customerName"];
    if !names.iter().any(|name| data[name].is_string()) || !is_wanted(data) {
        return Ok(false);
    }
    for name in names {
        if let Some(name) = data.get_mut(name) {
            *name = Json::Null;
        }
    }
    let row = unit.json(&event);
    unit.put(key, row);
    Ok(true)
}
