//! The list of entries, newest first, merged over the chains of a scope.

use std::collections::VecDeque;

use super::{TrailFilter, TrailScope, chains::ChainPart};
use crate::{
    engine::Connect,
    rules::{
        cursor::{self, CursorScope},
        role::UserRight,
    },
    storage::{Key, Range, Read},
    transaction::{Error, Fault, TimeKey, TrailEntry, trail_key},
    wire::{Page, Timestamp, limits::MAX_PAGE_SIZE},
};

/// The most entries read for a page. A page with few matches then ends early.
const MOST_LOOKED_AT: usize = 20_000;

/// The most entries per read, of all chains together.
const PIECE: usize = 400;

/// A page of entries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailPage {
    /// The entries, with the wanted changes alone.
    pub entries: Vec<TrailEntry>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

impl From<TrailPage> for Page<TrailEntry> {
    fn from(page: TrailPage) -> Self {
        Self {
            data: page.entries,
            next_cursor: page.next,
        }
    }
}

/// A chain with its matching entries read so far, and its unread part.
struct Ahead {
    part: ChainPart,
    read: VecDeque<TrailEntry>,
    /// The place of the last entry read, matching or not.
    reached: Option<TimeKey>,
}

impl Ahead {
    /// The place of the next entry among those of all chains.
    fn place(&self) -> Option<TimeKey> {
        self.read.front().map(|entry| (entry.at, self.part.chain))
    }

    /// Returns whether the next entry is not read yet.
    fn is_short(&self) -> bool {
        self.read.is_empty() && self.part.from < self.part.to
    }
}

impl Connect {
    /// Lists entries of the trail, newest first: at most `limit`, and never more than 200.
    /// `cursor` is that of the page before. An entry lists the changes wanted by the filter alone.
    /// A page may be shorter than wanted, even empty, before the end.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account. [`Error::ForbiddenScope`]. [`Error::Invalid`]: the cursor is not of this list.
    pub async fn trail(
        &self,
        scope: TrailScope,
        filter: &TrailFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<TrailPage, Error> {
        let limit = limit.clamp(1, MAX_PAGE_SIZE);
        let filters = format!("{scope:?} {filter:?}");
        let list = CursorScope {
            name: "trail",
            location: uuid::Uuid::nil(),
            filters: &filters,
        };
        let after = cursor.map(|cursor| cursor::decode::<TimeKey>(list, cursor));
        let after = after.transpose()?.map(|(place, _)| place);
        let parts = self.parts(scope, filter, after).await?;
        let with_people = self.reads_people(scope).await?;
        let ahead = parts.into_iter().map(|part| Ahead {
            part,
            read: VecDeque::new(),
            reached: None,
        });
        let mut ahead: Vec<Ahead> = ahead.collect();
        let (mut page, mut looked_at) = (TrailPage::default(), 0);
        let end = |page: TrailPage, place| TrailPage {
            next: Some(cursor::encode(list, place, self.now())),
            ..page
        };
        loop {
            let short = ahead.iter().filter(|ahead| ahead.is_short());
            let short = short.map(|ahead| ahead.reached).max();
            let next = ahead.iter_mut().max_by_key(|ahead| ahead.place());
            let next = next.and_then(|next| Some((next.place()?, next)));
            // The unread entries of a chain may be newer than the next one of the others.
            let is_next = |place| short.is_none_or(|reached| reached.is_some_and(|at| at < place));
            match (next, short.flatten()) {
                (Some((place, next)), _) if is_next(place) => {
                    page.entries.extend(next.read.pop_front());
                    if page.entries.len() == limit {
                        return Ok(end(page, place));
                    }
                }
                (_, Some(reached)) if looked_at >= MOST_LOOKED_AT => return Ok(end(page, reached)),
                (None, _) if short.is_none() => return Ok(page),
                _ => looked_at += self.read_ahead(&mut ahead, filter, with_people).await?,
            }
        }
    }

    /// Returns whether the caller may read entries about users.
    pub(super) async fn reads_people(&self, scope: TrailScope) -> Result<bool, Error> {
        let TrailScope::Account(id) = scope else {
            return Ok(true);
        };
        let account = self.account(id).await?;
        let user = self.user_in(&account)?;
        Ok(user.is_none_or(|user| account.reach(user, UserRight::ManageUsers).is_ok()))
    }

    /// The parts of the chains with the times of the filter, before a place.
    pub(super) async fn parts(
        &self,
        scope: TrailScope,
        filter: &TrailFilter,
        before: Option<TimeKey>,
    ) -> Result<Vec<ChainPart>, Error> {
        let chains = self.chains(scope, filter).await?;
        let mut parts = self.whole(&chains).await?;
        let until = |part: &ChainPart| {
            let place = before.map(|(at, chain)| match part.chain < chain {
                true => at.plus_micros(1),
                false => at,
            });
            place.into_iter().chain(filter.until).min()
        };
        let until: Vec<Option<Timestamp>> = parts.iter().map(until).collect();
        let ends = self.first_since(&parts, &until).await?;
        for (part, end) in parts.iter_mut().zip(ends) {
            part.to = end;
        }
        if filter.since.is_some() {
            let since = vec![filter.since; parts.len()];
            let starts = self.first_since(&parts, &since).await?;
            for (part, start) in parts.iter_mut().zip(starts) {
                part.from = start;
            }
        }
        Ok(parts)
    }

    /// Reads on in each chain without a next entry. Returns the number of entries read.
    async fn read_ahead(
        &self,
        ahead: &mut [Ahead],
        filter: &TrailFilter,
        with_people: bool,
    ) -> Result<usize, Fault> {
        let mut short: Vec<&mut Ahead> =
            ahead.iter_mut().filter(|ahead| ahead.is_short()).collect();
        let piece = (PIECE / short.len().max(1)).clamp(1, MAX_PAGE_SIZE);
        let keys = short.iter().map(|ahead| {
            let ChainPart { chain, from, to } = ahead.part;
            (trail_key(chain, from), trail_key(chain, to))
        });
        let keys: Vec<(Key, Key)> = keys.collect();
        let reads = keys.iter().map(|(from, to)| Read::Scan {
            range: Range { from, to: Some(to) },
            limit: piece,
            newest_first: true,
        });
        let reads: Vec<_> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        let mut count = 0;
        for ahead in &mut short {
            let found = state.entries()?;
            count += found.len();
            ahead.part.to = ahead.part.from;
            for (at, (key, row)) in found.iter().enumerate() {
                let is_last = at + 1 == piece;
                if !is_last && !filter.may_match(row) {
                    continue;
                }
                let mut entry: TrailEntry =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                if is_last {
                    ahead.part.to = entry.number;
                    ahead.reached = Some((entry.at, ahead.part.chain));
                }
                if filter.reduce(&mut entry, with_people) {
                    ahead.read.push_back(entry);
                }
            }
        }
        Ok(count)
    }
}
