//! Repeatable random numbers.

/// A small generator (xorshift64*): the same numbers everywhere, always.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number from 0 to below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) % (end.max(1) as u64)) as usize
    }

    /// `true` once in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Incompressible bytes.
    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let words = (0..=len / 8).flat_map(|_| self.next().to_be_bytes());
        words.take(len).collect()
    }
}
