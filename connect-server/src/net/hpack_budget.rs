//! The memory kept by the header table of an HTTP/2 connection.

use std::sync::Arc;

use super::activity::Activity;

/// The most entries of a table of 4096 bytes (RFC 7541).
/// Each counts 32 bytes beside its text.
const ENTRIES: usize = 4096 / 32;

/// The largest buffer kept by an entry.
const BUFFER: usize = 16 * 1024;

/// The bytes left uncounted, since every connection keeps some.
const ORDINARY: usize = 64 * 1024;

/// An estimate of the bytes kept by a connection's header table.
/// Bytes beyond 64 KiB count as held by the connection.
///
/// h2 keeps an entry as a slice of its read buffer, and so the whole buffer. A client sending one short
/// entry with each 16 KiB keeps 500 times the 4 KiB allowed for its table.
#[derive(Debug)]
pub(super) struct HeaderTable {
    activity: Arc<Activity>,
    bytes: usize,
    /// Bytes read since the last head.
    since_head: usize,
}

impl HeaderTable {
    pub(super) fn new(activity: Arc<Activity>) -> Self {
        Self {
            activity,
            bytes: 0,
            since_head: 0,
        }
    }

    /// Counts bytes read, with the number of request heads in them.
    /// Returns the estimate.
    pub(super) fn received(&mut self, bytes: usize, heads: usize) -> usize {
        self.since_head = self.since_head.saturating_add(bytes);
        if heads == 0 {
            return self.bytes;
        }
        let before = self.bytes;
        for _ in 0..heads {
            let buffer = std::mem::take(&mut self.since_head).min(BUFFER);
            // The table is as large as its last entries: an average over them.
            self.bytes = self.bytes - self.bytes / ENTRIES + buffer;
        }
        self.count(before, self.bytes);
        self.bytes
    }

    fn count(&self, before: usize, now: usize) {
        let (before, now) = (
            before.saturating_sub(ORDINARY),
            now.saturating_sub(ORDINARY),
        );
        // For an ordinary client both are 0.
        // Skipping it saves a write to memory shared by connections.
        if before != now {
            self.activity.replace(before, now);
        }
    }
}

impl Drop for HeaderTable {
    fn drop(&mut self) {
        self.count(self.bytes, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::budget::Budget, *};

    #[test]
    fn a_table_counts_the_buffers_of_its_entries() {
        let budget = Budget::new(0);
        let activity = Arc::new(Activity::new(budget.clone()));
        let mut table = HeaderTable::new(activity.clone());
        let about = |bytes: usize| bytes * 98 / 100..=bytes;
        // Several heads share a buffer.
        assert!(about(600).contains(&table.received(600, 3)), "{table:?}");
        // Bytes before a head are in its buffer.
        table.received(1000, 0);
        assert!(about(1600).contains(&table.received(0, 1)), "{table:?}");
        for _ in 0..10 * ENTRIES {
            table.received(1 << 20, 1);
        }
        let full = ENTRIES * BUFFER;
        assert!((full * 9 / 10..=full).contains(&table.bytes), "{table:?}");
        let counted = table.bytes - ORDINARY;
        assert_eq!((activity.held(), budget.used()), (counted, counted));
        for _ in 0..10 * ENTRIES {
            table.received(200, 1);
        }
        assert!(table.bytes < 40_000, "{table:?}");
        assert_eq!((activity.held(), budget.used()), (0, 0));
        drop(table);
        assert_eq!((activity.held(), budget.used()), (0, 0));
    }
}
