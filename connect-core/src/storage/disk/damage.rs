//! The damaged parts of an engine's files, and their detection.
//!
//! redb keeps a checksum of every page in the page above it, without checking them on reads. A
//! flipped bit in a branch page silently shortens lists, and a page of zeros makes redb panic. The
//! pages are therefore checked separately. Once a page is known to be damaged, every read that
//! needs it is refused.

use std::{
    fmt,
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::RwLock;

use super::{
    engine_keys::{self, ROWS_END},
    fault::{Damage, ReadFault, SHOWN},
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

/// Names the rows for the log, by their keys in hexadecimal digits.
impl fmt::Display for DamagedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadableKeys { from, to } = self.rows();
        let shown = |key: &[u8]| hex::encode(&key[..key.len().min(SHOWN)]);
        if self.row.is_some() {
            return write!(f, "row {}", shown(&from));
        }
        match from.is_empty() {
            true => f.write_str("rows from the first to ")?,
            false => write!(f, "rows from {} to ", shown(&from))?,
        }
        f.write_str(&to.map_or("the last".into(), |to| shown(&to)))
    }
}

/// Describes damage for the operator; `None` if there is none.
pub(super) fn describe(spans: &[DamagedRange]) -> Option<String> {
    let rows = spans.iter().filter(|span| span.row.is_some()).count();
    let pages = spans.len() - rows;
    (!spans.is_empty()).then(|| {
        format!(
            "the file of the store is damaged (pages: {pages}, single rows: {rows}); run \
             `connect-server check`, and restore the whole folder from a copy without damage"
        )
    })
}

/// The known damage.
#[derive(Debug, Default)]
pub(crate) struct DamagedPages {
    is_there: AtomicBool,
    /// Spans in the order of their keys, none within another, so both ends rise. Spans of pages are
    /// apart; spans of rows reach to the rows beside them.
    spans: RwLock<Arc<[DamagedRange]>>,
}

impl DamagedPages {
    /// Adds damaged pages; returns whether one of them is new.
    pub(crate) fn add(&self, found: &[DamagedRange]) -> bool {
        let mut spans = self.spans.write();
        let known = spans.iter().map(|span| (span.clone(), false));
        let mut all: Vec<_> = known
            .chain(found.iter().map(|span| (span.clone(), true)))
            .collect();
        // A whole page may be lost after its first row, and the page above after both. The longest span comes
        // first here, and covers the next ones.
        all.sort_by(|(one, _), (other, _)| {
            let end = |span: &DamagedRange| (span.to.is_none(), span.to.clone());
            let by_end = || end(other).cmp(&end(one));
            one.from.cmp(&other.from).then_with(by_end)
        });
        all.dedup_by(|(next, _), (before, _)| before.covers(next));
        let is_new = all.iter().any(|(_, is_found)| *is_found);
        *spans = all.into_iter().map(|(span, _)| span).collect();
        self.is_there.store(!spans.is_empty(), Ordering::Release);
        is_new
    }

    /// Returns the pages among these without known damage.
    pub(crate) fn unknown(&self, mut found: Vec<DamagedRange>) -> Vec<DamagedRange> {
        let known = self.spans();
        found.retain(|span| {
            let begun = known.partition_point(|known| known.from <= span.from);
            let last = known[..begun].last();
            !last.is_some_and(|known| known.covers(span))
        });
        found
    }

    /// The damaged pages.
    pub(crate) fn spans(&self) -> Arc<[DamagedRange]> {
        if !self.is_there.load(Ordering::Acquire) {
            return Arc::default();
        }
        self.spans.read().clone()
    }

    /// The damaged page around this key.
    pub(crate) fn at(&self, key: &[u8]) -> Option<DamagedRange> {
        let spans = self.spans();
        let first = spans.partition_point(|span| !span.ends_after(key));
        spans.get(first).filter(|span| span.contains(key)).cloned()
    }

    /// Refuses a key in a damaged page.
    pub(crate) fn check(&self, key: &[u8]) -> Result<(), ReadFault> {
        self.at(key).map_or(Ok(()), |span| Err(span.fault()))
    }

    /// The first damaged page at or after a key.
    pub(crate) fn next(&self, from: &[u8]) -> Option<DamagedRange> {
        let spans = self.spans();
        let first = spans.partition_point(|span| *span.from < *from);
        spans.get(first).cloned()
    }

    /// The part of a walk through `from <= key < to` before a damaged page.
    pub(crate) fn readable<'a>(
        spans: &'a [DamagedRange],
        from: &'a [u8],
        to: &'a [u8],
        newest_first: bool,
    ) -> ReadablePart<'a> {
        let (before, rest) = spans.split_at(spans.partition_point(|span| !span.ends_after(from)));
        let (met, ahead) = rest.split_at(rest.partition_point(|span| *span.from < *to));
        if newest_first {
            let met = met.last();
            let start = match met {
                Some(span) => span.to.as_deref(),
                None => Some(from),
            };
            ReadablePart {
                bounds: start.filter(|start| *start < to).map(|start| {
                    let end = match ahead.first().filter(|next| *next.from == *to) {
                        Some(next) => Bound::Included(next.last_before().unwrap_or_default()),
                        None => Bound::Excluded(to),
                    };
                    (Bound::Included(start), end)
                }),
                edge: met.or(before.last()).and_then(|edge| edge.to.as_deref()),
                met,
            }
        } else {
            let met = met.first();
            ReadablePart {
                bounds: met
                    .is_none_or(|span| *span.from > *from)
                    .then_some((Bound::Included(from), Bound::Excluded(to))),
                edge: met.or(ahead.first()).and_then(DamagedRange::last_before),
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

impl Checked {
    /// The finding of a damaged path to all entries.
    pub(crate) fn of_everything() -> Self {
        let everything = DamagedRange {
            from: Vec::new(),
            to: None,
            row: None,
        };
        Self {
            damaged: vec![everything],
            ..Self::default()
        }
    }
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

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::*;

    fn span(from: u8, to: u8) -> DamagedRange {
        DamagedRange {
            from: vec![from],
            to: (to < u8::MAX).then(|| vec![to]),
            row: None,
        }
    }

    /// Looks at all spans, one by one.
    #[test]
    fn the_damage_at_a_key_is_found_among_all() {
        let mut random = StdRng::seed_from_u64(35);
        for _ in 0..500 {
            let (damage, mut all) = (DamagedPages::default(), Vec::new());
            for _ in 0..random.random_range(0..4) {
                let mut one = || {
                    let from = random.random_range(1..250);
                    span(from, random.random_range(from + 1..=u8::MAX))
                };
                let found = [one(), one()];
                let is_new =
                    |new: &&DamagedRange| !all.iter().any(|known: &DamagedRange| known.covers(new));
                let new: Vec<_> = found.iter().filter(is_new).cloned().collect();
                assert_eq!(damage.unknown(found.to_vec()), new);
                assert_eq!(damage.add(&found), !new.is_empty());
                all.extend(found);
            }
            let kept = damage.spans();
            assert!(kept.is_sorted_by(|one, next| one.from < next.from && !one.covers(next)));
            assert!(kept.iter().all(|span| all.contains(span)));
            for key in 0..=u8::MAX {
                let key = [key];
                let is_damaged = all.iter().any(|span| span.contains(&key));
                assert_eq!(damage.check(&key).is_err(), is_damaged);
                let next = kept.iter().find(|span| span.from[..] >= key[..]);
                assert_eq!(damage.next(&key).as_ref(), next);
            }
            let (from, to) = (random.random_range(0..200), random.random_range(201..250));
            let met = |key: &u8| all.iter().any(|span| span.contains(&[*key]));
            for newest_first in [false, true] {
                let (first, end) = ([from], [to]);
                let part = DamagedPages::readable(&kept, &first, &end, newest_first);
                let mut keys: Vec<_> = (from..to).collect();
                if newest_first {
                    keys.reverse();
                }
                let until = keys.iter().position(met);
                assert_eq!(part.end().is_err(), until.is_some());
                let is_empty = until.unwrap_or(keys.len()) == 0;
                assert_eq!(part.bounds.is_none(), is_empty);
            }
        }
    }

    #[test]
    fn a_damaged_part_is_named_by_its_rows() {
        let named = |from: &[u8], to: Option<&[u8]>, row: Option<&[u8]>| {
            let [to, row] = [to, row].map(|key| key.map(<[u8]>::to_vec));
            DamagedRange {
                from: from.to_vec(),
                to,
                row,
            }
            .to_string()
        };
        assert_eq!(named(b"rab\0", Some(b"rb"), None), "rows from 616200 to 62");
        assert_eq!(
            named(b"", Some(b"s"), None),
            "rows from the first to the last"
        );
        assert_eq!(named(b"", None, None), "rows from the first to the last");
        assert_eq!(named(b"ra", Some(b"rc"), Some(b"rb")), "row 62");
        let long = [b'r'; 4000];
        assert!(named(&long, None, None).len() < 300);
    }
}
