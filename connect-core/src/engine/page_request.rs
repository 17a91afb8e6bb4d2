//! The part of a list that a request asks for (specification: Shared shapes; contract: Pages).

use std::ops::Bound;

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    auth::Access,
    rules::cursor::{self, List},
    storage::Value,
    transaction::{Change, Error, Reason, SortKey, Span},
    wire::{
        Timestamp,
        limits::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, TOMBSTONE_DAYS},
        query::{ListQuery, PageQuery},
    },
};

/// The part of a list that a request asks for.
pub struct PageRequest<K> {
    pub(super) name: &'static str,
    pub(super) filters: String,
    /// The rest of the list from the place where the page begins.
    pub(super) span: Span<K>,
    pub(super) limit: usize,
    /// The number of rows to look at first where a filter is held against each.
    pub(super) first_look: usize,
    pub(super) include_deleted: bool,
    /// The place of the cursor, for a page that goes on from one.
    place: Option<K>,
    /// The time at which the walk through the list began.
    pub(super) began: Timestamp,
    /// From when on deletions have to be known.
    deletions_from: Option<Timestamp>,
    /// The row that has to be there for the list to go on behind it.
    pub(super) anchor: Option<Anchor<K>>,
}

/// The row behind which a list goes on whose rows are purged after some days. Once it is gone, those
/// behind it may be gone too, unseen.
pub(super) struct Anchor<K> {
    /// Its place.
    pub(super) place: K,
    /// Its id, if the client named it by that.
    id: Option<Uuid>,
    /// The parameter that names it.
    parameter: &'static str,
    /// The days for which rows are kept.
    days: i64,
}

impl<K: SortKey> Anchor<K> {
    /// Checks that the row that was found at the place is the one that is meant, or that everything
    /// behind it is still there. `next` is the number of the first row behind it, or what the next
    /// row of the location will be given.
    pub(super) fn check(&self, row: Option<&Value>, next: u64) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Named {
            id: Uuid,
        }
        let is = |row: &Value, id| serde_json::from_slice(row).is_ok_and(|row: Named| row.id == id);
        let is_meant = match row {
            Some(row) => self.id.is_none_or(|id| is(row, id)),
            // The first row has the number 1, so no row is in front of it.
            None => match self.place.number() {
                None | Some(0) => false,
                Some(number) => number.checked_add(1) == Some(next),
            },
        };
        if is_meant {
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
pub(super) const MOST_LOOKED_AT: usize = 2000;

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
    /// The part of a list of rows that `query` asks for, of which `whole` may be shown. Most rows
    /// pass its filter, so at first no more are looked at than the page has.
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

    /// The same for rows that are purged after some `days`. A list that the client began behind a
    /// row of its own, which `after` names by its place and id, goes on behind a row that is still
    /// there; one from the beginning shows what there is.
    pub(crate) fn kept(mut self, days: i64, after: Option<(K, Uuid)>) -> Self {
        let (place, id, parameter) = match (self.place, after) {
            (Some(place), Some(_)) => (place, None, "cursor"),
            (None, Some((place, id))) => (place, Some(id), "after"),
            (_, None) => return self,
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
        let mut filters = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(filters)
            .finish();
        if whole.newest_first {
            // No parameter is written so.
            filters.push_str("#newest-first");
        }
        let limit = query.limit().unwrap_or(DEFAULT_PAGE_SIZE);
        if !(1..=MAX_PAGE_SIZE).contains(&limit) {
            let problem = format!("must be a whole number from 1 to {MAX_PAGE_SIZE}");
            return Err(Error::Malformed(Reason::of("limit", problem)));
        }
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
            limit,
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
    pub(super) fn check_deletions(&self, complete_since: Option<Timestamp>) -> Result<(), Error> {
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
    pub(super) fn wanted(&self) -> usize {
        self.limit + 1
    }
}
