//! The background jobs: webhook deliveries, image downloads, mail to users, and queue counts.
//!
//! Any number of workers may run, in any number of processes: a worker leases its work by a commit.

mod backlog;
mod deliveries;
mod images;
mod mail;
mod queue;
mod worker;

pub(crate) use deliveries::SentStock;
pub use {
    backlog::{Backlog, Waiting, WebhookCount},
    deliveries::{DeliveryWork, HostLimits, WebhookWorker},
    images::{ImageWork, ImageWorker},
    mail::{MailWork, MailWorker},
};
