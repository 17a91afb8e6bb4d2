//! The load of a test that kills a process, and what is noted and found of it.

/// The work of the lanes. The same for every round in one place.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The number of lanes that commit under a guard of their own: up to 200.
    pub lanes: u8,
    /// The number of commits of which a lane keeps the rows.
    pub kept: u64,
    /// The number of commits of a lane from one large commit to the next.
    pub large_every: u64,
    /// The number of rows that a large commit rewrites.
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

/// A commit that was acknowledged to its writer, or seen by a reader: it has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The lane; the one of single rows is numbered after those with a guard.
    pub lane: u8,
    /// The commit's number in the lane.
    pub number: u64,
}

/// The contents of the store, as [`check`](super::check) found them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of commits so far, over all lanes and rounds.
    pub commits: u64,
    /// The number of rows that the store holds, entries and guards included.
    pub rows: usize,
}
