//! Lists: pages, cursors, tombstones (specification: Shared shapes; contract: Pages). A page is
//! read in one round trip.

use std::ops::Bound;

use serde::Deserialize;
use uuid::Uuid;

use super::{answer::Json, connect::Connect};
use crate::{
    access::Access,
    error::{Error, Reason},
    record::{Change, Fault, Listed, Placed, Row, Slice, SortKey, Span, Through},
    rules::cursor::{self, List},
    storage::Value,
    wire::{
        Page, Timestamp,
        limits::{DEFAULT_PAGE_SIZE, TOMBSTONE_DAYS},
        query::{ListQuery, PageQuery},
    },
};

/// The part of a list that a request asks for.
pub(crate) struct PageRequest<K> {
    name: &'static str,
    filters: String,
    /// The rest of the list from the place where the page begins.
    span: Span<K>,
    limit: usize,
    /// The number of rows to look at first where a filter is held against each.
    first_look: usize,
    include_deleted: bool,
    /// The place of the cursor, for a page that goes on from one.
    place: Option<K>,
    /// The time at which the walk through the list began.
    began: Timestamp,
    /// From when on deletions have to be known.
    deletions_from: Option<Timestamp>,
    /// The row that has to be there for the list to go on behind it.
    anchor: Option<Anchor<K>>,
}

/// The row behind which a list goes on whose rows are purged after some days. Once it is gone, those
/// behind it may be gone too, unseen.
struct Anchor<K> {
    /// Its place.
    place: K,
    /// Its id, if the client named it by that.
    id: Option<Uuid>,
    /// The parameter that names it.
    parameter: &'static str,
    /// The days for which rows are kept.
    days: i64,
}

impl<K> Anchor<K> {
    /// Checks that the row that was found at the place is the one that is meant.
    fn check(&self, row: Option<&Value>) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Named {
            id: Uuid,
        }
        let is = |row: &Value, id| serde_json::from_slice(row).is_ok_and(|row: Named| row.id == id);
        if row.is_some_and(|row| self.id.is_none_or(|id| is(row, id))) {
            return Ok(());
        }
        let (parameter, days) = (self.parameter, self.days);
        let problem = format!(
            "leads to nothing in this list, which goes back {days} days; what came after it may \
             be gone too: leave {parameter} out to begin with the oldest that is there, and read \
             anew what you keep a copy of"
        );
        Err(Error::Malformed(Reason::of(parameter, problem)))
    }
}

/// The most rows that are looked at for one page. Two filters that many records pass singly and
/// hardly any pass together must not make one request read a whole catalog: the page is then
/// short, and its cursor goes on where the search stopped.
const MOST_LOOKED_AT: usize = 2000;

/// The most holders of one text that are read and sorted for a page. More are unusual, and are
/// searched for in an index in change order instead.
const MOST_SORTED: usize = 500;

/// Tells rows that belong to a list from others.
pub(crate) type Filter<'a> = &'a (dyn Fn(&Value) -> Result<bool, Fault> + Sync);

impl PageRequest<Change> {
    /// The part of the list `name` that `query`, with the common parameters `sync`, asks for.
    pub(crate) fn of(
        name: &'static str,
        at: &Access,
        query: &impl ListQuery,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let sync = query.sync();
        let since = sync.updated_since;
        let whole = Span {
            from: since.map_or(Bound::Unbounded, |since| {
                Bound::Included((since, Uuid::nil()))
            }),
            ..Span::ALL
        };
        let mut request = Self::within(name, at, query, whole, now)?;
        request.include_deleted = sync.include_deleted;
        // What lies before the place of the cursor has been shown. A walk from the very beginning
        // shows no deletion that is older than itself, and needs none.
        request.deletions_from = match request.span.from {
            Bound::Excluded((place, _)) => Some(place.max(since.unwrap_or(request.began))),
            _ => since,
        };
        // A walk is held against the 90 days by when it began, not by where it is.
        let from = match request.place {
            Some(_) => Some(request.began),
            None => since,
        };
        let oldest = now.plus_seconds(-TOMBSTONE_DAYS * 24 * 3600);
        if sync.include_deleted && from.is_some_and(|from| from < oldest) {
            return Err(request.too_old(oldest));
        }
        Ok(request)
    }
}

impl<K: SortKey> PageRequest<K> {
    /// The part of a list of rows that `query` asks for, of which `whole` may be shown. Most rows pass its filter, so at first no
    /// more are looked at than the page has.
    pub(crate) fn of_rows(
        name: &'static str,
        at: &Access,
        query: &impl PageQuery,
        whole: Span<K>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let request = Self::within(name, at, query, whole, now)?;
        Ok(Self {
            first_look: request.wanted(),
            ..request
        })
    }

    /// The same for rows that are purged after some `days`. The list goes on behind the row at the
    /// cursor, or behind the one with a place and an id that the client names with `after`.
    pub(crate) fn kept(mut self, days: i64, after: Option<(K, Uuid)>) -> Self {
        let (place, id, parameter) = match (self.place, after) {
            (Some(place), _) => (place, None, "cursor"),
            (None, Some((place, id))) => (place, Some(id), "after"),
            (None, None) => return self,
        };
        self.span = self.span.after(place);
        self.anchor = Some(Anchor {
            place,
            id,
            parameter,
            days,
        });
        self
    }

    /// The part of the list `name` that `query` asks for. `whole` is all that it may ever show.
    fn within(
        name: &'static str,
        at: &Access,
        query: &impl PageQuery,
        whole: Span<K>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let pairs = query.pairs();
        let filters = pairs
            .iter()
            .filter(|(name, _)| !matches!(*name, "limit" | "cursor"));
        let filters: String = filters
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        let list = List {
            name,
            location: at.partition(),
            filters: &filters,
        };
        let read = |cursor| cursor::decode(list, cursor);
        let cursor = query.cursor().map(read).transpose();
        let cursor = cursor.map_err(|invalid| Error::Malformed(invalid.into()))?;
        let place = cursor.map(|(place, _)| place);
        Ok(Self {
            name,
            span: place.map_or(whole, |place| whole.after(place)),
            limit: query.limit().unwrap_or(DEFAULT_PAGE_SIZE),
            first_look: MOST_LOOKED_AT,
            include_deleted: false,
            filters,
            place,
            began: cursor.map_or(now, |(_, began)| began),
            deletions_from: None,
            anchor: None,
        })
    }

    /// Refuses a request for deletions of a time when they are no longer complete. A walk has seen
    /// those before its place.
    fn check_deletions(&self, complete_since: Option<Timestamp>) -> Result<(), Error> {
        match (self.deletions_from, complete_since) {
            (Some(from), Some(complete)) if from < complete => Err(self.too_old(complete)),
            _ => Ok(()),
        }
    }

    fn too_old(&self, oldest: Timestamp) -> Error {
        let (field, subject) = match self.place {
            None => ("updatedSince", "must not be"),
            Some(_) => ("cursor", "belongs to a walk that must not be"),
        };
        let problem = format!(
            "{subject} older than {TOMBSTONE_DAYS} days together with includeDeleted: deletions \
             before {oldest} are no longer known; read the whole list without {field} instead"
        );
        Error::Malformed(Reason::of(field, problem))
    }

    /// The number of rows to look for: one more than the page, to know whether there is another.
    fn wanted(&self) -> usize {
        self.limit + 1
    }

    /// The page of these rows, which are sorted and start at the position. Without a row too many
    /// there is another page only when the search for rows `stopped_at` some point.
    fn page<T>(&self, at: &Access, found: &Search<K>) -> Json<Page<T>> {
        let rows = &found.rows;
        let shown = &rows[..rows.len().min(self.limit)];
        let length: usize = shown.iter().map(|(_, row)| row.len() + 1).sum();
        let mut bytes = Vec::with_capacity(length + 150);
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
                    name: self.name,
                    location: at.partition(),
                    filters: &self.filters,
                };
                bytes.push(b'"');
                bytes.extend_from_slice(cursor::encode(list, place, self.began).as_bytes());
                bytes.push(b'"');
            }
            None => bytes.extend_from_slice(b"null"),
        }
        bytes.push(b'}');
        Json::new(bytes).of_state(found.changed_at)
    }
}

/// The rows that were found for a page.
struct Search<K> {
    /// At most one more than the page has, in the order of reading.
    rows: Vec<Placed<K>>,
    /// The place where the search stopped before the page was full and the list at its end.
    stopped_at: Option<K>,
    /// The time of the location's last change.
    changed_at: Timestamp,
}

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
        Ok(request.page(at, &found))
    }

    async fn search<T: Row>(
        &self,
        at: &Access,
        request: &PageRequest<T::Key>,
        mut through: Through<'_>,
        otherwise: Through<'_>,
        filter: Option<Filter<'_>>,
    ) -> Result<Search<T::Key>, Error> {
        let mut look_at = request.first_look;
        loop {
            let limit = match (through, filter) {
                (Through::Holders(..), _) => MOST_SORTED + 1,
                (_, Some(_)) => look_at,
                (_, None) => request.wanted(),
            };
            let slice = Slice {
                through,
                span: request.span,
                limit,
                tombstones: request.include_deleted.then(|| request.wanted()),
                anchor: request.anchor.as_ref().map(|anchor| anchor.place),
            };
            let listed = self.store().list::<T>(at.partition(), slice).await?;
            request.check_deletions(listed.complete_since)?;
            if let Some(anchor) = &request.anchor {
                anchor.check(listed.anchor.as_ref())?;
            }
            if matches!(through, Through::Holders(..)) && listed.rows.len() > MOST_SORTED {
                through = otherwise;
                continue;
            }
            let found = narrow(request, listed, limit, filter)?;
            let is_short = found.rows.len() < request.wanted() && found.stopped_at.is_some();
            if is_short && look_at < MOST_LOOKED_AT {
                look_at = MOST_LOOKED_AT;
                continue;
            }
            return Ok(found);
        }
    }
}

/// Keeps what belongs to the page, in the order of reading.
fn narrow<K: SortKey>(
    request: &PageRequest<K>,
    listed: Listed<K>,
    limit: usize,
    filter: Option<Filter<'_>>,
) -> Result<Search<K>, Fault> {
    let Listed {
        mut rows,
        mut tombstones,
        changed_at,
        cut_at: mut stopped_at,
        ..
    } = listed;
    let span = &request.span;
    rows.retain(|(place, _)| span.contains(*place));
    rows.sort_by(|(one, _), (other, _)| span.compare(*one, *other));
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
                // The page ends before what cannot be read; the next one begins with it.
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
    // What lies behind the point where the search stopped comes with the next page.
    tombstones
        .retain(|(place, _)| stopped_at.is_none_or(|stop| span.compare(*place, stop).is_le()));
    rows.extend(tombstones);
    rows.sort_by(|(one, _), (other, _)| span.compare(*one, *other));
    rows.truncate(request.wanted());
    Ok(Search {
        rows,
        stopped_at,
        changed_at,
    })
}
