//! The worker for mail to users.
//!
//! ```text
//! queue -> lease (a commit) -> hand to the mail server -> remove or postpone (a commit)
//! ```
//!
//! A message is sent before its removal: a process ending in between sends it twice.

mod messages;
#[cfg(test)]
pub(super) mod tests;
mod texts;

use std::{fmt::Display, ops::AddAssign, sync::Arc, time::Duration};

use tokio::{sync::watch, time::timeout};
use uuid::Uuid;

pub(super) use self::{messages::MailText, texts::to_the_minute};
use super::{
    queue::{DueGroup, FairQueue, QueuedItem},
    worker::{self, Payload, Turn},
};
use crate::{
    engine::Connect,
    rules::lease::LEASE_MARGIN,
    storage::Key,
    transaction::{
        Account, End, Error, Fault, QueuedMail, Store, environment::Mailer, keys::Family,
    },
    wire::Id,
};

/// The length of a lease in seconds.
const LEASE: i64 = 60;

/// The time limit of the mail server.
const LIMIT: Duration = Duration::from_secs(30);

// A message is sent right after its lease.
const _: () = assert!(LIMIT.as_secs() as i64 + LEASE_MARGIN <= LEASE);

/// The seconds before each retry; then the last one again, up to a day.
const PAUSES: [i64; 4] = [60, 300, 900, 3600];

/// The time between two looks for the mail of other processes.
const POLL: Duration = Duration::from_secs(5);

/// Sends mail to users. Made by [`Connect::mail_worker`].
///
/// Dropping its futures is safe at any point: another worker sends a leased message after a minute.
pub struct MailWorker {
    connect: Connect,
    mailer: Arc<dyn Mailer>,
    /// The address of the pages for users, without a slash at its end.
    pages: String,
    stop: watch::Sender<bool>,
}

/// The number of messages, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailWork {
    /// Messages accepted by the mail server.
    pub sent: usize,
    /// Messages with a retry to come.
    pub postponed: usize,
    /// Messages dropped after a day, or with an expired link.
    pub dropped: usize,
}

impl AddAssign for MailWork {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.postponed += other.postponed;
        self.dropped += other.dropped;
    }
}

/// A message leased by a worker.
struct LeasedMail {
    id: Uuid,
    /// Its key until the end of the lease.
    entry: Key,
    mail: QueuedMail,
}

impl Connect {
    /// A worker sending the mail to users of all accounts through `mailer`.
    /// Mail is queued by a core with [`queue_mail`](crate::ConnectBuilder::queue_mail). Its links lead to the
    /// pages of the reference server below `pages`, such as `https://connect.example.com/dashboard`:
    /// `/invitations/SECRET`, `/account` and `/tokens`.
    pub fn mail_worker(&self, mailer: Arc<dyn Mailer>, pages: impl Into<String>) -> MailWorker {
        MailWorker {
            connect: self.clone(),
            mailer,
            pages: pages.into(),
            stop: watch::Sender::new(false),
        }
    }
}

impl MailWorker {
    /// Works until `until` is ready.
    /// A message queued by this process is sent at once, one of another process within seconds.
    pub async fn run(self, until: impl Future<Output = ()>) {
        worker::run(self, POLL, until).await;
    }

    /// Sends all due messages, and returns their outcomes.
    ///
    /// # Errors
    /// The queue cannot be read.
    pub async fn tick(&self) -> Result<MailWork, Error> {
        worker::tick(self).await
    }

    /// Sends a leased message. Returns whether it is done with.
    async fn send(&self, leased: &LeasedMail, work: &mut MailWork) -> bool {
        let LeasedMail { id, mail, .. } = leased;
        let store = self.connect.store();
        let is_over = mail.ends_at() <= store.now();
        let secret = mail.secret.as_ref();
        let secret = secret.map(|secret| store.sealer().open(secret, QueuedMail::place(*id)));
        let failure = match secret.transpose() {
            // Its link leads nowhere.
            _ if is_over && mail.secret.is_some() => "its link has expired".to_owned(),
            Err(unopened) => format!("the secret in its link does not open: {unopened}"),
            Ok(secret) => {
                let message = texts::message(mail, secret.as_ref(), &self.pages);
                match timeout(LIMIT, self.mailer.send(&message)).await {
                    Ok(Ok(())) => {
                        work.sent += 1;
                        return true;
                    }
                    Ok(Err(reason)) => reason,
                    Err(_) => "the mail server took too long".to_owned(),
                }
            }
        };
        let attempts = mail.attempts;
        if is_over {
            work.dropped += 1;
            tracing::error!(mail = %id, attempts, reason = failure, "mail to a user was given up");
        } else {
            work.postponed += 1;
            tracing::warn!(mail = %id, attempts, reason = failure, "mail to a user was not sent; it is tried again");
        }
        is_over
    }
}

impl Payload for MailWorker {
    type Scheduler = FairQueue;
    type Work = MailWork;

    const NAME: &'static str = "mail";
    const GROUPS: usize = 4;
    const IN_PARTS: bool = true;

    fn scheduler() -> FairQueue {
        FairQueue::of(Family::Mail)
    }

    fn store(&self) -> &Store {
        self.connect.store()
    }

    fn stop(&self) -> &watch::Sender<bool> {
        &self.stop
    }

    async fn woken(&self) {
        self.connect.store().woken().await;
    }

    /// Sends messages of one account, one after the other.
    async fn work(&self, due: DueGroup) -> Result<Turn<MailWork>, Error> {
        let account = due.group.into();
        let store = self.connect.store();
        let mut work = MailWork::default();
        for item in &due.items {
            if *self.stop.borrow() {
                break;
            }
            let Some(leased) = lease(store, account, item).await? else {
                continue;
            };
            let is_done = self.send(&leased, &mut work).await;
            finish(store, account, leased, is_done).await?;
        }
        let mails = &self.connect.metrics().mails;
        mails.sent.add(work.sent);
        mails.postponed.add(work.postponed);
        mails.dropped.add(work.dropped);
        let has_progress = work != MailWork::default();
        Ok(Turn { work, has_progress })
    }

    fn log_failure(account: Uuid, reason: &dyn Display) {
        tracing::error!(%account, %reason, "the work on mail has failed");
    }
}

impl std::fmt::Debug for MailWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailWorker").finish_non_exhaustive()
    }
}

/// Leases a message still at its place in the queue.
async fn lease(
    store: &Store,
    account: Id<Account>,
    item: &QueuedItem,
) -> Result<Option<LeasedMail>, Fault> {
    let leased = store.transact(account, |mut unit| async move {
        let Some(row) = unit.get(&item.entry).await? else {
            // Another worker was faster.
            return Ok(End::rollback(None));
        };
        unit.delete(item.entry.clone());
        let mut mail: QueuedMail = match serde_json::from_slice(&row) {
            Ok(mail) => mail,
            Err(error) => {
                // It would be found again forever.
                tracing::error!(mail = %item.id, %error, "a damaged message to a user was removed");
                return Ok(End::commit(unit, None));
            }
        };
        mail.attempts = mail.attempts.saturating_add(1);
        let entry = QueuedMail::key(unit.now().plus_seconds(LEASE), account, item.id);
        let row = unit.json(&mail);
        unit.put_unversioned(entry.clone(), row);
        let id = item.id;
        Ok(End::commit(unit, Some(LeasedMail { id, entry, mail })))
    });
    leased.await
}

/// Removes a leased message, or returns it to the queue for its next attempt.
async fn finish(
    store: &Store,
    account: Id<Account>,
    leased: LeasedMail,
    is_done: bool,
) -> Result<(), Fault> {
    let leased = &leased;
    let finished = store.transact(account, |mut unit| async move {
        if unit.get(&leased.entry).await?.is_none() {
            // The lease ended, and another worker has the message.
            return Ok(End::rollback(()));
        }
        unit.delete(leased.entry.clone());
        if !is_done {
            let tried = usize::try_from(leased.mail.attempts).unwrap_or(usize::MAX);
            let pause = PAUSES[tried.saturating_sub(1).min(PAUSES.len() - 1)];
            let due = unit.now().plus_seconds(pause);
            let row = unit.json(&leased.mail);
            unit.put_unversioned(QueuedMail::key(due, account, leased.id), row);
        }
        Ok(End::commit(unit, ()))
    });
    finished.await
}
