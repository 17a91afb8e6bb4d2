//! The requested part of a list (specification: Shared shapes; contract: Pages).

use std::ops::Bound;

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    auth::Access,
    rules::cursor::{self, CursorScope},
    storage::Value,
    transaction::{Error, KeyRange, Reason, SortKey, TimeKey},
    wire::{
        Timestamp,
        limits::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, TOMBSTONE_DAYS},
        query::{ListQuery, PageQuery},
    },
};

/// The requested part of a list.
pub struct PageRequest<K> {
    pub(super) name: &'static str,
    pub(super) filters: String,
    /// The rest of the list from the start of the page.
    pub(super) key_range: KeyRange<K>,
    pub(super) limit: usize,
    /// The number of rows to read first, with a filter.
    pub(super) first_look: usize,
    pub(super) include_deleted: bool,
    /// The position of the cursor, if the request has one.
    pub(super) place: Option<K>,
    /// The start time of the walk through the list.
    pub(super) began: Timestamp,
    /// The earliest time of deletions the request needs.
    deletions_from: Option<Timestamp>,
    /// The required row before the page, if any.
    pub(super) anchor: Option<Anchor<K>>,
}

/// The row before the page, in a list with purged rows.
/// Once this row is purged, the rows after it may have been purged too, unseen.
pub(super) struct Anchor<K> {
    /// Its position.
    pub(super) place: K,
    /// Its id, if the client sent it.
    id: Option<Uuid>,
    /// The parameter naming it.
    parameter: &'static str,
    /// The retention of rows, in days.
    days: i64,
}

impl<K: SortKey> Anchor<K> {
    /// Requires the row at the position to be the intended one.
    /// If it is missing, all rows after it must still exist. `next` is the number of the first row after
    /// it, or else of the location's next row.
    pub(super) fn check(&self, row: Option<&Value>, next: u64) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct IdField {
            id: Uuid,
        }
        let is =
            |row: &Value, id| serde_json::from_slice(row).is_ok_and(|row: IdField| row.id == id);
        let is_meant = match row {
            Some(row) => self.id.is_none_or(|id| is(row, id)),
            // The first row has the number 1, so no row precedes it.
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
            "is unknown or older than {days} days, and rows after it may be gone too: leave \
             {parameter} out to begin with the oldest, and read your copied data again"
        );
        Err(Error::Malformed(Reason::of(parameter, problem)))
    }
}

/// The most rows read for one page.
/// Two filters may match many records each and hardly any together. Such a request must not read a whole
/// catalog: its page is short, and its cursor continues at the end of the search.
pub(super) const MOST_LOOKED_AT: usize = 2000;

/// Returns the number of rows of a page.
///
/// # Errors
/// The requested number is out of bounds.
pub(crate) fn page_size(limit: Option<usize>) -> Result<usize, Error> {
    let limit = limit.unwrap_or(DEFAULT_PAGE_SIZE);
    if (1..=MAX_PAGE_SIZE).contains(&limit) {
        return Ok(limit);
    }
    let problem = format!("must be a whole number from 1 to {MAX_PAGE_SIZE}");
    Err(Error::Malformed(Reason::of("limit", problem)))
}

impl PageRequest<TimeKey> {
    /// Returns the part of the list `name` requested by `query`.
    /// `sync` are the common parameters.
    pub(crate) fn of(
        name: &'static str,
        at: &Access,
        query: &impl ListQuery,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let sync = query.sync();
        let since = sync.updated_since;
        let whole = KeyRange {
            from: since.map_or(Bound::Unbounded, |since| {
                Bound::Included((since, Uuid::nil()))
            }),
            ..KeyRange::ALL
        };
        let mut request = Self::within(name, at, query, whole, now)?;
        request.include_deleted = sync.include_deleted;
        // Deletions before the cursor's position have been shown. A walk from the very beginning shows no
        // deletion older than itself, and needs none.
        request.deletions_from = match request.key_range.from {
            Bound::Excluded((place, _)) => Some(place.max(since.unwrap_or(request.began))),
            _ => since,
        };
        // The limit of 90 days applies to the start of a walk, not to its position.
        let from = match request.place {
            Some(_) => Some(request.began),
            None => since,
        };
        let oldest = now.plus_days(-TOMBSTONE_DAYS);
        if sync.include_deleted && from.is_some_and(|from| from < oldest) {
            return Err(request.too_old(oldest));
        }
        Ok(request)
    }
}

impl<K: SortKey> PageRequest<K> {
    /// Returns the requested part of a list of rows, within `whole`.
    /// Most rows pass its filter, so at first only as many are read as the page has.
    pub(crate) fn of_rows(
        name: &'static str,
        at: &Access,
        query: &impl PageQuery,
        whole: KeyRange<K>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let request = Self::within(name, at, query, whole, now)?;
        Ok(Self {
            first_look: request.wanted(),
            ..request
        })
    }

    /// Adds the retention of rows purged after some `days`.
    /// `after` is the position and id of the client's own last row. Such a list continues only after an
    /// existing row. A list from the beginning shows all rows present.
    pub(crate) fn kept(mut self, days: i64, after: Option<(K, Uuid)>) -> Self {
        let (place, id, parameter) = match (self.place, after) {
            (Some(place), Some(_)) => (place, None, "cursor"),
            (None, Some((place, id))) => (place, Some(id), "after"),
            (_, None) => return self,
        };
        self.key_range = self.key_range.after(place);
        self.anchor = Some(Anchor {
            place,
            id,
            parameter,
            days,
        });
        self
    }

    /// Returns the part of the list `name` requested by `query`, within `whole`.
    fn within(
        name: &'static str,
        at: &Access,
        query: &impl PageQuery,
        whole: KeyRange<K>,
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
            // No parameter has this form.
            filters.push_str("#newest-first");
        }
        let limit = page_size(query.limit())?;
        let list = CursorScope {
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
            key_range: place.map_or(whole, |place| whole.after(place)),
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

    /// Refuses a request for deletions of a time with purged tombstones.
    /// A walk has seen the deletions before its position.
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

    /// The rows to find: the page and one more, for the cursor.
    pub(super) fn wanted(&self) -> usize {
        self.limit + 1
    }
}
