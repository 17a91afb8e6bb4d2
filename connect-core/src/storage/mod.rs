//! An ordered key space with atomic compare-and-commit: all that a backend has to be.
//!
//! Three methods make a backend: [`Storage::get`], [`Storage::scan`] and [`Storage::commit`].
//! Nothing here knows what a product is. The promises that the service makes (one commit per
//! change, a change clock per location, idempotency) are made once, above this trait, out of the
//! promises listed below, so a new backend is small and has nothing of the domain to get wrong.
//!
//! What a backend promises, and what `conformance` checks one by one:
//!
//! 1. **Order.** Keys compare as unsigned bytes; a scan returns them in that order.
//! 2. **Snapshot.** One `get` or one `scan` sees every commit entirely or not at all.
//! 3. **All or nothing.** A commit checks every expectation, then applies every write. When one
//!    expectation fails, nothing of the commit is applied.
//! 4. **Isolation of commits.** Commits behave as if they ran one after another: of two that
//!    expect the same version and write it, one wins and the other gets
//!    [`CommitError::Conflict`].
//! 5. **Durable before seen.** When `commit` returns, and when a `get` or `scan` shows a write, a
//!    killed process or a loss of power does not take it back (for backends that persist).
//! 6. **Cancellation.** Dropping the future of a commit leaves it applied or not applied, never
//!    in part.

mod commit;
pub mod memory;
#[cfg(feature = "sled")]
pub mod sled;

#[cfg(feature = "conformance")]
pub mod conformance;

use std::{fmt, sync::Arc};

use async_trait::async_trait;

pub use commit::{Commit, CommitError, Expectation};

/// A key: any bytes, the empty string included, up to [`MAX_KEY_LEN`].
pub type Key = Box<[u8]>;

/// A value: any bytes, the empty string included, up to [`MAX_VALUE_LEN`]. Cheap to clone, so a
/// read can pass on what it found without copying it.
///
/// A value is its own version: a commit may expect a key to hold exactly these bytes. Rows on
/// which decisions rest (a location's clock) never hold the same bytes twice.
pub type Value = Arc<[u8]>;

/// The longest key that every backend must take, in bytes.
pub const MAX_KEY_LEN: usize = 1024;

/// The longest value that every backend must take, in bytes (16 MiB).
pub const MAX_VALUE_LEN: usize = 16 * 1024 * 1024;

/// A half-open range of keys, `from <= key < to`, to be read in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<'a> {
    /// The first key that may be returned.
    pub from: &'a [u8],
    /// The first key that may not be returned; `None` reads to the end.
    pub to: Option<&'a [u8]>,
}

/// A key and its value, as a scan returns them.
pub type Entry = (Key, Value);

/// The backend could not do its work: disk full, connection lost, file damaged.
///
/// After such an error from [`Storage::commit`] it is unknown whether the commit was applied.
#[derive(Clone, Debug, thiserror::Error)]
#[error("storage is unavailable: {reason}")]
pub struct StorageError {
    reason: Arc<str>,
}

impl StorageError {
    /// An error with its reason, in words for the operator's log.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string().into(),
        }
    }
}

/// The storage that the core runs on. See the [module](self) for what an implementation promises.
#[async_trait]
pub trait Storage: Send + Sync + 'static {
    /// The values of `keys`, in the order asked, from one snapshot.
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError>;

    /// At most `limit` entries of `range`, in key order, from one snapshot.
    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError>;

    /// Checks every expectation, then applies every write; returns once both are durable.
    async fn commit(&self, commit: Commit) -> Result<(), CommitError>;
}
