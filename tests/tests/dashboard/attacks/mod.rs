//! Attacks on the dashboard, each on every page and every form: those of `ROUTES`, so that a new one is among them.
//!
//! `../owners.rs` has the attacks of other accounts and other locations, `../texts.rs` those by stored texts.

mod answers;
mod files;
mod foreign_forms;
pub(super) mod forms;
mod mails;
mod roles;
pub(super) mod routes;
mod sessions;
