//! Pages of lists, as JSON. A page is read in one round trip.

use super::{
    answer::Json,
    connect::Connect,
    page_request::PageRequest,
    search::{Filter, Search},
};
use crate::{
    auth::Access,
    rules::cursor::{self, List},
    transaction::{Error, Row, SortKey, Through},
    wire::Page,
};

impl Connect {
    /// A page of a list that is read through an index, or through `otherwise` when a text has more
    /// holders than are sorted. `filter` is held against each row: needed where the index alone
    /// does not tell, and for [`Through::Holders`].
    pub(crate) async fn page<T: Row>(
        &self,
        at: &Access,
        request: &PageRequest<T::Key>,
        through: Through<'_>,
        otherwise: Through<'_>,
        filter: Option<Filter<'_>>,
    ) -> Result<Json<Page<T>>, Error> {
        let search = self.search::<T>(at, request, through, otherwise, filter);
        let found = search.await?;
        Ok(written(request, at, &found))
    }
}

/// The page of these rows, which are sorted and start at the position. Without a row too many
/// there is another page only when the search for rows `stopped_at` some point.
fn written<T, K: SortKey>(
    request: &PageRequest<K>,
    at: &Access,
    found: &Search<K>,
) -> Json<Page<T>> {
    let rows = &found.rows;
    let shown = &rows[..rows.len().min(request.limit)];
    let length: usize = shown.iter().map(|(_, row)| row.len()).sum();
    // With the commas of up to 200 rows.
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
            let list = List {
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
