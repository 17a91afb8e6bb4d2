//! The promises of [`Storage`], as checks to run on a backend.
//!
//! A backend's author says where a store of theirs lives ([`Place`]) and calls [`run_all`], which
//! takes a new place for each of the [`CHECKS`] and names those that fail:
//!
//! ```
//! use std::sync::Arc;
//! use async_trait::async_trait;
//! use connect_core::storage::{
//!     Storage, StorageError, conformance, memory::MemoryStorage,
//! };
//!
//! struct InMemory;
//!
//! #[async_trait]
//! impl conformance::Place for InMemory {
//!     async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
//!         Ok(Arc::new(MemoryStorage::new()))
//!     }
//!
//!     fn persists(&self) -> bool {
//!         false
//!     }
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), conformance::Failures> {
//! conformance::run_all(|| InMemory).await
//! # }
//! ```
//!
//! The checks need a tokio runtime; one with several threads finds more. They write up to about
//! 100 MB and take seconds. [`model::compare`] takes a seed, for those who want to run it longer.
//! What remains is to kill a process: [`crash`] has the two halves of such a test.

mod cancellation;
mod contention;
pub mod crash;
mod expectations;
mod fault;
pub mod model;
mod order;
mod reopening;
mod snapshot;
mod support;
mod values;

use std::{fmt, panic::AssertUnwindSafe, sync::Arc};

use async_trait::async_trait;
use futures_util::{FutureExt, future::BoxFuture};

use super::{Storage, StorageError};

pub use self::fault::Fault;

/// A place for one store: a directory, a database, a namespace. Whoever makes one also removes
/// what was stored there, in `Drop` for example.
#[async_trait]
pub trait Place: Send + Sync {
    /// Opens the store: empty the first time, later with all that was acknowledged before.
    ///
    /// It is opened again only after the store opened before has been dropped.
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError>;

    /// Whether what is stored outlives the store that `open` returned. A place that keeps nothing
    /// is not checked for keeping it.
    fn persists(&self) -> bool {
        true
    }
}

/// One promise and the check of it.
pub struct Check {
    /// A short name, for test output and for picking one check.
    pub name: &'static str,
    /// What a backend promises, in a sentence.
    pub promise: &'static str,
    body: Body,
}

type Body = for<'a> fn(&'a dyn Place) -> BoxFuture<'a, Result<(), Fault>>;

impl Check {
    /// Runs the check at a place where nothing has been stored yet.
    ///
    /// # Errors
    ///
    /// What the backend did, and what it should have done.
    pub async fn run(&self, place: &dyn Place) -> Result<(), Fault> {
        // So that one check of a backend that panics does not hide what the others find.
        let result = AssertUnwindSafe((self.body)(place)).catch_unwind().await;
        result.unwrap_or_else(|_| Err(Fault::new("the check panicked; see the test's output")))
    }
}

macro_rules! checks {
    ($($module:ident :: $name:ident : $promise:literal,)*) => {
        /// Every check, from the simple to the involved.
        pub const CHECKS: &[Check] = &[$(Check {
            name: stringify!($name),
            promise: $promise,
            body: |place| Box::pin($module::$name(place)),
        },)*];
    };
}

checks! {
    order::unsigned_bytes: "keys are ordered as unsigned bytes, a prefix before what it begins",
    order::range_ends: "a range has its first key in it and its last key not",
    order::empty_ranges: "a range that ends where it starts, or before, is empty",
    order::limits: "a scan returns at most its limit, from the start of the range",
    order::get_in_order_asked: "get answers every key in the order asked, missing ones as None",
    values::empty_keys_and_values: "the empty key and the empty value are a key and a value",
    values::any_bytes: "a value comes back as it was, whatever bytes it holds",
    values::removal: "a removed key is gone, and removing what is not there is no error",
    values::long_keys: "keys up to MAX_KEY_LEN work, many of them too",
    values::long_values: "values up to MAX_VALUE_LEN come back as they were",
    values::long_values_change: "a long value can be overwritten, shortened, removed and expected",
    expectations::absent: "Absent holds for a key without a value, and for no other",
    expectations::exact_value: "Is holds for exactly that value",
    expectations::all_or_nothing: "when any expectation fails, nothing is written",
    expectations::on_keys_not_written: "an expectation counts on keys that are not written too",
    expectations::without_writes: "a commit may write nothing, and is checked all the same",
    snapshot::acknowledged_is_seen: "what was acknowledged is seen by every later read",
    snapshot::scan_sees_whole_commits: "one scan sees every commit entirely or not at all",
    snapshot::get_sees_whole_commits: "one get sees every commit entirely or not at all",
    contention::one_winner: "of several commits that create a key, one is acknowledged",
    contention::counter: "of several commits that replace a version, one is acknowledged",
    contention::disjoint: "commits that have no key in common never conflict",
    contention::skew: "of two commits that undo each other's expectation, one is acknowledged",
    cancellation::whole_or_nothing: "a commit whose future is dropped is whole or nothing",
    model::fixed_seed: "any sequence of commits and reads behaves as an ordered map would",
    reopening::keeps_everything: "what was acknowledged is there when the store is opened again",
}

/// Runs every check, each at a new place, and reports all that fail.
///
/// # Errors
///
/// The checks that failed, with their reasons.
pub async fn run_all<P: Place>(new_place: impl Fn() -> P) -> Result<(), Failures> {
    let mut failures = Vec::new();
    for check in CHECKS {
        if let Err(fault) = check.run(&new_place()).await {
            failures.push((check, fault));
        }
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Failures(failures))
    }
}

/// The checks that failed.
pub struct Failures(pub Vec<(&'static Check, Fault)>);

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} checks failed", self.0.len(), CHECKS.len())?;
        for (check, fault) in &self.0 {
            write!(
                f,
                "\n  {}: promised is that {};\n    {fault}",
                check.name, check.promise
            )?;
        }
        Ok(())
    }
}

/// As `Display`, so that a test which returns `Failures` can be read.
impl fmt::Debug for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failures {}
