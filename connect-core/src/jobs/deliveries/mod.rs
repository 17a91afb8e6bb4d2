//! The worker for deliveries to webhooks.
//!
//! ```text
//! look: which webhooks have something due -> a session for each:
//!   lease (a commit) -> attempts, several at a time -> what became of them (commits) -> end (a commit)
//! ```
//!
//! Any number of workers may run, in any number of processes. A webhook has one session at a time:
//! the commit of its lease expects no other lease, and every commit of the session expects its own
//! lease. When a worker dies, its leases expire and other workers go on. An attempt without a
//! recorded outcome is made again, so an event arrives at least once.

mod attempt;
mod fair_scheduler;
mod hosts;
mod mail;
mod purge;
mod queue;
mod resume;
mod session;
mod session_commits;
mod stock;
mod unsigned;
mod work;
mod worker;

use std::{fmt::Display, time::Duration};

use tokio::sync::watch;
use uuid::Uuid;

pub(crate) use self::stock::SentStock;
pub use self::{hosts::HostLimits, work::DeliveryWork, worker::WebhookWorker};

use self::fair_scheduler::{Chosen, WebhookScheduler};
use super::worker::{self as job_loop, Payload, Turn};
use crate::transaction::{Error, Store};

impl Payload for WebhookWorker {
    type Scheduler = WebhookScheduler;
    type Work = DeliveryWork;

    const NAME: &'static str = "deliveries";
    const GROUPS: usize = 256;
    const IN_PARTS: bool = false;

    fn scheduler() -> WebhookScheduler {
        WebhookScheduler::default()
    }

    fn store(&self) -> &Store {
        self.connect.store()
    }

    fn stop(&self) -> &watch::Sender<bool> {
        &self.stop
    }

    async fn work(&self, chosen: Chosen) -> Result<Turn<DeliveryWork>, Error> {
        let Some(work) = session::run(self, chosen).await? else {
            return Ok(Turn::default());
        };
        tracing::debug!(webhook = %chosen.webhook, ?work, "deliveries");
        let has_progress = true;
        Ok(Turn { work, has_progress })
    }

    fn log_failure(webhook: Uuid, reason: &dyn Display) {
        tracing::error!(%reason, %webhook, "deliveries to a webhook have to wait");
    }
}

impl WebhookWorker {
    /// Runs until `until` is ready.
    /// Looks for due webhooks every `interval`, and when a retry is due. At the end, no new
    /// attempts are made, and current ones end within ten seconds.
    pub async fn run(self, interval: Duration, until: impl Future<Output = ()>) {
        job_loop::run(self, interval, until).await;
    }

    /// Makes all due deliveries, and returns their outcomes.
    /// Webhooks due later are left to the next call.
    ///
    /// # Errors
    /// The queue cannot be read. A failure at one webhook is logged, and tried again later.
    pub async fn tick(&self) -> Result<DeliveryWork, Error> {
        job_loop::tick(self).await
    }
}
