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
mod parts;
mod purge;
mod queue;
mod resume;
mod session;
mod session_commits;
mod stock;
mod work;

use std::{
    collections::HashSet, fmt::Display, panic::AssertUnwindSafe, pin::pin, sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt as _,
    future::{Either, join_all, pending, select},
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until},
};
use uuid::Uuid;

pub use self::{hosts::HostLimits, work::DeliveryWork};

use self::{
    fair_scheduler::{Chosen, WebhookScheduler},
    hosts::Hosts,
    parts::Parts,
};

pub(crate) use self::stock::SentStock;
use crate::{
    engine::Connect,
    transaction::{
        Error, Fault,
        environment::{Mailer, WebhookSender},
    },
};

/// The sessions of a worker at a time, one per webhook.
const SESSIONS: usize = 256;

/// The shortest time between two looks.
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

/// Delivers events to webhooks. Made by [`Connect::webhook_worker`].
///
/// Dropping its futures is safe at any point: another worker goes on within a minute, and attempts
/// without a recorded outcome are made again.
pub struct WebhookWorker {
    parts: Arc<Parts>,
}

impl Connect {
    /// A worker delivering the events of all accounts through `sender`.
    /// It sends mail to owners through `mailer`. Without one, the log has the messages instead.
    pub fn webhook_worker(
        &self,
        sender: Arc<dyn WebhookSender>,
        mailer: Option<Arc<dyn Mailer>>,
    ) -> WebhookWorker {
        WebhookWorker {
            parts: Arc::new(Parts::new(self.clone(), sender, mailer)),
        }
    }
}

impl WebhookWorker {
    /// Links the page of the webhook in messages to owners.
    /// The link is `pages`, a slash, and the id. Without it, the message describes the way to the
    /// page.
    #[must_use]
    pub fn with_pages(mut self, pages: impl Into<String>) -> Self {
        // The parts have no other owner before the worker runs.
        if let Some(parts) = Arc::get_mut(&mut self.parts) {
            parts.pages = Some(pages.into());
        }
        self
    }

    /// Limits the requests to one host, over all accounts.
    /// The default is no such limit.
    #[must_use]
    pub fn with_host_limits(mut self, limits: HostLimits) -> Self {
        if let Some(parts) = Arc::get_mut(&mut self.parts) {
            parts.hosts = Hosts::limited(limits);
        }
        self
    }

    /// Runs until `until` is ready.
    /// Looks for due webhooks every `interval`, and when a retry is due. At the end, no new
    /// attempts are made, and current ones end within ten seconds.
    pub async fn run(self, interval: Duration, until: impl Future<Output = ()>) {
        let mut until = pin!(until);
        let mut at_work = HashSet::new();
        // Webhooks that another session has, or that failed: left alone until the next interval.
        let mut resting = Vec::new();
        // Each has a task of its own, so that the cores share the work. They end with this worker.
        let mut sessions = JoinSet::new();
        let mut look = WebhookScheduler::default();
        let mut next_interval = Instant::now();
        let mut next_look = pin!(sleep_until(next_interval));
        loop {
            let ended = async {
                match sessions.join_next().await {
                    Some(Ok(ended)) => ended,
                    // Sessions catch their panics.
                    Some(Err(_)) | None => pending().await,
                }
            };
            let is_time = match select(&mut until, select(pin!(ended), &mut next_look)).await {
                Either::Left(_) => break,
                Either::Right((Either::Left(((webhook, work), _)), _)) => {
                    if let Some(work) = work {
                        tracing::debug!(%webhook, ?work, "deliveries");
                        at_work.remove(&webhook);
                    } else {
                        resting.push(webhook);
                    }
                    // Webhooks left out for lack of places come now.
                    look.left_some() && work.is_some()
                }
                Either::Right((Either::Right(_), _)) => true,
            };
            let now = Instant::now();
            // A session may have ended just as the time came.
            let is_time = is_time || now >= next_look.deadline();
            if now >= next_interval {
                next_interval = now.max(next_interval + interval);
                for webhook in resting.drain(..) {
                    at_work.remove(&webhook);
                }
            }
            if is_time {
                let free = SESSIONS - sessions.len();
                match look.next(self.parts.store(), free, &at_work).await {
                    Ok(due) => {
                        for chosen in due {
                            at_work.insert(chosen.webhook);
                            sessions.spawn(session(self.parts.clone(), chosen));
                        }
                    }
                    Err(fault) => tracing::error!(%fault, "the queue of deliveries cannot be read"),
                }
            }
            let until_due = self.until_due(&look).await.unwrap_or(interval);
            next_look.as_mut().reset(next_interval.min(now + until_due));
        }
        self.parts.stop.send_replace(true);
        while sessions.join_next().await.is_some() {}
    }

    /// The time until the next webhook is due after `look`.
    async fn until_due(&self, look: &WebhookScheduler) -> Option<Duration> {
        let store = self.parts.store();
        let due = look.next_due(store).await.ok().flatten()?;
        let micros = due.micros() - store.now().micros();
        Some(Duration::from_micros(u64::try_from(micros).unwrap_or(0)).max(SHORTEST_SLEEP))
    }

    /// Makes all due deliveries, and returns their outcomes.
    /// Webhooks due later are left to the next call.
    ///
    /// # Errors
    /// The queue cannot be read. A failure at one webhook is logged, and tried again later.
    pub async fn tick(&self) -> Result<DeliveryWork, Error> {
        let mut all = DeliveryWork::default();
        let mut look = WebhookScheduler::default();
        let mut seen = HashSet::new();
        loop {
            let due = look.next(self.parts.store(), SESSIONS, &seen).await?;
            if due.is_empty() && look.is_at_end() {
                return Ok(all);
            }
            seen.extend(due.iter().map(|chosen| chosen.webhook));
            let sessions = due
                .into_iter()
                .map(|chosen| session(self.parts.clone(), chosen));
            for (_, work) in join_all(sessions).await {
                all += work.unwrap_or_default();
            }
        }
    }
}

/// Runs a session of one webhook.
/// `None` when another session has it, or this one failed. A panic is logged, and leaves the
/// webhook until its lease expires.
async fn session(parts: Arc<Parts>, chosen: Chosen) -> (Uuid, Option<DeliveryWork>) {
    let webhook = chosen.webhook;
    let session = session::run(&parts, chosen);
    let work = match AssertUnwindSafe(session).catch_unwind().await {
        Ok(Ok(work)) => work,
        Ok(Err(error)) => failed(webhook, &error.cause()),
        Err(_) => failed(webhook, &Fault::Panicked),
    };
    (webhook, work)
}

fn failed(webhook: Uuid, reason: &dyn Display) -> Option<DeliveryWork> {
    tracing::error!(%reason, %webhook, "deliveries to a webhook have to wait");
    None
}

impl std::fmt::Debug for WebhookWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookWorker").finish_non_exhaustive()
    }
}
