//! Journal rows by their id, in a unit of work.

use uuid::Uuid;

use crate::{
    storage::Key,
    transaction::{
        Fault, Reads, UnitOfWork,
        keys::{Family, KeyPart, key},
    },
    wire::{Id, Transaction},
};

/// The index entry from the id of a row to its receipt number.
pub(super) fn by_id(location: Uuid, id: Id<Transaction>) -> Key {
    key(location, Family::TransactionById, &[KeyPart::Id(id.uuid())])
}

/// Adds the read of a row.
pub(in crate::resources) fn reads(id: Id<Transaction>, reads: &mut Reads) {
    reads.followed(by_id(reads.partition(), id), Family::Transaction);
}

/// The row with this id.
pub(in crate::resources) async fn find(
    unit: &mut UnitOfWork<'_>,
    id: Id<Transaction>,
) -> Result<Option<Transaction>, Fault> {
    let entry = by_id(unit.partition(), id);
    let Some(number) = unit.get(&entry).await? else {
        return Ok(None);
    };
    let rows = key(unit.partition(), Family::Transaction, &[]);
    let row_key: Key = [&rows[..], &number].concat().into();
    let row = unit.get(&row_key).await?;
    let row = row.ok_or_else(|| Fault::corrupt(&entry, "an index entry without its row"))?;
    let row = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e))?;
    Ok(Some(row))
}
