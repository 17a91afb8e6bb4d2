//! The promises of [`Storage`](super::Storage), as checks to run on a backend.
//!
//! The author of a backend implements [`Place`], the location of a store, and calls [`run_all`]. It
//! runs each of the [`CHECKS`] in a new place, some at a time, and returns the failures:
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//! use async_trait::async_trait;
//! use connect_core::storage::{
//!     Storage, StorageError, conformance, memory::MemoryStorage,
//! };
//!
//! struct InMemory;
//!
//! /// Some checks wait until a lock is lost, so the locks here do not last for ten seconds.
//! const LEASE: Duration = Duration::from_secs(1);
//!
//! #[async_trait]
//! impl conformance::Place for InMemory {
//!     async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
//!         Ok(Arc::new(MemoryStorage::with_lease(LEASE)))
//!     }
//!
//!     fn persists(&self) -> bool {
//!         false
//!     }
//!
//!     fn lease(&self) -> Duration {
//!         LEASE
//!     }
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), conformance::Failures> {
//! conformance::run_all(|| InMemory).await
//! # }
//! ```
//!
//! The checks need a tokio runtime with several threads; some need two threads at once. They write
//! up to about 100 MB and take seconds, mostly spent waiting for a lease to end ([`Place::lease`]).
//! [`model::compare`] takes a seed, for longer runs.
//!
//! Two wrappers make a store harder to use, and serve other tests too: [`Distant`] puts it some
//! milliseconds away and counts the trips, [`Alternating`] spreads calls over two handles of one
//! store, as if from two processes.
//!
//! Three promises need more than a store in this process. The check of a full disk needs a small
//! disk: [`Place::small_disk`]. A kill needs a process to kill: [`crash`] has the two halves of such a
//! test. The backend's author has to test a loss of power.

mod alternating;
mod cancellation;
mod contention;
pub mod crash;
mod distant;
mod expectations;
mod fault;
mod full;
mod guards;
mod leases;
mod locks;
pub mod model;
mod order;
mod place;
mod progress;
mod random;
mod reads;
mod reopening;
mod snapshot;
mod support;
mod values;
mod waiting;

use std::{fmt, panic::AssertUnwindSafe};

use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{self, BoxFuture},
    stream,
};

pub use self::{
    alternating::Alternating,
    distant::Distant,
    fault::Fault,
    place::{Place, SmallDisk},
};

/// One promise and its check.
pub struct Check {
    /// A short name, such as `order::limits`, for test output and for picking one check.
    pub name: &'static str,
    /// The promise, in a sentence.
    pub promise: &'static str,
    body: Body,
}

type Body = for<'a> fn(&'a dyn Place) -> BoxFuture<'a, Result<(), Fault>>;

impl Check {
    /// Runs the check at a new, empty place.
    ///
    /// # Errors
    ///
    /// The backend's behaviour, beside the expected one.
    pub async fn run(&self, place: &dyn Place) -> Result<(), Fault> {
        // A panic in one check must not hide the results of the others.
        let result = AssertUnwindSafe((self.body)(place)).catch_unwind().await;
        result.unwrap_or_else(|_| Err(Fault::new("the check panicked; see the test's output")))
    }
}

macro_rules! checks {
    ($($module:ident :: $name:ident : $promise:literal,)*) => {
        /// Every check, from the simple to the involved.
        pub const CHECKS: &[Check] = &[$(Check {
            name: concat!(stringify!($module), "::", stringify!($name)),
            promise: $promise,
            body: |place| Box::pin($module::$name(place)),
        },)*];
    };
}

checks! {
    order::unsigned_bytes: "keys are ordered as unsigned bytes, a prefix before longer keys",
    order::range_ends: "a range has its first key in it and its last key not",
    order::empty_ranges: "a range that ends where it starts, or before, is empty",
    order::limits: "a scan returns at most its limit, from the start of the range",
    order::newest_first: "newest_first reads the range from its end, in descending order",
    reads::in_order_asked: "one read answers all kinds of reads, in the order asked",
    reads::follow: "Follow finds the entry, and the row under the prefix and the entry's value",
    reads::many: "of many look-ups at once each has the answer that it has alone",
    reads::many_under_a_lock: "a guard without a value is not found, even while it is locked",
    reads::scan_follow: "ScanFollow finds entries, each with the row that its key ends with",
    reads::short_keys: "an entry whose key is shorter than the tail has no row",
    reads::index_entries: "an Index entry is empty, and ScanFollow finds its row",
    values::empty_keys_and_values: "the empty key and the empty value are a key and a value",
    values::any_bytes: "a value comes back as it was, whatever bytes it holds",
    values::removal: "a removed key is gone, and removing a missing key is no error",
    values::new_over_old: "a row that was taken for new replaces one that is there",
    values::long_keys: "keys up to MAX_KEY_LEN work, many of them too",
    values::long_values: "values up to MAX_VALUE_LEN come back as they were",
    values::long_values_change: "a long value can be overwritten, shortened, removed and expected",
    expectations::absent: "Absent holds for a key without a value, and for no other",
    expectations::exact_value: "Is holds for exactly that value",
    expectations::all_or_nothing: "when any expectation fails, nothing is written",
    expectations::on_keys_not_written: "an expectation counts on keys that are not written too",
    expectations::without_writes: "a commit may write nothing, and is checked all the same",
    guards::absent_at_first: "a guard that was absent is created once",
    guards::checked_and_written: "a commit needs its guard as it was, and leaves it as it becomes",
    guards::kept_when_refused: "a refused commit leaves its guard as it was",
    guards::apart: "commits with other guards, or with none, change nothing for a guard",
    guards::one_winner: "of several commits that found the guard the same, one is acknowledged",
    guards::serial: "a read that sees a commit sees those before it with the same guard",
    snapshot::acknowledged_is_seen: "every later read sees an acknowledged commit",
    snapshot::one_scan: "one scan sees every commit entirely or not at all",
    snapshot::several_gets: "several Get of one read see one state",
    snapshot::follow: "an entry and the row it is followed to are of one state",
    snapshot::scan_follow: "entries and the rows they are joined with are of one state",
    snapshot::all_kinds: "reads of all kinds in one read see one state",
    snapshot::long_values: "the same holds for values of some kilobytes",
    snapshot::very_long_values: "the same holds for values of more than 128 kB",
    contention::one_winner: "of several commits that create a key, one is acknowledged",
    contention::counter: "of several commits that replace a version, one is acknowledged",
    contention::disjoint: "commits that have no key in common never conflict",
    contention::skew: "of two commits that undo each other's expectation, one is acknowledged",
    contention::refusals_are_known: "a healthy store knows the outcome of every commit",
    locks::hold_off_commits: "while a guard is locked, other commits with it wait",
    locks::leave_others_alone: "a lock holds up nothing of other guards, and no read",
    locks::exclusive: "one at a time holds the lock of a guard",
    locks::granted_in_order: "locks are granted in the order in which they were asked for",
    locks::released_when_dropped: "a lock that is dropped goes to the next",
    locks::see_what_was_before: "a read under a lock sees every commit applied before",
    locks::for_one_guard: "a commit under a lock with another guard, or none, is not applied",
    locks::given_up_waiting: "a caller that stops waiting for a lock delays no other",
    leases::go_to_the_next: "a lock whose lease is over goes to the next",
    leases::refuse_late_commits: "a commit under a lock whose lease is over is refused",
    progress::two_runs: "a unit of work that locks after a conflict runs twice at most",
    cancellation::whole_or_nothing: "a commit whose future is dropped is whole or nothing",
    cancellation::holds_nobody_up: "a commit whose future is dropped holds up no later one",
    cancellation::over_before_a_lock: "a commit that is dropped ends before a lock is granted",
    cancellation::under_a_lock: "a commit dropped with its lock ends before the next has it",
    waiting::reads_go_on: "reads do not wait for a commit",
    full::refuses: "a full store refuses commits as NotApplied and answers every read",
    full::opens: "a full store opens, with all that was acknowledged",
    full::goes_on: "a store that was full goes on by itself once there is room",
    model::fixed_seed: "any sequence of commits and reads behaves as an ordered map would",
    reopening::keeps_everything: "acknowledged commits are there when the store is opened again",
}

/// The number of checks at work at the same time.
const AT_ONCE: usize = 2;

/// The groups of checks with measured times; each check runs alone.
const ALONE: [&str; 6] = [
    "locks",
    "leases",
    "progress",
    "cancellation",
    "waiting",
    "full",
];

/// Runs every check, each at a new place, and reports all failures.
///
/// # Errors
///
/// The failed checks, with their reasons.
pub async fn run_all<P: Place>(new_place: impl Fn() -> P) -> Result<(), Failures> {
    run(CHECKS, new_place).await
}

/// Runs some checks, each at a new place, and reports all failures.
///
/// # Errors
///
/// The failed checks, with their reasons.
pub async fn run<P: Place>(
    checks: impl IntoIterator<Item = &'static Check>,
    new_place: impl Fn() -> P,
) -> Result<(), Failures> {
    let failure = async |check: &'static Check| {
        let failed = check.run(&new_place()).await.err();
        failed.map(|fault| (check, fault))
    };
    let is_alone = |check: &&Check| ALONE.iter().any(|group| check.name.starts_with(group));
    let (alone, others): (Vec<_>, Vec<_>) = checks.into_iter().partition(is_alone);
    let others = stream::iter(others).map(&failure).buffered(AT_ONCE);
    let all = others.chain(stream::iter(alone).then(&failure));
    let failures: Vec<_> = all.filter_map(future::ready).collect().await;
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Failures(failures))
    }
}

/// The failed checks.
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

/// As `Display`, to keep the output of a test with `Failures` readable.
impl fmt::Debug for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failures {}
