//! The list of entries, newest first, merged over the chains of a scope.

use std::collections::VecDeque;

use super::{TrailFilter, TrailScope, chains::ChainPart};
use crate::{
    engine::Connect,
    rules::cursor::{self, CursorScope},
    storage::{Key, Range, Read, Value},
    transaction::{
        Error, Fault, TimeKey, TrailEntry,
        keys::{Family, KeyPart, key},
        trail_key,
    },
    wire::{Timestamp, limits::MAX_PAGE_SIZE},
};

/// The most entries read for a page. A page with few matches then ends early.
const MOST_LOOKED_AT: usize = 10_000;

/// A page of entries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailPage {
    /// The entries, with the wanted changes alone.
    pub entries: Vec<TrailEntry>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

/// The unread part of a chain, and its entries read so far.
struct Ahead {
    part: ChainPart,
    read: VecDeque<TrailEntry>,
}

impl Ahead {
    /// The place of the next entry among those of all chains.
    fn place(&self) -> Option<TimeKey> {
        self.read.front().map(|entry| (entry.at, self.part.chain))
    }
}

impl Connect {
    /// Lists entries of the trail, newest first: at most `limit`, and never more than 200.
    /// `cursor` is that of the page before. An entry lists the changes wanted by the filter alone.
    /// A page may be shorter than wanted, even empty, before the end.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account. [`Error::Invalid`]: the cursor is not of this list.
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
        let piece = (2 * limit / parts.len().max(1)).clamp(1, limit);
        let ahead = parts.into_iter().map(|part| Ahead {
            part,
            read: VecDeque::new(),
        });
        let mut ahead: Vec<Ahead> = ahead.collect();
        let mut page = TrailPage::default();
        let mut looked_at = 0;
        loop {
            self.read_ahead(&mut ahead, filter, piece).await?;
            let next = ahead.iter_mut().max_by_key(|ahead| ahead.place());
            let Some((place, next)) = next.and_then(|next| Some((next.place()?, next))) else {
                return Ok(page);
            };
            let Some(mut entry) = next.read.pop_front() else {
                return Ok(page);
            };
            looked_at += 1;
            if filter.reduce(&mut entry) {
                page.entries.push(entry);
            }
            if page.entries.len() == limit || looked_at == MOST_LOOKED_AT {
                page.next = Some(cursor::encode(list, place, self.now()));
                return Ok(page);
            }
        }
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

    /// Reads the next entries of each chain without any.
    async fn read_ahead(
        &self,
        ahead: &mut [Ahead],
        filter: &TrailFilter,
        piece: usize,
    ) -> Result<(), Fault> {
        let is_short =
            |ahead: &&mut Ahead| ahead.read.is_empty() && ahead.part.from < ahead.part.to;
        let mut short: Vec<&mut Ahead> = ahead.iter_mut().filter(is_short).collect();
        if short.is_empty() {
            return Ok(());
        }
        let keys = short.iter().map(|ahead| keys(ahead.part, filter));
        let keys: Vec<[Key; 3]> = keys.collect();
        let reads = keys.iter().map(|[from, to, rows]| Read::ScanFollow {
            range: Range { from, to: Some(to) },
            limit: piece,
            newest_first: true,
            rows,
            tail: 8,
        });
        let reads: Vec<_> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        for ahead in &mut short {
            let found = state.joined()?;
            let is_end = found.len() < piece;
            for ((entry_key, _), row) in found {
                let row = row.ok_or_else(|| Fault::corrupt(&entry_key, "no entry of the trail"))?;
                ahead.read.push_back(parse(&entry_key, &row)?);
            }
            ahead.part.to = match ahead.read.back() {
                Some(last) if !is_end => last.number,
                _ => ahead.part.from,
            };
        }
        Ok(())
    }
}

/// The range of keys of a part's entries, or of those about an object, and the prefix of their rows.
fn keys(part: ChainPart, filter: &TrailFilter) -> [Key; 3] {
    let place = |number| match filter.object {
        None => trail_key(part.chain, number),
        Some(object) => {
            let parts = [KeyPart::Id(object), KeyPart::Number(number)];
            key(part.chain, Family::TrailByObject, &parts)
        }
    };
    let rows = key(part.chain, Family::Trail, &[]);
    [place(part.from), place(part.to), rows]
}

fn parse(key: &[u8], row: &Value) -> Result<TrailEntry, Fault> {
    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
}
