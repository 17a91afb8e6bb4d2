//! Sending webhooks: the adapter behind the core's ports
//! [`WebhookSender`](connect_core::environment::WebhookSender) and
//! [`WebhookLinks`](connect_core::environment::WebhookLinks).
//!
//! ```text
//! request -> place (so many at a time) -> guard, connect, head, body of at most 64 kB -> status
//!            '------------------- one deadline --------------------'
//! ```
//!
//! The core decides what is sent and when, and judges the status. Here is only how it is sent.

mod client;
mod failure;
mod links;

pub use client::{DEFAULT_DEADLINE, WebhookClient};
pub use links::PublicWebhooks;
