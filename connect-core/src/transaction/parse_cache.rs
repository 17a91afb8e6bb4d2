//! A cache of parsed rows, to parse each version once.

use std::{hash::Hash, sync::Arc};

use quick_cache::{Weighter, sync::Cache};

use crate::storage::Value;

/// Values parsed from `N` rows each, by key.
///
/// The rows are read for every request, so a change by any process takes effect at once. Only
/// parsing unchanged rows again is saved.
pub(crate) struct ParseCache<K, P, const N: usize>(Cache<K, ParsedRows<P, N>, ByBytes>);

/// A parsed value, after its rows.
/// Shared as one, since requests on all processors count each reference.
type ParsedRows<P, const N: usize> = Arc<([Value; N], Arc<P>)>;

/// The most bytes of cached rows.
/// A parsed value takes about as much memory as its row.
const MOST_BYTES: u64 = 32 << 20;

/// The usual number of entries.
/// With so few, the cache has at most eight parts, each with room for the largest rows.
const USUAL: usize = 256;

/// The weight of an entry in bytes, without its rows.
const ENTRY_BYTES: usize = 256;

#[derive(Clone)]
struct ByBytes;

impl<K, P, const N: usize> Weighter<K, ParsedRows<P, N>> for ByBytes {
    fn weight(&self, _: &K, parsed: &ParsedRows<P, N>) -> u64 {
        let bytes: usize = parsed.0.iter().map(|row| row.len()).sum();
        (ENTRY_BYTES + bytes) as u64
    }
}

impl<K: Eq + Hash, P, const N: usize> Default for ParseCache<K, P, N> {
    fn default() -> Self {
        Self(Cache::with_weighter(USUAL, MOST_BYTES, ByBytes))
    }
}

impl<K: Eq + Hash, P, const N: usize> ParseCache<K, P, N> {
    /// Returns the value under this key, if parsed from the same rows.
    pub(crate) fn get(&self, key: &K, rows: &[Value; N]) -> Option<Arc<P>> {
        let known = self.0.get(key)?;
        let (known_rows, parsed) = &*known;
        let is_same = known_rows.iter().zip(rows).all(|(one, other)| {
            // Cheap when the store returned the very same bytes.
            Arc::ptr_eq(one, other) || one == other
        });
        is_same.then(|| parsed.clone())
    }

    /// Stores a parsed value with its rows, replacing an earlier one.
    pub(crate) fn put(&self, key: K, rows: [Value; N], parsed: P) -> Arc<P> {
        let parsed = Arc::new(parsed);
        self.0.insert(key, Arc::new((rows, parsed.clone())));
        parsed
    }
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
        assert_eq!(parsed.get(&"key", &row(1, 10)), None);
        assert_eq!(parsed.0.len(), 1);
    }

    #[test]
    fn rows_beyond_the_bytes_make_room_and_those_in_use_stay() {
        let parsed = ParseCache::default();
        let row = row(0, 1 << 20);
        for key in 0..1_000 {
            parsed.put(key, row.clone(), ());
            assert_ne!(parsed.get(&0, &row), None, "{key}");
        }
        // Within the bytes, and all parts together are in use.
        let rows = parsed.0.len();
        assert!((16..MOST_BYTES as usize >> 20).contains(&rows), "{rows}");
    }
}
