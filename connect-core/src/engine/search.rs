//! Pages of a search: the records with all words of a text in their names, best first.
//!
//! The page is read at the word with the fewest records, in the order of words, then of ids. So a name with the
//! very word comes before one in which the word goes on, and a page costs the same wherever it is in the list.

use std::{cmp::Reverse, ops::Bound};

use super::{
    answer::Json,
    connect::Connect,
    page_request::{MOST_LOOKED_AT, PageRequest},
    pages::page_of,
    resource::Resource,
};
use crate::{
    auth::Access,
    rules::words::SearchWords,
    transaction::{Error, Fault, KeyRange, Reason, Record, SoughtWord, WordIndex, WordPlace},
    wire::{Page, query::ListQuery as _},
};

/// The most entries counted of each word, to choose the one to read at.
const MOST_COUNTED: usize = 200;

/// The most words counted of a search. The others are only looked for in the names found.
const MOST_WORDS_COUNTED: usize = 16;

impl Connect {
    /// Returns a page of a search.
    pub(super) async fn search<R: Resource>(
        &self,
        at: &Access,
        query: &R::Query,
        index: &WordIndex<R>,
        text: &str,
    ) -> Result<Json<Page<R>>, Error> {
        let malformed = |field, problem| Error::Malformed(Reason::of(field, problem));
        let words = SearchWords::of(text);
        let words = words.ok_or_else(|| malformed("search", "must have a letter or a digit"))?;
        let sync = query.sync();
        for (field, is_set) in [
            ("updatedSince", sync.updated_since.is_some()),
            ("includeDeleted", sync.include_deleted),
        ] {
            if is_set {
                return Err(malformed(field, "must be left out of a search"));
            }
        }
        let whole = KeyRange::ALL;
        let request = PageRequest::<WordPlace>::of_rows(R::LIST, at, query, whole, self.now())?;
        let location = at.partition();
        let by = match request.place {
            Some(place) => usize::from(place.by),
            None => self.rarest(at, index, &words).await?,
        };
        // A cursor has the words of its own search.
        let Some(sought) = sought(&words).nth(by) else {
            return Err(malformed("cursor", "is not of this search"));
        };
        let (mut rows, mut last) = (Vec::new(), None);
        let (mut after, mut looked_at) = (request.key_range.from, 0);
        let (mut look, mut changed_at) = (request.wanted(), None);
        loop {
            let read = self
                .store()
                .rows_at_word(location, index, by, sought, after, look);
            let found = read.await?;
            let changed_at = *changed_at.get_or_insert(found.changed_at);
            looked_at += found.read;
            let is_end = found.read < look;
            for (place, row) in found.rows {
                // A damaged record is told by lists and by the check.
                let record = serde_json::from_slice::<R>(&row).ok();
                if record.is_some_and(|record| is_found(query, index, &words, &place, &record)) {
                    if rows.len() == request.limit {
                        return Ok(page_of(&request, at, &rows, last).of_state(changed_at));
                    }
                    rows.push(row);
                }
                last = Some(place);
            }
            last = found.last.or(last);
            if is_end || looked_at >= MOST_LOOKED_AT {
                let next = last.filter(|_| !is_end);
                return Ok(page_of(&request, at, &rows, next).of_state(changed_at));
            }
            after = last.map_or(after, Bound::Excluded);
            look = MOST_LOOKED_AT - looked_at;
        }
    }

    /// Returns the place of the word with the fewest records.
    async fn rarest<R: Record>(
        &self,
        at: &Access,
        index: &WordIndex<R>,
        words: &SearchWords,
    ) -> Result<usize, Fault> {
        let sought: Vec<_> = sought(words).take(MOST_WORDS_COUNTED).collect();
        if sought.len() == 1 {
            return Ok(0);
        }
        let counted = self
            .store()
            .count_words(at.partition(), index, &sought, MOST_COUNTED);
        Ok(best(&sought, &counted.await?))
    }
}

/// Returns the place of the word to read at.
/// Of words with as many entries, as counted, a whole one is read before a beginning, and a longer one before a
/// shorter: both have fewer entries, mostly.
fn best(sought: &[SoughtWord<'_>], counts: &[usize]) -> usize {
    let words = sought.iter().zip(counts).enumerate();
    let best = words.min_by_key(|(_, (sought, count))| {
        let length = Reverse(sought.word.len());
        (**count, sought.is_beginning, length)
    });
    best.map_or(0, |(place, _)| place)
}

fn sought(words: &SearchWords) -> impl Iterator<Item = SoughtWord<'_>> {
    let all = words.all().iter().enumerate();
    all.map(|(place, word)| SoughtWord {
        word,
        is_beginning: words.is_beginning(place),
    })
}

/// Returns whether a record at a place is in the list.
fn is_found<R: Record>(
    query: &R::Query,
    index: &WordIndex<R>,
    words: &SearchWords,
    place: &WordPlace,
    record: &R,
) -> bool {
    let names = (index.words)((index.of_record)(record));
    // A record with two such words stands at the first of them.
    let matching = names
        .iter()
        .filter(|name| words.matches(place.by.into(), name));
    let is_here = matching.min().is_some_and(|first| first == place.word());
    is_here && words.find_in(&names) && has(query, record)
}

/// Returns whether a record passes the other filters of a query.
fn has<R: Record>(query: &R::Query, record: &R) -> bool {
    R::INDEXES.iter().all(|index| {
        let sought = (index.of_query)(query);
        sought.is_none() || (index.of_record)(record) == sought
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_reads_at_its_rarest_word() {
        for (text, counts, expected) in [
            ("kaas brood met", &[5, 3, 4][..], "brood"),
            ("kaas brood met", &[5, 3, 2], "met"),
            // Among equals, the last may be the beginning of many words.
            ("kaas broodje", &[200, 200], "kaas"),
            ("met kaas broo", &[200, 200, 200], "kaas"),
            ("met kaas broo", &[200, 200, 199], "broo"),
            ("kaas", &[7], "kaas"),
        ] {
            let words = SearchWords::of(text).unwrap();
            let sought: Vec<_> = sought(&words).collect();
            let found = sought[best(&sought, counts)].word;
            assert_eq!(found, expected, "{text} {counts:?}");
        }
    }
}
