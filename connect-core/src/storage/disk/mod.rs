//! The common part of the embedded stores: a folder on the local disk, for one process at a time.
//!
//! The way of a commit: it is put in a `queue`; one thread (`writer`) takes what has gathered
//! there, lets every commit whose expectations hold join one `group`, applies the group as one
//! batch, makes it durable once and answers all. While that goes on, `view` shows readers what
//! the written keys held before, so nothing is seen that a crash could take back, and no read
//! waits for the disk. `cache` keeps the rows that were read last, and `runs` the index entries
//! that were scanned last. A large commit is `staged`: it goes to its place in slices, between the
//! groups of others.
//!
//! `layout` says how rows lie in an `engine`, of which there are two, each in a module of its own
//! beside this one. `directory` and its helpers take care of the folder, `opening` of what a
//! crash has left (`counting` finds out if rows are missing), `recovery` of engines that fail
//! while they work, `verify` checks all rows, and `frozen` reads those of one moment while commits go on.

mod cache;
mod clean_shutdown;
mod counting;
mod damage;
mod directory;
#[cfg(test)]
mod directory_tests;
mod engine;
mod engine_keys;
#[cfg(test)]
mod failing_tests;
mod fault;
mod files;
mod frozen;
mod group;
mod health;
mod index_ranges;
#[cfg(test)]
mod index_ranges_tests;
mod integrity;
mod kind;
mod layout;
mod marker;
mod open_error;
mod opening;
mod pending;
mod progress;
mod queue;
mod read_view;
mod reading;
mod recovery;
#[cfg(feature = "redb")]
pub(super) mod redb;
mod redo;
mod scrub;
#[cfg(feature = "sled")]
pub(super) mod sled;
mod space;
mod staged;
#[cfg(test)]
mod staged_tests;
mod staging;
pub(super) mod store;
mod verify;
mod view;
mod writer;

pub use directory::is_in_use;
pub use frozen::FrozenRows;
pub use health::{Health, HealthProbe};
pub use kind::Kind;
pub use open_error::OpenError;
pub use space::SpaceOptions;
pub use verify::{Progress, Report};
