//! The load of a kill test, and its notes and findings.

/// The work of the lanes, the same for every round.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The number of lanes with their own guard: up to 200.
    pub lanes: u8,
    /// The number of recent commits with rows kept, per lane.
    pub kept: u64,
    /// The number of commits between two large commits of a lane.
    pub large_every: u64,
    /// The number of rows rewritten by a large commit.
    pub large_rows: u32,
}

/// Eight lanes; every 200th commit of a lane rewrites 5000 rows.
impl Default for Load {
    fn default() -> Self {
        Self {
            lanes: 8,
            kept: 600,
            large_every: 200,
            large_rows: 5000,
        }
    }
}

/// A commit acknowledged to its writer, or seen by a reader.
/// It must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The lane.
    /// The lane of single rows has the number after the last lane with a guard.
    pub lane: u8,
    /// The commit's number in the lane.
    pub number: u64,
}

/// The contents of the store, as found by [`check`](super::check).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreContents {
    /// The number of commits so far, over all lanes and rounds.
    pub commits: u64,
    /// The number of rows in the store, entries and guards included.
    pub rows: usize,
}
