//! An ordered key space with atomic compare-and-commit: all that a backend has to be.
//!
//! Three methods make a backend: [`Storage::read`], [`Storage::commit`] and [`Storage::lock`].
//! Nothing here knows what a product is. The promises that the service makes (one commit per
//! change, a change clock per location, idempotency) are made once, above this trait, out of the
//! promises listed below, so a new backend is small and has nothing of the domain to get wrong.
//!
//! Each method is one round trip to a store on another machine, and whatever the core does takes
//! two or three of them: a `read` of everything it needs, and a `commit`.
//!
//! What a backend promises, and what `conformance` checks one by one:
//!
//! 1. **Order.** Keys compare as unsigned bytes; a scan returns them in that order, or in the
//!    reverse order.
//! 2. **One state.** All reads of one `read` see every commit entirely or not at all, long values
//!    included.
//! 3. **Fresh.** A `read` sees every commit that was acknowledged before it was called.
//! 4. **All or nothing.** A commit checks every expectation, then applies every write. When one
//!    expectation fails ([`CommitError::Conflict`]), or the store refuses
//!    ([`CommitError::NotApplied`]), nothing of the commit is applied.
//! 5. **Serial.** Commits with the same guard are applied one after another, and whoever sees a
//!    later one sees the earlier ones. Of two commits that expect the same version of a row and
//!    write it, one wins and the other gets [`CommitError::Conflict`].
//! 6. **Durable before seen.** When `commit` returns, and when a `read` shows a write, a killed
//!    process or a loss of power does not take it back (for backends that persist).
//! 7. **Progress.** Locks are granted in the order in which they were asked for. Whoever holds one
//!    meets no conflict on rows that are only written under its guard, so a unit of work runs
//!    twice at most.
//! 8. **Lost locks.** A lock whose holder died, lost its connection, or took longer than the lease
//!    (10 seconds) goes to the next, and a commit under it is refused.
//! 9. **Cancellation.** Dropping the future of a commit leaves it applied or not applied, never in
//!    part, and holds nobody up.
//! 10. **Reads do not wait** for a flush, nor for the commits of another guard.
//! 11. **Full disk.** A store without room refuses commits as [`CommitError::NotApplied`], answers
//!     every read, opens, and goes on by itself once there is room (for backends on a disk).
//!
//! A backend that lives in one process implements [`in_process::Local`] instead, which is `read`
//! and `apply`, and gets its locks from [`in_process::InProcess`]; [`answer`] makes the answers to
//! all kinds of reads from single look-ups and scans. Of the promises, it has to see to 1 to 4, 6,
//! 10 and 11; the commits with one guard are serial because each expects the guard as it was.

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

pub use commit::{Commit, CommitError, Expectation, Guard, Write};
pub use read::{Found, Range, Read, Snapshot, State, answer};
pub use rows_version::{NewerRows, RowsVersion};

/// A key: any bytes, the empty string included, up to [`MAX_KEY_LEN`].
pub type Key = Box<[u8]>;

/// A value: any bytes, the empty string included, up to [`MAX_VALUE_LEN`]. Cheap to clone, so a
/// read can pass on what it found without copying it.
///
/// A value is its own version: a commit may expect a key to hold exactly these bytes. Rows on
/// which decisions rest (guards) never hold the same bytes twice.
pub type Value = Arc<[u8]>;

/// A key and its value, as a scan returns them.
pub type Entry = (Key, Value);

/// The longest key that every backend must take, in bytes.
pub const MAX_KEY_LEN: usize = 2048;

/// The longest value that every backend must take, in bytes (16 MiB).
pub const MAX_VALUE_LEN: usize = 16 * 1024 * 1024;

/// The backend could not do its work: disk full, connection lost, file damaged.
#[derive(Clone, Debug, thiserror::Error)]
#[error("storage is unavailable: {reason}")]
pub struct StorageError {
    reason: Arc<str>,
    keys: Option<Arc<UnreadableKeys>>,
    is_full: bool,
}

/// The keys `from <= key < to` that cannot be read. Without `to`, all to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableKeys {
    /// The first key that may be missing.
    pub from: Key,
    /// The first key behind them.
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

    /// The error of a storage whose disk has no room, with its reason.
    pub fn full(reason: impl fmt::Display) -> Self {
        Self {
            is_full: true,
            ..Self::new(reason)
        }
    }

    /// Returns whether the disk has no room: the same may go well once there is some.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The same error with the keys that cannot be read, so that a reader can go on behind them.
    #[must_use]
    pub fn about(self, keys: UnreadableKeys) -> Self {
        Self {
            keys: Some(Arc::new(keys)),
            ..self
        }
    }

    /// The keys that cannot be read, where the storage knows them.
    pub fn unreadable_keys(&self) -> Option<&UnreadableKeys> {
        self.keys.as_deref()
    }
}

/// The storage that the core runs on. See the [module](self) for what an implementation promises.
#[async_trait]
pub trait Storage: Send + Sync + 'static {
    /// Answers all reads from one committed state, in the order asked.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// Checks every expectation, then applies every write; returns once both are durable. Waits
    /// while somebody holds the lock of the commit's guard.
    async fn commit(&self, commit: Commit) -> Result<(), CommitError>;

    /// Locks a guard: until the lock is dropped, or its lease is over, only its holder commits
    /// with that guard. For a unit of work that met a conflict. Waits for commits with that guard
    /// that are under way, also for those whose caller went away.
    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError>;
}

/// A lock on a guard. Its commit uses it up, and dropping it releases it.
#[async_trait]
pub trait Locked: Send + Sync {
    /// As [`Storage::read`]. Sees every commit that was applied before the lock was granted.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// As [`Storage::commit`], for a commit with the guard that is locked. The lock ends with it, however that
    /// ends. When the lease was over, the answer is [`CommitError::Conflict`]; to a commit with another guard, or
    /// none, it is [`CommitError::NotApplied`].
    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError>;
}
