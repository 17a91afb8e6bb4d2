//! Pages of lists: the choice of an index, the search through it with a filter, and the JSON.
//! A page is read in one round trip, and in few if a filter passes few rows.

use super::{
    answer::Json,
    connect::Connect,
    page_request::{MOST_LOOKED_AT, PageRequest},
};
use crate::{
    auth::Access,
    rules::cursor::{self, CursorScope},
    storage::Value,
    transaction::{
        AccessPath, Error, Fault, Index, IndexKind, Indexed, Keyed, ListPart, ListRead, Record,
        Row, SortKey,
    },
    wire::{Page, Timestamp},
};

/// The most holders of one text read and sorted for a page.
/// More are unusual, and are searched for in an index in change order instead.
const MOST_SORTED: usize = 500;

/// Tests if a row belongs to a list.
pub(crate) type Filter<'a> = &'a (dyn Fn(&Value) -> Result<bool, Fault> + Sync);

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

/// The rows found for a page.
struct Search<K> {
    /// The page and at most one more row, in reading order.
    rows: Vec<Keyed<K>>,
    /// The position of a search stopped early.
    /// The page is not full, and the list not at its end.
    stopped_at: Option<K>,
    /// The time of the location's last change.
    changed_at: Timestamp,
}

impl Connect {
    /// Reads a page of a list through an index.
    /// It uses `otherwise` if a text has too many holders to sort. `filter` tests each row: it is needed if
    /// the index alone does not decide, and for [`AccessPath::Holders`].
    pub(crate) async fn page<T: Row>(
        &self,
        at: &Access,
        request: &PageRequest<T::Key>,
        mut access_path: AccessPath<'_>,
        otherwise: AccessPath<'_>,
        filter: Option<Filter<'_>>,
    ) -> Result<Json<Page<T>>, Error> {
        let mut look_at = request.first_look;
        loop {
            let limit = match (access_path, filter) {
                (AccessPath::Holders(..), _) => MOST_SORTED + 1,
                (_, Some(_)) => look_at,
                (_, None) => request.wanted(),
            };
            let slice = ListRead {
                access_path,
                key_range: request.key_range,
                limit,
                tombstones: request.include_deleted.then(|| request.wanted()),
                anchor: request.anchor.as_ref().map(|anchor| anchor.place),
            };
            let listed = self.store().list::<T>(at.partition(), slice).await?;
            request.check_deletions(listed.complete_since)?;
            if let Some(anchor) = &request.anchor {
                let first = listed.rows.first().and_then(|(place, _)| place.number());
                let next = first.unwrap_or(listed.last_number + 1);
                anchor.check(listed.anchor.as_ref(), next)?;
            }
            if matches!(access_path, AccessPath::Holders(..)) && listed.rows.len() > MOST_SORTED {
                access_path = otherwise;
                continue;
            }
            let found = narrow(request, listed, limit, filter)?;
            let is_short = found.rows.len() < request.wanted() && found.stopped_at.is_some();
            if is_short && look_at < MOST_LOOKED_AT {
                look_at = MOST_LOOKED_AT;
                continue;
            }
            return Ok(written(request, at, &found));
        }
    }
}

/// Keeps the rows of the page, in the order of reading.
fn narrow<K: SortKey>(
    request: &PageRequest<K>,
    listed: ListPart<K>,
    limit: usize,
    filter: Option<Filter<'_>>,
) -> Result<Search<K>, Fault> {
    let ListPart {
        mut rows,
        mut tombstones,
        changed_at,
        cut_at: mut stopped_at,
        ..
    } = listed;
    let key_range = &request.key_range;
    rows.retain(|(place, _)| key_range.contains(*place));
    rows.sort_by(|(one, _), (other, _)| key_range.compare(*one, *other));
    if let Some(filter) = filter {
        if rows.len() == limit {
            stopped_at = rows.last().map(|(place, _)| *place);
        }
        let mut passing = Vec::new();
        let mut before = None;
        for (place, row) in rows {
            match (filter(&row), before) {
                (Ok(true), _) => passing.push((place, row)),
                (Ok(false), _) => {}
                // The page ends before an unreadable row; the next one begins with it.
                (Err(_), Some(_)) => {
                    stopped_at = before;
                    break;
                }
                (Err(fault), None) => return Err(fault),
            }
            before = Some(place);
        }
        rows = passing;
    }
    // Tombstones after the end of the search come with the next page.
    tombstones
        .retain(|(place, _)| stopped_at.is_none_or(|stop| key_range.compare(*place, stop).is_le()));
    rows.extend(tombstones);
    rows.sort_by(|(one, _), (other, _)| key_range.compare(*one, *other));
    rows.truncate(request.wanted());
    Ok(Search {
        rows,
        stopped_at,
        changed_at,
    })
}

/// Writes the page of these sorted rows, from the position on.
/// Without an extra row there is a next page only if the search `stopped_at` some point.
fn written<T, K: SortKey>(
    request: &PageRequest<K>,
    at: &Access,
    found: &Search<K>,
) -> Json<Page<T>> {
    let rows = &found.rows;
    let shown = &rows[..rows.len().min(request.limit)];
    let next = match shown.last() {
        Some((change, _)) if rows.len() > shown.len() => Some(*change),
        _ => found.stopped_at,
    };
    page_of(request, at, shown.iter().map(|(_, row)| row), next).of_state(found.changed_at)
}

/// Writes a page of rows, with a cursor to go on after a place.
pub(super) fn page_of<'r, T, K: SortKey>(
    request: &PageRequest<K>,
    at: &Access,
    rows: impl IntoIterator<Item = &'r Value, IntoIter: Clone>,
    next: Option<K>,
) -> Json<Page<T>> {
    let rows = rows.into_iter();
    let length: usize = rows.clone().map(|row| row.len()).sum();
    // Includes the commas of up to 200 rows.
    let mut bytes = Vec::with_capacity(length + 350);
    bytes.extend_from_slice(b"{\"data\":[");
    for (index, row) in rows.enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(row);
    }
    bytes.extend_from_slice(b"],\"nextCursor\":");
    match next {
        Some(place) => {
            let list = CursorScope {
                name: request.name,
                location: at.partition(),
                filters: &request.filters,
            };
            bytes.push(b'"');
            bytes.extend_from_slice(cursor::encode(list, place, request.began).as_bytes());
            bytes.push(b'"');
        }
        None => bytes.extend_from_slice(b"null"),
    }
    bytes.push(b'}');
    Json::new(bytes)
}
