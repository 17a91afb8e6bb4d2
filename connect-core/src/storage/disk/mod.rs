//! The common part of the embedded stores, in a local folder.
//! One process at a time has the folder open.
//!
//! The steps of a commit: it enters a `queue`. One thread (`writer`) takes the waiting commits,
//! adds each with valid expectations to one `group`, applies the group as one batch, makes it
//! durable once and answers all. Meanwhile `view` shows readers the previous values of the written
//! keys, so no crash can take back a value seen, and no read waits for the disk. `cache` keeps the
//! most recently read rows.
//!
//! `layout` defines the form of rows in an `engine`; each of the two engines has its own module
//! beside this one. `directory` and its helpers manage the folder, `opening` handles the state
//! after a crash (`counting` detects missing rows), `recovery` handles engine failures at run time,
//! `verify` checks all rows, and `frozen` reads the rows of one moment while commits go on.

mod cache;
mod clean_shutdown;
mod counting;
mod damage;
mod directory;
#[cfg(all(test, feature = "redb"))]
mod directory_tests;
mod engine;
mod engine_keys;
#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod failing_tests;
mod fault;
mod files;
mod frozen;
mod group;
mod health;
mod integrity;
mod kind;
mod layout;
mod marker;
mod open_error;
mod opening;
mod progress;
mod queue;
mod read_view;
mod reading;
mod recovery;
#[cfg(feature = "redb")]
pub(super) mod redb;
#[cfg(test)]
mod scan_tests;
mod scrub;
#[cfg(feature = "sled")]
pub(super) mod sled;
mod space;
pub(super) mod store;
mod verify;
mod view;
mod writer;

pub use directory::is_in_use;
pub use frozen::FrozenRows;
pub use health::{Health, HealthProbe, ScrubCounts};
pub use kind::Kind;
pub use open_error::OpenError;
pub use space::SpaceOptions;
pub use verify::{Progress, Report};

pub(super) use scrub::DEFAULT_RATE as DEFAULT_SCRUB_RATE;
