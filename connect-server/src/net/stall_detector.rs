//! Finds answers that a client does not take, without a timer for each.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The answers under way on a connection, counted by the round in which each last moved.
///
/// A new round begins once a while, and only two of them are known: the one under way and the one
/// before. An answer that is still in the earlier one when the next would begin has not moved for
/// a whole round at least.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The index of the round under way.
    now: AtomicUsize,
    answers: [AtomicUsize; 2],
}

impl Rounds {
    /// Enters an answer in the round under way, which is returned.
    pub(super) fn enter(&self) -> usize {
        let now = self.now.load(Relaxed);
        self.answers[now].fetch_add(1, Relaxed);
        now
    }

    /// Takes an answer out of its round.
    pub(super) fn leave(&self, round: usize) {
        self.answers[round].fetch_sub(1, Relaxed);
    }

    /// Begins the next round, unless an answer has not moved since before this one. Returns whether
    /// one has not.
    pub(super) fn turn(&self) -> bool {
        let next = 1 - self.now.load(Relaxed);
        let is_stuck = self.answers[next].load(Relaxed) > 0;
        if !is_stuck {
            self.now.store(next, Relaxed);
        }
        is_stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_stuck_after_a_whole_round() {
        let rounds = Rounds::default();
        let moving = rounds.enter();
        assert!(!rounds.turn());
        // It moves, and so does another.
        rounds.leave(moving);
        let moving = rounds.enter();
        let still = rounds.enter();
        assert!(!rounds.turn());
        rounds.leave(moving);
        let moving = rounds.enter();
        assert!(rounds.turn() && rounds.turn());
        rounds.leave(still);
        assert!(!rounds.turn());
        rounds.leave(moving);
        assert!(!rounds.turn());
    }
}
