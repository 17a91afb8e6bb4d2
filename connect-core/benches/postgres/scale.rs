//! The sizes of all that is measured.

use std::time::Duration;

/// Sizes, of a whole run or of one to try it out.
#[derive(Clone, Copy)]
pub struct Scale {
    /// The products of the large store.
    pub products: usize,
    pub rounds: usize,
    /// Batches in a round.
    pub batches: usize,
    /// Single creates, or commits, in a round.
    pub singles: usize,
    /// Reads of one product in a round; of pages there are a tenth.
    pub reads: usize,
    /// The time of a round with several servers.
    pub turn: Duration,
    /// Records whose bytes are counted.
    pub records: usize,
}

impl Scale {
    pub const WHOLE: Self = Self {
        products: 100_000,
        rounds: 7,
        batches: 8,
        singles: 1600,
        reads: 2000,
        turn: Duration::from_secs(4),
        records: 20_000,
    };

    pub const QUICK: Self = Self {
        products: 2000,
        rounds: 1,
        batches: 2,
        singles: 96,
        reads: 50,
        turn: Duration::from_millis(500),
        records: 1000,
    };
}
