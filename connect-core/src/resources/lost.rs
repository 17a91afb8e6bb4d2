//! The repair of records with a loss, in a damaged store.

use uuid::Uuid;

use crate::{
    engine::Resource,
    storage::{Entry, Key},
    transaction::{
        End, Error, Reads, Store,
        keys::{Family, key},
    },
    wire::{Category, Deleted, OptionGroup, Product},
};

/// Repairs a record with a loss, and removes its stray index entries.
///
/// A lost record is deleted, as by a client: with a tombstone, an event, its parts and the references to
/// it. For an existing record, its lost parts are restored. Returns the repair in words; `None` if the row
/// `told_by` has changed since: a client may have deleted the record.
pub(crate) async fn repair_record(
    store: &Store,
    location: Uuid,
    (rows, id): (Family, Uuid),
    told_by: &Entry,
    entries: &[Key],
) -> Result<Option<&'static str>, Error> {
    match rows {
        Family::Category => repair_one::<Category>(store, location, id, told_by, entries).await,
        Family::OptionGroup => {
            repair_one::<OptionGroup>(store, location, id, told_by, entries).await
        }
        Family::Product => repair_one::<Product>(store, location, id, told_by, entries).await,
        _ => Err(Error::not_found(rows.name(), id)),
    }
}

async fn repair_one<R: Resource>(
    store: &Store,
    location: Uuid,
    id: Uuid,
    (teller, told): &Entry,
    entries: &[Key],
) -> Result<Option<&'static str>, Error> {
    let repaired = store.transact(location, |mut unit| async move {
        let mut reads = Reads::of(location);
        reads.record::<R>(id);
        reads.row(teller.clone());
        R::reads_of(id.into(), None, None, &mut reads);
        unit.load(reads).await?;
        if unit.get(teller).await?.as_ref() != Some(told) {
            return Ok(End::rollback(None));
        }
        entries.iter().for_each(|entry| unit.delete(entry.clone()));
        let done = if let Some(record) = unit.find::<R>(id).await? {
            record.restore_parts(&mut unit).await?;
            "made anew"
        } else {
            unit.leave_tombstone(R::TOMBSTONES, id);
            // The level may be lost as well, and lists of levels have deletions of their own.
            let levels = key(location, Family::StockLevelByChange, &[]);
            if entries.iter().any(|entry| entry.starts_with(&levels)) {
                unit.leave_tombstone(Family::StockLevelTombstone, id);
            }
            unit.emit(R::CHANGED, Deleted { id, deleted: true });
            R::new(id, unit.time()).on_delete(&mut unit).await?;
            "deleted the rest of the record"
        };
        Ok(End::commit(unit, Some(done)))
    });
    repaired.await
}
