//! One state of the rows: the engine's, and what is laid over it.

use std::{collections::BTreeMap, ops::Bound, sync::Arc};

use super::{
    engine::{Engine, Fault, Snapshot},
    engine_keys::{self},
    layout::{self, Was},
    pending::Pending,
};
use crate::storage::{Key, Range, StorageError, Value};

/// One state, complete.
pub(super) struct Shown<E: Engine> {
    /// Gone while the database is opened again.
    pub(super) snapshot: Option<E::Snapshot>,
    pub(super) hidden: Slots,
    pub(super) pending: Option<Arc<Pending>>,
    /// Set when nobody knows if the hidden group was applied.
    pub(super) doubt: Option<StorageError>,
}

/// The keys of a group, with what they held before and hold after it.
pub(super) type Slots = BTreeMap<Key, Slot>;

/// A key that commits of the group expect something of or write.
pub(super) struct Slot {
    pub(super) before: Before,
    /// The value of the key after the commits so far, if one of them writes it.
    pub(super) after: Option<Option<Value>>,
}

/// The value of a key before the group.
pub(super) enum Before {
    /// This value, or none.
    Is(Option<Value>),
    /// A damaged row, and what can still be told of it.
    Unreadable(StorageError, Was),
    /// Nobody has looked; readers find it in their snapshot.
    InSnapshot,
}

impl<E: Engine> Shown<E> {
    pub(super) fn snapshot(&self) -> Result<&E::Snapshot, Fault> {
        self.snapshot
            .as_ref()
            .ok_or_else(|| Fault::Damaged(StorageError::new("the database is being opened again")))
    }

    /// Says that something is laid over the keys `from <= key < to`.
    pub(super) fn lies_over(&self, from: &[u8], to: &[u8]) -> bool {
        let range = Range { from, to: Some(to) };
        let pending = self.pending.as_deref();
        let bounds = (Bound::Included(from), Bound::Excluded(to));
        self.hidden.range::<[u8], _>(bounds).next().is_some()
            || pending.is_some_and(|pending| !pending.range(range).is_empty())
    }
}

/// Reads a row from the engine.
pub(super) fn row<S: Snapshot>(
    snapshot: &S,
    key: &[u8],
    part_len: usize,
) -> Result<Option<Value>, Fault> {
    let engine_key = engine_keys::row_key(key);
    let decode = |stored: &[u8]| layout::decode(snapshot, &engine_key, stored, part_len);
    snapshot.get(&engine_key, decode)?.transpose()
}
