//! An ordered key space with atomic compare-and-commit: the interface of a backend.
//!
//! A backend has three methods: [`Storage::read`], [`Storage::commit`] and [`Storage::lock`]. It
//! knows nothing of products. The core builds the service's guarantees (one commit per change, a
//! change clock per location, idempotency) above this trait, once, from the promises below. A new
//! backend is therefore small and free of domain logic.
//!
//! On a remote store each method is one round trip. An operation of the core takes two or three: a
//! `read` of everything it needs, and a `commit`.
//!
//! The promises of a backend, each checked by `conformance`:
//!
//! 1. **Order.** Keys compare as unsigned bytes; a scan returns them in this order, or in reverse.
//! 2. **One state.** All reads of one `read` see every commit entirely or not at all, long values
//!    included.
//! 3. **Fresh.** A `read` sees every commit acknowledged before the call.
//! 4. **All or nothing.** A commit checks every expectation, then applies every write. When one
//!    expectation fails ([`CommitError::Conflict`]), or the store refuses
//!    ([`CommitError::NotApplied`]), nothing of the commit is applied.
//! 5. **Serial.** Commits with the same guard are applied one after another; a reader of a later
//!    one sees the earlier ones. Of two commits with the same expected version of a row, both
//!    writing it, one wins and the other gets [`CommitError::Conflict`].
//! 6. **Durable before seen.** Once `commit` has returned, or a `read` has shown a write, the write
//!    survives a killed process and a loss of power (for backends with persistence).
//! 7. **Progress.** Locks are granted in the order of the requests. The holder of a lock meets no
//!    conflict on rows written only under its guard. So a unit of work runs a bounded number of
//!    times; after that under a lock, which guarantees progress.
//! 8. **Lost locks.** When the holder of a lock dies, loses its connection, or exceeds the lease
//!    (10 seconds), the lock goes to the next caller, and a commit under the old lock is refused.
//! 9. **Cancellation.** Dropping the future of a commit leaves it applied or not applied, never in
//!    part, and blocks no other caller.
//! 10. **Reads do not wait** for a flush, nor for the commits of another guard.
//! 11. **Full disk.** A store without room refuses commits as [`CommitError::NotApplied`], answers
//!     every read, opens, and resumes by itself once there is room (for backends on a disk).
//!
//! A backend inside one process implements [`in_process::Local`] instead (`read` and `apply`), and
//! gets its locks from [`in_process::InProcess`]; [`answer`] builds the answers to all kinds of
//! reads from single look-ups and scans. Such a backend has to keep promises 1 to 4, 6, 10 and 11
//! itself. Its commits with one guard are serial because each expects the guard's previous value.

mod commit;
#[cfg(feature = "_disk")]
pub mod disk;
#[cfg(feature = "_disk")]
mod embedded;
#[cfg(test)]
pub(crate) mod failing_row;
pub mod in_process;
mod lease;
pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
mod read;
#[cfg(feature = "redb")]
pub mod redb;
mod rows_version;
#[cfg(feature = "sled")]
pub mod sled;

#[cfg(feature = "conformance")]
pub mod conformance;

use std::{fmt, sync::Arc};

use async_trait::async_trait;

pub(crate) use commit::is_small;
pub use commit::{Commit, CommitError, Expectation, Guard, Write};
pub use read::{Found, Range, Read, Snapshot, State, answer};
pub use rows_version::{NewerRows, RowsVersion};

/// A key: any bytes, the empty string included, up to [`MAX_KEY_LEN`].
pub type Key = Box<[u8]>;

/// A value: any bytes, the empty string included, up to [`MAX_VALUE_LEN`].
/// Cheap to clone: a read passes on a found value without copying it.
///
/// A value is its own version: a commit may expect a key to hold exactly these bytes. The rows used
/// for such decisions (guards) never hold the same bytes twice.
pub type Value = Arc<[u8]>;

/// A key and its value, as a scan returns them.
pub type Entry = (Key, Value);

/// The longest key, in bytes, for every backend to accept.
pub const MAX_KEY_LEN: usize = 2048;

/// The longest value, in bytes (16 MiB), for every backend to accept.
pub const MAX_VALUE_LEN: usize = 16 * 1024 * 1024;

/// A failure of the backend: disk full, connection lost, file damaged.
#[derive(Clone, Debug, thiserror::Error)]
#[error("storage is unavailable: {reason}")]
pub struct StorageError {
    reason: Arc<str>,
    keys: Option<Arc<UnreadableKeys>>,
    is_full: bool,
}

/// The unreadable keys, `from <= key < to`.
/// Without `to`, all to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableKeys {
    /// The first key of the range.
    pub from: Key,
    /// The end of the range, exclusive.
    pub to: Option<Key>,
}

impl StorageError {
    /// An error with its reason, in words for the operator's log.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string().into(),
            keys: None,
            is_full: false,
        }
    }

    /// The error of a storage on a full disk, with its reason.
    pub fn full(reason: impl fmt::Display) -> Self {
        Self {
            is_full: true,
            ..Self::new(reason)
        }
    }

    /// Returns whether the disk is full.
    /// A retry may succeed once there is room.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The same error with the range of unreadable keys, for a reader to continue after it.
    #[must_use]
    pub fn about(self, keys: UnreadableKeys) -> Self {
        Self {
            keys: Some(Arc::new(keys)),
            ..self
        }
    }

    /// The unreadable keys, where the storage knows them.
    pub fn unreadable_keys(&self) -> Option<&UnreadableKeys> {
        self.keys.as_deref()
    }
}

/// The storage under the core.
/// The [module](self) lists the promises of an implementation.
#[async_trait]
pub trait Storage: Send + Sync + 'static {
    /// Answers all reads from one committed state, in the order asked.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// Checks every expectation, then applies every write; returns once both are durable.
    /// Waits while another caller of this process holds the lock of the commit's guard. For another
    /// transaction on the guard it waits, or answers [`CommitError::Conflict`], also if that one
    /// then changes nothing.
    async fn commit(&self, commit: Commit) -> Result<(), CommitError>;

    /// Locks a guard: only the holder commits with it.
    /// The lock lasts until it is dropped or its lease ends. For a unit of work after a conflict.
    /// Waits for commits with this guard under way, cancelled ones included.
    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError>;

    /// Returns whether other processes may write to the store.
    /// There a small unit of work tries several times before it takes a lock.
    fn is_shared(&self) -> bool {
        false
    }
}

/// A lock on a guard.
/// Its commit uses it up, and dropping it releases it.
#[async_trait]
pub trait Locked: Send + Sync {
    /// As [`Storage::read`]. Sees every commit applied before the lock was granted.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// As [`Storage::commit`], for a commit with the locked guard.
    /// The lock ends with the commit, whether it succeeds or fails. After the end of the lease, the
    /// answer is [`CommitError::Conflict`]; for a commit with another guard, or none, it is
    /// [`CommitError::NotApplied`].
    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError>;
}
