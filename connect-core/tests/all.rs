//! The integration tests of the core, one binary: linking is what takes time.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod admission;
#[cfg(feature = "conformance")]
mod announced;
#[cfg(feature = "logic")]
mod calls;
mod clocks;
mod damage;
mod dry_run;
mod integrity;
#[macro_use]
mod each_store;
#[cfg(all(feature = "redb", feature = "sled"))]
mod backup;
mod echoes;
mod event_scopes;
#[cfg(feature = "logic")]
mod events;
mod faulty;
#[cfg(feature = "conformance")]
mod fence;
mod filters;
mod idle;
#[cfg(feature = "conformance")]
mod images;
mod indexes;
mod journal;
#[cfg(all(feature = "redb", feature = "sled"))]
mod kills;
#[cfg(all(feature = "redb", feature = "sled"))]
mod large_change;
mod late_rows;
mod limits;
mod lists;
mod longest;
mod lost_lock;
mod mails;
mod metrics;
#[cfg(feature = "logic")]
mod migration;
#[cfg(feature = "logic")]
mod minimums;
mod names;
#[cfg(feature = "logic")]
mod newest_first;
mod orders;
#[cfg(feature = "logic")]
mod owners;
#[cfg(feature = "conformance")]
mod pages_at_once;
mod passkeys;
#[cfg(all(feature = "logic", feature = "conformance"))]
mod privacy;
mod product_bulk;
#[cfg(feature = "conformance")]
mod progress;
#[cfg(feature = "logic")]
mod properties;
mod refusals;
mod requests;
mod screens;
mod search;
mod second_factor;
#[cfg(feature = "conformance")]
mod shared_commits;
mod shared_limits;
mod shop;
mod sign_in;
mod single_sign_on;
mod stock;
#[cfg(feature = "conformance")]
mod storage;
mod stored;
mod targets;
mod token_expiry;
#[cfg(feature = "logic")]
mod trail;
#[cfg(feature = "conformance")]
mod trips;
mod unknown;
mod user_mail;
mod users;
mod walks;
mod webhooks;
mod z_reports;
