//! The background jobs: deliveries to webhooks, downloads of images, and the counts of their queues.
//!
//! Any number of workers may run, in any number of processes: what one does is leased by a commit.

mod backlog;
mod deliveries;
mod images;

pub(crate) use deliveries::SentStock;
pub use {
    backlog::{Backlog, Waiting, WebhookCount},
    deliveries::{DeliveryWork, HostLimits, WebhookWorker},
    images::{ImageWork, ImageWorker},
};
