//! A limit on the bytes held at a time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use tokio::sync::Notify;

/// The bytes of one kind held by the server or by a connection, with their limit.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    used: AtomicUsize,
    /// The server's budget, for one of a connection: its bytes count there too.
    whole: Option<Arc<Budget>>,
    freed: Notify,
}

impl Budget {
    pub(super) fn new(most: usize, whole: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            most,
            used: AtomicUsize::new(0),
            whole,
            freed: Notify::new(),
        })
    }

    /// Returns the held bytes.
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Returns the held bytes beyond the limit.
    pub(super) fn excess(&self) -> usize {
        self.used().saturating_sub(self.most)
    }

    /// Waits until the limit of a connection is kept.
    pub(super) async fn room(&self) {
        loop {
            // Only bytes freed from here on wake it, so the check comes after.
            let freed = self.freed.notified();
            if self.excess() == 0 {
                return;
            }
            freed.await;
        }
    }

    fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Relaxed);
        if let Some(whole) = &self.whole {
            whole.take(bytes);
        }
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
        if let Some(whole) = &self.whole {
            whole.give_back(bytes);
            self.freed.notify_waiters();
        }
    }
}

/// The largest body allowed to use the whole budget.
/// Larger ones leave a quarter of it, so small requests are served while large ones are refused.
const SMALL: usize = 64 * 1024;

/// The bytes held by one request, or by a header table, in their budget.
/// Given back when dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: AtomicUsize,
}

impl Held {
    pub(super) fn none_of(budget: &Arc<Budget>) -> Self {
        Self {
            budget: budget.clone(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Takes more bytes. Returns whether there is room for them.
    pub fn take(&self, more: usize) -> bool {
        let with_more = |used| self.with(used, more);
        let taken = self.budget.used.fetch_update(Relaxed, Relaxed, with_more);
        if taken.is_ok() {
            self.bytes.fetch_add(more, Relaxed);
        }
        taken.is_ok()
    }

    /// Returns whether this many bytes have room now, without taking them.
    pub(super) fn has_room_for(&self, more: usize) -> bool {
        self.with(self.budget.used(), more).is_some()
    }

    /// The use of the budget with more bytes of this body, if they fit.
    fn with(&self, used: usize, more: usize) -> Option<usize> {
        let is_small = self.bytes.load(Relaxed).saturating_add(more) <= SMALL;
        let spared = if is_small { 0 } else { self.budget.most / 4 };
        let with_more = used.checked_add(more)?;
        (with_more <= self.budget.most - spared).then_some(with_more)
    }

    /// Counts this many bytes instead, in memory already whether or not they fit.
    pub(super) fn set(&self, bytes: usize) {
        let before = self.bytes.swap(bytes, Relaxed);
        // Skipping equal counts saves a write to memory shared by connections.
        if before != bytes {
            self.budget.take(bytes);
            self.budget.give_back(before);
        }
    }

    /// Counts more bytes, in memory already whether or not they fit.
    pub(super) fn add(&self, more: usize) {
        self.bytes.fetch_add(more, Relaxed);
        self.budget.take(more);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.give_back(*self.bytes.get_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_leave_room_for_small_ones_and_all_is_given_back() {
        let budget = Budget::new(4 * SMALL, None);
        let large = Held::none_of(&budget);
        assert!(large.take(3 * SMALL));
        assert!(!large.take(1) && !large.has_room_for(1));
        let small = Held::none_of(&budget);
        assert!(small.has_room_for(SMALL) && small.take(SMALL));
        assert!(!Held::none_of(&budget).take(1));
        assert_eq!(budget.used(), 4 * SMALL);
        drop(large);
        assert_eq!(budget.used(), SMALL);
        drop(small);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn an_absurd_length_does_not_fit() {
        let held = Held::none_of(&Budget::new(usize::MAX, None));
        assert!(held.take(1));
        assert!(!held.has_room_for(usize::MAX));
        assert!(!held.take(usize::MAX));
    }
}
