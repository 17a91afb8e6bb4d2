//! The idempotency keys recently used in this process.
//!
//! A repeated request is answered from its stored answer alone, without the write queue, and without
//! parsing its body. This is only a hint: for a missing key, or one without an answer, the queue decides.

use std::collections::HashSet;

use parking_lot::Mutex;

use crate::storage::Key;

/// The remembered keys of stored answers.
#[derive(Default)]
pub(crate) struct ReplayHints {
    keys: Mutex<HashSet<Key>>,
}

/// The most keys; beyond them, all are forgotten.
const MOST: usize = 20_000;

impl ReplayHints {
    /// Remembers the key of an answer.
    pub(super) fn remember(&self, key: Key) {
        let mut keys = self.keys.lock();
        if keys.len() >= MOST {
            keys.clear();
        }
        keys.insert(key);
    }

    /// Returns true if a key was recently used.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.keys.lock().contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_keys_are_remembered_and_no_more_than_there_may_be() {
        let recent = ReplayHints::default();
        let key = |number: usize| Key::from(number.to_be_bytes());
        for number in 0..MOST {
            recent.remember(key(number));
        }
        assert!(recent.has(&key(0)) && !recent.has(&key(MOST)));
        recent.remember(key(MOST));
        assert!(recent.has(&key(MOST)) && !recent.has(&key(0)));
    }
}
