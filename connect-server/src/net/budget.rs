//! A limit on the bytes held at a time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The bytes of one kind held by the server, with their limit.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Arc<Self> {
        let used = AtomicUsize::new(0);
        Arc::new(Self { most, used })
    }

    /// Returns the held bytes.
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Returns the held bytes beyond the limit.
    pub(super) fn excess(&self) -> usize {
        self.used().saturating_sub(self.most)
    }

    /// Takes bytes already in memory, whether or not they fit.
    pub(super) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Relaxed);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    /// Replaces a count of taken bytes by a new one.
    pub(super) fn replace(&self, before: usize, now: usize) {
        self.take(now);
        self.give_back(before);
    }

    /// Takes bytes if they fit and leave `spared` bytes free.
    fn try_take(&self, bytes: usize, spared: usize) -> bool {
        let most = self.most.saturating_sub(spared);
        let fits = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= most);
        self.used.fetch_update(Relaxed, Relaxed, fits).is_ok()
    }
}

/// The largest body allowed to use the whole budget.
/// Larger ones leave a quarter of it, so small requests are served while large ones are refused.
const SMALL: usize = 64 * 1024;

/// The bytes of bodies held by one request, in the shared budget.
/// Given back when dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: AtomicUsize,
}

impl Held {
    pub(super) fn none_of(budget: Arc<Budget>) -> Arc<Self> {
        let bytes = AtomicUsize::new(0);
        Arc::new(Self { budget, bytes })
    }

    /// Takes more bytes. Returns whether there is room for them.
    pub fn take(&self, more: usize) -> bool {
        let fits = self.budget.try_take(more, self.spared(more));
        if fits {
            self.bytes.fetch_add(more, Relaxed);
        }
        fits
    }

    /// Returns whether this many bytes have room now, without taking them.
    pub(super) fn has_room_for(&self, more: usize) -> bool {
        let left = self.budget.most.saturating_sub(self.budget.used());
        left.checked_sub(self.spared(more))
            .is_some_and(|left| more <= left)
    }

    /// The bytes kept free for small bodies when this one grows.
    fn spared(&self, more: usize) -> usize {
        let whole = self.bytes.load(Relaxed).saturating_add(more);
        if whole <= SMALL {
            0
        } else {
            self.budget.most / 4
        }
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
        let budget = Budget::new(4 * SMALL);
        let large = Held::none_of(budget.clone());
        assert!(large.take(3 * SMALL));
        assert!(!large.take(1) && !large.has_room_for(1));
        let small = Held::none_of(budget.clone());
        assert!(small.has_room_for(SMALL) && small.take(SMALL));
        assert!(!Held::none_of(budget.clone()).take(1));
        assert_eq!(budget.used(), 4 * SMALL);
        drop(large);
        assert_eq!(budget.used(), SMALL);
        drop(small);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn an_absurd_length_does_not_fit() {
        let held = Held::none_of(Budget::new(usize::MAX));
        assert!(held.take(1));
        assert!(!held.has_room_for(usize::MAX));
        assert!(!held.take(usize::MAX));
    }
}
