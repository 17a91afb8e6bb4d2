//! Sending webhooks, behind two ports of the core.
//! They are [`WebhookSender`](connect_core::environment::WebhookSender) and
//! [`WebhookLinks`](connect_core::environment::WebhookLinks).
//!
//! ```text
//! request -> place (so many at a time) -> guard, connect, head, body of at most 64 kB -> status
//!            '------------------- one deadline --------------------'
//! ```
//!
//! The core decides on the content and the time of requests, and judges the status. This module only
//! sends.

mod client;
mod failure;
mod links;

pub use client::{DEFAULT_DEADLINE, WebhookClient};
pub use links::PublicWebhooks;
