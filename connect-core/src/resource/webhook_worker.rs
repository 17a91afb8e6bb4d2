//! The worker that delivers events to webhooks.
//!
//! ```text
//! look: which webhooks have something due -> a session for each:
//!   lease (a commit) -> attempts, several at a time -> what became of them (commits) -> end (a commit)
//! ```
//!
//! Any number of workers may run, in any number of processes. A webhook has one session at a time:
//! its lease is a commit that expects that there is none, and every commit of the session expects
//! that the lease is still its own. When a worker dies, its leases run out and others go on. An
//! attempt whose end was not written down is made again, so an event arrives at least once.

mod attempt;
mod look;
mod mail;
mod parts;
mod purge;
mod rounds;
mod session;
mod state;
mod stock;
mod work;

use std::{
    collections::HashSet, fmt::Display, panic::AssertUnwindSafe, pin::pin, sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{Either, join_all, pending, select},
    stream::FuturesUnordered,
};
use tokio::time::sleep;
use uuid::Uuid;

pub(crate) use self::state::{WebhookState, due_key};
use self::{look::Look, parts::Parts};
pub use self::{state::WebhookHealth, work::DeliveryWork};
use crate::{
    engine::Connect,
    environment::{Mailer, WebhookSender},
    error::Error,
    record::Fault,
};

/// The webhooks that a worker delivers to, at a time.
const SESSIONS: usize = 256;

/// Delivers events to webhooks. Made by [`Connect::webhook_worker`].
///
/// Dropping what it does, at any point, is safe: another worker goes on within a minute, and
/// attempts whose end was not written down are made again.
pub struct WebhookWorker {
    parts: Parts,
}

impl Connect {
    /// A worker that delivers the events of all accounts by means of `sender`. Owners are written to
    /// by `mailer`; without one the log says what they should know.
    pub fn webhook_worker(
        &self,
        sender: Arc<dyn WebhookSender>,
        mailer: Option<Arc<dyn Mailer>>,
    ) -> WebhookWorker {
        WebhookWorker {
            parts: Parts::new(self.clone(), sender, mailer),
        }
    }
}

impl WebhookWorker {
    /// Looks for what is due every `interval`, until `until` is ready. Then no new attempts are made,
    /// and those under way end within ten seconds.
    pub async fn run(self, interval: Duration, until: impl Future<Output = ()>) {
        let mut until = pin!(until);
        let mut at_work = HashSet::new();
        let mut sessions = FuturesUnordered::new();
        let mut look = Look::default();
        let mut next_look = pin!(sleep(Duration::ZERO));
        loop {
            let ended = async {
                match sessions.next().await {
                    Some(ended) => ended,
                    None => pending().await,
                }
            };
            match select(&mut until, select(pin!(ended), &mut next_look)).await {
                Either::Left(_) => break,
                Either::Right((Either::Left(((webhook, work), _)), _)) => {
                    at_work.remove(&webhook);
                    tracing::debug!(%webhook, ?work, "deliveries");
                    // Those that were left out for want of room come now.
                    if !look.left_some() {
                        continue;
                    }
                }
                Either::Right((Either::Right(_), _)) => {
                    let at = next_look.deadline() + interval;
                    next_look
                        .as_mut()
                        .reset(at.max(tokio::time::Instant::now()));
                }
            }
            let free = SESSIONS - sessions.len();
            match look.next(self.parts.store(), free, &at_work).await {
                Ok(due) => {
                    for webhook in due {
                        at_work.insert(webhook);
                        sessions.push(self.session(webhook));
                    }
                }
                Err(fault) => tracing::error!(%fault, "the queue of deliveries cannot be read"),
            }
        }
        self.parts.stop.send_replace(true);
        while sessions.next().await.is_some() {}
    }

    /// Does all that is due now, and returns what has become of it. What comes due meanwhile is left
    /// to the next call.
    ///
    /// # Errors
    /// The queue cannot be read. What fails at one webhook is logged, and tried again later.
    pub async fn tick(&self) -> Result<DeliveryWork, Error> {
        let mut all = DeliveryWork::default();
        let mut look = Look::default();
        let mut seen = HashSet::new();
        loop {
            let due = look.next(self.parts.store(), SESSIONS, &seen).await?;
            if due.is_empty() && look.is_at_end() {
                return Ok(all);
            }
            seen.extend(due.iter().copied());
            for (_, work) in join_all(due.into_iter().map(|webhook| self.session(webhook))).await {
                all += work;
            }
        }
    }

    /// Does what is due at one webhook. A panic is logged, and leaves the webhook to the end of its
    /// lease.
    async fn session(&self, webhook: Uuid) -> (Uuid, DeliveryWork) {
        let session = session::run(&self.parts, webhook.into());
        let work = match AssertUnwindSafe(session).catch_unwind().await {
            Ok(Ok(work)) => work,
            Ok(Err(error)) => failed(webhook, &error.cause()),
            Err(_) => failed(webhook, &Fault::Panicked),
        };
        (webhook, work)
    }
}

fn failed(webhook: Uuid, reason: &dyn Display) -> DeliveryWork {
    tracing::error!(%reason, %webhook, "deliveries to a webhook have to wait");
    DeliveryWork::default()
}

impl std::fmt::Debug for WebhookWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookWorker").finish_non_exhaustive()
    }
}
