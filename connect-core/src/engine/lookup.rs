//! The use of a kind's declared indexes in writes and lists.

use super::resource::{Draft, Resource};
use crate::{
    transaction::{
        AccessPath, Error, Index, IndexKind, Indexed, Reads, Record, UnitOfWork, keys::key,
    },
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

/// The plan for reading a list filtered by a query.
pub(super) struct ListPlan<'q, R: Record> {
    /// The narrowest index.
    pub(super) access_path: AccessPath<'q>,
    /// The index in change order, for values with too many holders.
    pub(super) in_order: AccessPath<'q>,
    /// The filters to test each record against, unless the index alone decides.
    pub(super) filters: Vec<(&'static Index<R>, Indexed<'q>)>,
}

impl<'q, R: Record> ListPlan<'q, R> {
    pub(super) fn of(query: &'q R::Query) -> Self {
        let sought = |index: &'static Index<R>| Some((index, (index.of_query)(query)?));
        let mut filters: Vec<_> = R::INDEXES.iter().filter_map(sought).collect();
        let first = |kind| filters.iter().find(|(index, _)| index.kind == kind);
        let by_change = first(IndexKind::ByChange);
        let narrowest = first(IndexKind::Unique)
            .or(first(IndexKind::Holders))
            .or(by_change);
        let access_path = |found: Option<&(&'static Index<R>, Indexed<'q>)>| match found {
            None => AccessPath::All,
            Some((index, value)) => AccessPath::index(index.kind, index.family, *value),
        };
        let (access_path, in_order) = (access_path(narrowest), access_path(by_change));
        // With a single filter and an exact index, every row found passes. A value with many holders is
        // searched for without its index.
        let is_exact = narrowest.is_none_or(|(index, _)| index.kind != IndexKind::Holders);
        if is_exact && filters.len() == 1 {
            filters.clear();
        }
        Self {
            access_path,
            in_order,
            filters,
        }
    }

    /// Returns true if a record matches the query.
    pub(super) fn has(&self, record: &R) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|(index, value)| (index.of_record)(record) == Some(*value))
    }
}
