//! Finds stuck answers, without a timer for each.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The answers under way on a connection, by the round of their last move.
///
/// A new round begins once in a while. Only two rounds are known: the one under way and the one before.
/// An answer still in the earlier one at the next turn has not moved for at least a whole round.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The index of the round under way.
    now: AtomicUsize,
    answers: [AtomicUsize; 2],
}

impl Rounds {
    /// Enters an answer in the round under way, and returns the round.
    pub(super) fn enter(&self) -> usize {
        let now = self.now.load(Relaxed);
        self.answers[now].fetch_add(1, Relaxed);
        now
    }

    /// Takes an answer out of its round.
    pub(super) fn leave(&self, round: usize) {
        self.answers[round].fetch_sub(1, Relaxed);
    }

    /// Begins the next round, unless an answer is stuck.
    /// A stuck answer has not moved since before this round. Returns whether there is one.
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
        // One answer moves, and a second one enters.
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
