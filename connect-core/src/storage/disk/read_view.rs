//! One state of the rows: the engine's, with an overlay.

use std::collections::BTreeMap;

use super::{
    engine::{Engine, ReadFault},
    layout::Was,
};
use crate::storage::{Key, StorageError, Value};

/// One complete state.
pub(super) struct ReadView<E: Engine> {
    /// `None` while the database is being reopened.
    pub(super) snapshot: Option<E::Snapshot>,
    pub(super) hidden: GroupKeys,
    /// Set when the outcome of the hidden group is unknown.
    pub(super) suspicion: Option<StorageError>,
}

/// The keys of a group, with their values before and after it.
pub(super) type GroupKeys = BTreeMap<Key, GroupKey>;

/// A key written or expected by commits of the group.
pub(super) struct GroupKey {
    pub(super) before: Preimage,
    /// The key's value after the commits so far, if written.
    pub(super) after: Option<Option<Value>>,
}

/// The value of a key before the group.
pub(super) enum Preimage {
    /// This value, or none.
    Is(Option<Value>),
    /// A damaged row, with its remaining readable data.
    Unreadable(StorageError, Was),
    /// The value was not read; readers find it in their snapshot.
    InSnapshot,
}

impl<E: Engine> ReadView<E> {
    /// The state of a snapshot, without an overlay.
    pub(super) fn of(snapshot: E::Snapshot) -> Self {
        Self {
            snapshot: Some(snapshot),
            hidden: GroupKeys::new(),
            suspicion: None,
        }
    }

    pub(super) fn snapshot(&self) -> Result<&E::Snapshot, ReadFault> {
        self.snapshot.as_ref().ok_or_else(|| {
            ReadFault::Damaged(StorageError::new("the database is being opened again"))
        })
    }
}
