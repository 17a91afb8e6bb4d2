//! The damaged parts of an engine's files, and their detection.
//!
//! redb keeps a checksum of every page in the page above it, without checking them on reads. A
//! flipped bit in a branch page silently shortens lists, and a page of zeros makes redb panic. The
//! pages are therefore checked separately. Once a page is known to be damaged, every read that
//! needs it is refused.

use std::{
    ops::Bound,
    sync::atomic::{AtomicBool, Ordering},
};

use parking_lot::RwLock;

use super::{
    engine_keys::{self, ROWS_END},
    fault::{Damage, ReadFault},
};
use crate::storage::{StorageError, UnreadableKeys};

/// The unreadable engine keys, `from <= key < to`.
/// Without `to`, all to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedRange {
    pub(crate) from: Vec<u8>,
    pub(crate) to: Option<Vec<u8>>,
    /// The one damaged entry, if the rest of its page is intact.
    /// `None`: the whole page is lost.
    pub(crate) row: Option<Vec<u8>>,
}

impl DamagedRange {
    /// Returns whether the span covers all keys.
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

    /// Returns whether the key comes before the end.
    fn ends_after(&self, key: &[u8]) -> bool {
        self.to.as_deref().is_none_or(|to| key < to)
    }

    /// The last possible key of the page before.
    /// It leads to the page before, whereas the span's first key leads to the damaged one.
    fn last_before(&self) -> Option<&[u8]> {
        self.from.split_last().map(|(_, last)| last)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.ends_after(&other.from) && other.ends_after(&self.from)
    }

    fn contains(&self, key: &[u8]) -> bool {
        *self.from <= *key && self.ends_after(key)
    }

    fn fault(&self) -> ReadFault {
        ReadFault::Damaged(self.error())
    }

    /// The error for reads of this page.
    fn error(&self) -> StorageError {
        let error = match &self.row {
            Some(row) => StorageError::from(ReadFault::Row {
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

    /// The keys of the rows in the span.
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

/// The known damage.
#[derive(Debug, Default)]
pub(crate) struct DamagedPages {
    is_there: AtomicBool,
    /// Spans in the order of their keys, none within another. Spans of pages are apart; spans of rows reach
    /// to the rows beside them.
    spans: RwLock<Vec<DamagedRange>>,
}

impl DamagedPages {
    /// Adds damaged pages; returns whether one of them is new.
    pub(crate) fn add(&self, found: &[DamagedRange]) -> bool {
        let mut spans = self.spans.write();
        let mut is_new = false;
        for span in found {
            // A whole page may be lost after its first row, and the page above after both.
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
    pub(crate) fn unknown(&self, mut found: Vec<DamagedRange>) -> Vec<DamagedRange> {
        let known = self.spans.read();
        found.retain(|span| !known.iter().any(|known| known.covers(span)));
        found
    }

    /// The damaged pages.
    pub(crate) fn spans(&self) -> Vec<DamagedRange> {
        if !self.is_there.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.spans.read().clone()
    }

    /// Describes the known damage for the operator; `None` if there is none.
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

    /// The damaged page around this key.
    pub(crate) fn at(&self, key: &[u8]) -> Option<DamagedRange> {
        self.find(|span| span.contains(key))
    }

    /// Refuses a key in a damaged page.
    pub(crate) fn check(&self, key: &[u8]) -> Result<(), ReadFault> {
        self.at(key).map_or(Ok(()), |span| Err(span.fault()))
    }

    /// The first damaged page at or after a key.
    pub(crate) fn next(&self, from: &[u8]) -> Option<DamagedRange> {
        self.find(|span| *span.from >= *from)
    }

    fn find(&self, is_wanted: impl FnMut(&&DamagedRange) -> bool) -> Option<DamagedRange> {
        if !self.is_there.load(Ordering::Acquire) {
            return None;
        }
        self.spans.read().iter().find(is_wanted).cloned()
    }

    /// The part of a walk through `from <= key < to` before a damaged page.
    pub(crate) fn readable<'a>(
        spans: &'a [DamagedRange],
        from: &'a [u8],
        to: &'a [u8],
        newest_first: bool,
    ) -> ReadablePart<'a> {
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
            ReadablePart {
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
            ReadablePart {
                bounds: met
                    .is_none_or(|span| *span.from > *from)
                    .then_some((Bound::Included(from), Bound::Excluded(to))),
                edge: next.and_then(DamagedRange::last_before),
                met,
            }
        }
    }
}

/// The bounds of a walk.
pub(crate) type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// The readable part of a walk.
pub(crate) struct ReadablePart<'a> {
    /// The bounds of the walk; `None` if it is empty.
    pub(crate) bounds: Option<Bounds<'a>>,
    /// The edge of the damaged page ahead, or of the next one.
    /// This is the last key before the page, or for a reverse walk the first key after it. An entry
    /// there may not exist.
    pub(crate) edge: Option<&'a [u8]>,
    /// The damaged page at the end of the walk.
    met: Option<&'a DamagedRange>,
}

impl ReadablePart<'_> {
    /// The result at the end of the walk.
    pub(crate) fn end(&self) -> Result<(), ReadFault> {
        self.met.map_or(Ok(()), |span| Err(span.fault()))
    }
}

/// The findings of a check of pages.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The size of the checked pages, in bytes.
    pub(crate) bytes: u64,
    /// The damaged pages.
    pub(crate) damaged: Vec<DamagedRange>,
    /// Whether the disk failed to read; a retry may succeed.
    pub(crate) is_unread: bool,
    /// The engine key to continue from; `None` when all is checked.
    pub(crate) next: Option<Vec<u8>>,
}

/// One state of an engine's pages, unchanged while this lives.
pub(crate) trait Pages: Send + Sync {
    /// Checks all pages.
    fn check_all(&self) -> Result<Checked, StorageError>;

    /// Checks the pages of entries from a key on, about `at_most` pages.
    fn check_some(&self, from: &[u8], at_most: u64) -> Result<Checked, StorageError>;

    /// Checks the findings once more; returns the spans still damaged.
    fn check_again(&self, found: &[DamagedRange]) -> Result<Vec<DamagedRange>, StorageError>;
}
