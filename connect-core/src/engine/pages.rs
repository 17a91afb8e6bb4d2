//! Pages of lists, as JSON.
//! A page is read in one round trip.

use super::{
    answer::Json,
    connect::Connect,
    page_request::PageRequest,
    search::{Filter, Search},
};
use crate::{
    auth::Access,
    rules::cursor::{self, CursorScope},
    transaction::{AccessPath, Error, Row, SortKey},
    wire::Page,
};

impl Connect {
    /// Reads a page of a list through an index.
    /// It uses `otherwise` if a text has too many holders to sort. `filter` tests each row: it is needed if
    /// the index alone does not decide, and for [`AccessPath::Holders`].
    pub(crate) async fn page<T: Row>(
        &self,
        at: &Access,
        request: &PageRequest<T::Key>,
        access_path: AccessPath<'_>,
        otherwise: AccessPath<'_>,
        filter: Option<Filter<'_>>,
    ) -> Result<Json<Page<T>>, Error> {
        let search = self.search::<T>(at, request, access_path, otherwise, filter);
        let found = search.await?;
        Ok(written(request, at, &found))
    }
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
    let length: usize = shown.iter().map(|(_, row)| row.len()).sum();
    // Includes the commas of up to 200 rows.
    let mut bytes = Vec::with_capacity(length + 350);
    bytes.extend_from_slice(b"{\"data\":[");
    for (index, (_, row)) in shown.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(row);
    }
    bytes.extend_from_slice(b"],\"nextCursor\":");
    let next = match shown.last() {
        Some((change, _)) if rows.len() > shown.len() => Some(*change),
        _ => found.stopped_at,
    };
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
    Json::new(bytes).of_state(found.changed_at)
}
