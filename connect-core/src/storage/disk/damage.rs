//! The parts of an engine's files that are damaged, and what finds them.
//!
//! redb keeps a checksum of every page in the page above it, and does not look at them as it
//! reads: a flipped bit in a page that leads to others makes lists short in silence, and a page
//! of zeros makes redb panic. So pages are checked beside redb, and from the moment on at which
//! one is known to be damaged, every read that would need it is refused.

use std::{
    ops::Bound,
    sync::atomic::{AtomicBool, Ordering},
};

use parking_lot::RwLock;

use super::{
    engine_keys::{self, ROWS_END},
    fault::{Damage, Fault},
};
use crate::storage::{StorageError, UnreadableKeys};

/// The engine keys `from <= key < to` that cannot be read. Without `to`, all to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Vec<u8>,
    pub(crate) to: Option<Vec<u8>>,
    /// The one entry that is damaged, where the rest of its page is as it was. Without it a whole page
    /// is lost.
    pub(crate) row: Option<Vec<u8>>,
}

impl Span {
    /// Says that the span is all there is.
    pub(crate) fn is_everything(&self) -> bool {
        self.from.is_empty() && self.to.is_none()
    }

    /// Returns whether it contains all of another span.
    fn covers(&self, other: &Self) -> bool {
        let ends_behind = match (&self.to, &other.to) {
            (Some(to), Some(other)) => other <= to,
            (to, _) => to.is_none(),
        };
        self.from <= other.from && ends_behind
    }

    /// Says that the key is before the end.
    fn ends_after(&self, key: &[u8]) -> bool {
        self.to.as_deref().is_none_or(|to| key < to)
    }

    /// The last key that the page before may have. It leads to that page, where the span's first key
    /// leads to the damaged one.
    fn last_before(&self) -> Option<&[u8]> {
        self.from.split_last().map(|(_, last)| last)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.ends_after(&other.from) && other.ends_after(&self.from)
    }

    fn contains(&self, key: &[u8]) -> bool {
        *self.from <= *key && self.ends_after(key)
    }

    fn fault(&self) -> Fault {
        Fault::Damaged(self.error())
    }

    /// The error of reads that need this page.
    fn error(&self) -> StorageError {
        let error = match &self.row {
            Some(row) => StorageError::from(Fault::Row {
                key: engine_keys::key_of(row).into(),
                damage: Damage::Checksum,
            }),
            None => StorageError::new(
                "a page of the database's file is damaged; `connect-server check` tells how much is \
                 lost, and a copy of the folder brings its rows back",
            ),
        };
        error.about(self.rows())
    }

    /// The keys of rows in the span.
    fn rows(&self) -> UnreadableKeys {
        let first = engine_keys::row_key(b"");
        let from = self.row.as_ref().unwrap_or(&self.from);
        let from = if *from < first {
            Vec::new()
        } else {
            engine_keys::key_of(from).to_vec()
        };
        let to = self.to.as_deref().filter(|to| *to < ROWS_END);
        UnreadableKeys {
            from: from.into(),
            to: to.map(|to| engine_keys::key_of(to).into()),
        }
    }
}

/// The damage that is known.
#[derive(Debug, Default)]
pub(crate) struct DamagedPages {
    is_there: AtomicBool,
    /// Spans in the order of their keys, none within another. Spans of pages are apart; spans of rows reach
    /// to the rows beside them.
    spans: RwLock<Vec<Span>>,
}

impl DamagedPages {
    /// Notes damaged pages; returns whether one of them is new.
    pub(crate) fn add(&self, found: &[Span]) -> bool {
        let mut spans = self.spans.write();
        let mut is_new = false;
        for span in found {
            // The rest of a page may be lost later than its first row, and the page above later than both.
            if !spans.iter().any(|known| known.covers(span)) {
                spans.retain(|known| !span.covers(known));
                spans.push(span.clone());
                is_new = true;
            }
        }
        spans.sort_by(|one, other| one.from.cmp(&other.from));
        self.is_there.store(!spans.is_empty(), Ordering::Release);
        is_new
    }

    /// Returns the pages among these without known damage.
    pub(crate) fn unknown(&self, mut found: Vec<Span>) -> Vec<Span> {
        let known = self.spans.read();
        found.retain(|span| !known.iter().any(|known| known.covers(span)));
        found
    }

    /// The damaged pages.
    pub(crate) fn spans(&self) -> Vec<Span> {
        if !self.is_there.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.spans.read().clone()
    }

    /// Says what is known, for the operator; `None` when nothing is damaged.
    pub(crate) fn describe(&self) -> Option<String> {
        let spans = self.spans();
        let rows = spans.iter().filter(|span| span.row.is_some()).count();
        let pages = spans.len() - rows;
        (!spans.is_empty()).then(|| {
            format!(
                "the file of the store is damaged (pages: {pages}, single rows: {rows}); run \
                 `connect-server check`, and restore the whole folder from a copy without damage"
            )
        })
    }

    /// The damaged page that would have this key.
    pub(crate) fn at(&self, key: &[u8]) -> Option<Span> {
        self.find(|span| span.contains(key))
    }

    /// Refuses a key in a damaged page.
    pub(crate) fn check(&self, key: &[u8]) -> Result<(), Fault> {
        self.at(key).map_or(Ok(()), |span| Err(span.fault()))
    }

    /// The first damaged page that begins at a key or behind it.
    pub(crate) fn next(&self, from: &[u8]) -> Option<Span> {
        self.find(|span| *span.from >= *from)
    }

    fn find(&self, is_wanted: impl FnMut(&&Span) -> bool) -> Option<Span> {
        if !self.is_there.load(Ordering::Acquire) {
            return None;
        }
        self.spans.read().iter().find(is_wanted).cloned()
    }

    /// The part of a walk through `from <= key < to` that comes before a damaged page.
    pub(crate) fn readable<'a>(
        spans: &'a [Span],
        from: &'a [u8],
        to: &'a [u8],
        newest_first: bool,
    ) -> Readable<'a> {
        let mut met = spans
            .iter()
            .filter(|span| *span.from < *to && span.ends_after(from));
        if newest_first {
            let met = met.next_back();
            let start = match met {
                Some(span) => span.to.as_deref(),
                None => Some(from),
            };
            let mut before = spans.iter().filter(|span| !span.ends_after(from));
            let edge = met.or_else(|| before.next_back());
            let next = spans.iter().find(|span| *span.from >= *to);
            Readable {
                bounds: start.filter(|start| *start < to).map(|start| {
                    let end = match next.filter(|next| *next.from == *to) {
                        Some(next) => Bound::Included(next.last_before().unwrap_or_default()),
                        None => Bound::Excluded(to),
                    };
                    (Bound::Included(start), end)
                }),
                edge: edge.and_then(|edge| edge.to.as_deref()),
                met,
            }
        } else {
            let met = met.next();
            let next = met.or_else(|| spans.iter().find(|span| *span.from >= *to));
            Readable {
                bounds: met
                    .is_none_or(|span| *span.from > *from)
                    .then_some((Bound::Included(from), Bound::Excluded(to))),
                edge: next.and_then(Span::last_before),
                met,
            }
        }
    }
}

/// The bounds of a walk.
pub(crate) type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// The part of a walk that can be read.
pub(crate) struct Readable<'a> {
    /// Its bounds; `None` when it is nothing.
    pub(crate) bounds: Option<Bounds<'a>>,
    /// The edge of the damaged page ahead, or of the next one behind the walk: the last key before it, or
    /// in the other direction the first one behind it. An entry there may not exist.
    pub(crate) edge: Option<&'a [u8]>,
    /// The damaged page at the end of the walk.
    met: Option<&'a Span>,
}

impl Readable<'_> {
    /// The end of the walk.
    pub(crate) fn end(&self) -> Result<(), Fault> {
        self.met.map_or(Ok(()), |span| Err(span.fault()))
    }
}

/// The findings of a check of pages.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The pages that were checked, in bytes.
    pub(crate) bytes: u64,
    /// Those that are damaged.
    pub(crate) damaged: Vec<Span>,
    /// The disk could not return one of these; it may a moment later.
    pub(crate) is_unread: bool,
    /// The engine key to go on from; `None` when everything was checked.
    pub(crate) next: Option<Vec<u8>>,
}

/// One state of an engine's pages, which stays as it is while this lives.
pub(crate) trait Pages: Send + Sync {
    /// Checks all pages.
    fn check_all(&self) -> Result<Checked, StorageError>;

    /// Checks the pages of entries from a key on, about so many.
    fn check_some(&self, from: &[u8], at_most: u64) -> Result<Checked, StorageError>;

    /// Checks the findings once more; returns the spans still damaged.
    fn check_again(&self, found: &[Span]) -> Result<Vec<Span>, StorageError>;
}
