//! The use of a kind's declared indexes in writes.

use super::resource::{Draft, Resource};
use crate::{
    transaction::{Error, Index, IndexKind, Reads, Record, UnitOfWork, keys::key},
    wire::MatchBy,
};

/// Returns the index by a field.
pub(super) fn index_by<R: Record>(field: &str) -> Option<&'static Index<R>> {
    R::INDEXES.iter().find(|index| index.field == field)
}

/// Adds reads of the index entries for a draft's unique texts.
/// For a batch, the records matched `by` a field are read already.
pub(super) fn reads<R: Resource>(draft: &Draft<R>, by: Option<&MatchBy>, reads: &mut Reads) {
    for index in R::INDEXES {
        if index.kind == IndexKind::Unique
            && by.is_none_or(|by| by.as_str() != index.field)
            && let Some(value) = (index.of_input)(draft)
        {
            reads.row(key(reads.partition(), index.family, &[value.part()]));
        }
    }
}

/// Checks the new unique values of `record` against other records.
pub(super) async fn check_unique<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    old: Option<&R>,
    record: &R,
) -> Result<(), Error> {
    for index in R::INDEXES {
        let (before, now) = (old.and_then(index.of_record), (index.of_record)(record));
        if index.kind == IndexKind::Unique
            && before != now
            && let Some(value) = now
            && let Some(holder) = unit.find_unique(index.family, value).await?
            && holder != record.id()
        {
            let problem = format!("{} {holder} has \"{value}\" already", R::NAME);
            return Err(Error::conflict(index.field, problem));
        }
    }
    Ok(())
}
