//! A cache of parsed rows, to parse each version once.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use parking_lot::RwLock;

use crate::storage::Value;

/// Values parsed from `N` rows each, by key.
///
/// The rows are read for every request, so a change by any process takes effect at once. Only
/// parsing unchanged rows again is saved.
pub(crate) struct ParseCache<K, P, const N: usize> {
    known: RwLock<CachedRows<K, P, N>>,
}

struct CachedRows<K, P, const N: usize> {
    parsed: HashMap<K, ([Value; N], Arc<P>)>,
    /// The weight of all entries.
    bytes: usize,
}

/// The most bytes of cached rows; with more, all are dropped.
/// A parsed value takes about as much memory as its row.
const MOST_BYTES: usize = 32 << 20;

/// The weight of an entry in bytes, without its rows.
const ENTRY_BYTES: usize = 256;

impl<K, P, const N: usize> Default for ParseCache<K, P, N> {
    fn default() -> Self {
        Self {
            known: RwLock::new(CachedRows {
                parsed: HashMap::new(),
                bytes: 0,
            }),
        }
    }
}

impl<K: Eq + Hash, P, const N: usize> ParseCache<K, P, N> {
    /// Returns the value under this key, if parsed from the same rows.
    pub(crate) fn get(&self, key: &K, rows: &[Value; N]) -> Option<Arc<P>> {
        let known = self.known.read();
        let (known_rows, parsed) = known.parsed.get(key)?;
        let is_same = known_rows.iter().zip(rows).all(|(one, other)| {
            // Cheap when the store returned the very same bytes.
            Arc::ptr_eq(one, other) || one == other
        });
        is_same.then(|| Arc::clone(parsed))
    }

    /// Stores a parsed value with its rows, replacing an earlier one.
    pub(crate) fn put(&self, key: K, rows: [Value; N], parsed: P) -> Arc<P> {
        let parsed = Arc::new(parsed);
        let added = weight(&rows);
        let mut known = self.known.write();
        if let Some((before, _)) = known.parsed.remove(&key) {
            known.bytes -= weight(&before);
        }
        if known.bytes + added > MOST_BYTES {
            known.parsed.clear();
            known.bytes = 0;
        }
        if added <= MOST_BYTES {
            known.bytes += added;
            known.parsed.insert(key, (rows, Arc::clone(&parsed)));
        }
        parsed
    }
}

fn weight(rows: &[Value]) -> usize {
    ENTRY_BYTES + rows.iter().map(|row| row.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(byte: u8, length: usize) -> [Value; 1] {
        [Value::from(vec![byte; length])]
    }

    #[test]
    fn what_was_parsed_is_found_while_the_rows_are_the_same() {
        let parsed = ParseCache::default();
        parsed.put("key", row(1, 10), "one");
        assert_eq!(parsed.get(&"key", &row(1, 10)).as_deref(), Some(&"one"));
        assert_eq!(parsed.get(&"key", &row(2, 10)), None);
        assert_eq!(parsed.get(&"other", &row(1, 10)), None);
        parsed.put("key", row(2, 10), "two");
        assert_eq!(parsed.get(&"key", &row(2, 10)).as_deref(), Some(&"two"));
        assert_eq!(parsed.known.read().bytes, ENTRY_BYTES + 10);
    }

    #[test]
    fn the_rows_are_bounded_by_their_bytes() {
        let parsed = ParseCache::default();
        for key in 0..1_000 {
            parsed.put(key, row(0, 1 << 20), ());
            let known = parsed.known.read();
            assert!(known.bytes <= MOST_BYTES);
            let weights = known.parsed.values().map(|(rows, _)| weight(rows));
            assert_eq!(weights.sum::<usize>(), known.bytes);
        }
        assert_ne!(parsed.get(&999, &row(0, 1 << 20)), None);
        parsed.put(1_000, row(0, MOST_BYTES), ());
        assert_eq!(parsed.known.read().bytes, 0);
    }

    #[test]
    fn as_much_is_kept_as_there_is_room_for() {
        let parsed = ParseCache::default();
        let half = MOST_BYTES / 2 - ENTRY_BYTES;
        for key in [1, 2] {
            parsed.put(key, row(0, half), ());
        }
        let is_kept = |key| parsed.get(&key, &row(0, half)).is_some();
        assert!(is_kept(1) && is_kept(2));
        // One more, and the others are forgotten.
        parsed.put(3, row(0, half), ());
        assert!(!is_kept(1) && !is_kept(2) && is_kept(3));
    }
}
