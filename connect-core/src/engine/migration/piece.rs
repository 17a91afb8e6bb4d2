//! A piece of the work of a migration.

use crate::storage::{Commit, Key};

/// A piece of the work on a partition.
#[derive(Default)]
pub(super) struct MigrationPiece {
    /// The commit; `None` if the rows need none.
    pub(super) commit: Option<Commit>,
    /// The start of the next piece; `None` at the end of the partition.
    pub(super) next: Option<Key>,
}

impl From<Option<Commit>> for MigrationPiece {
    fn from(commit: Option<Commit>) -> Self {
        Self { commit, next: None }
    }
}
