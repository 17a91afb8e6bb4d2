//! Deliveries sent again by an owner: one, chosen ones, or the given-up ones of a period.
//!
//! The commit of the new delivery also marks the given-up one as replaced. So a repeated or
//! concurrent call sends nothing twice.

use super::{
    deliveries::no_delivery,
    log::{LogEntry, LogPeriod, LoggedDelivery, MOST_LOOKED_AT, PIECE, log_end, may_see},
    setup::Setup,
    worth_resending::{Candidates, worth_resending},
};
use crate::{
    engine::Connect,
    transaction::{Account, Delivery, DeliveryStatus, End, Error, Reason, Webhook, log_key},
    wire::{Id, Timestamp, read::Invalid},
};

/// The limit of deliveries sent again by one call.
pub const MOST_RESENT: usize = 500;

/// The kind of a call: to send, or only to count.
#[derive(Clone, Copy)]
enum ResendRun {
    Real,
    Trial,
}

/// The outcome of sending deliveries again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resent {
    /// The number of deliveries sent again.
    pub sent: usize,
    /// The number of deliveries passed over.
    /// The reasons: a newer count of the product came after a `stock.changed`, the event was
    /// removed, another call sent it again, or a chosen one is unknown or still waiting.
    pub passed_over: usize,
    /// The number of further deliveries found and left for another call.
    /// Some of them may be passed over then.
    pub left: usize,
    /// The place for another call to continue from; `None` at the end.
    pub next: Option<Id<Delivery>>,
}

impl Connect {
    /// Sends the event of an attempted delivery again.
    /// Makes a new delivery for the next round.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook or delivery. [`Error::Conflict`]: the webhook
    /// is switched off, or the event is older than 30 days and was removed.
    pub async fn resend(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        delivery: Id<Delivery>,
    ) -> Result<Delivery, Error> {
        let place = &log_key(webhook, delivery);
        self.store()
            .transact(account, |mut unit| async move {
                let mut setup = Setup::begin(self, &mut unit).await?;
                setup.find(webhook)?;
                let row = setup.unit.get(place).await?;
                let row = row.ok_or_else(|| no_delivery(webhook, delivery))?;
                let sent = LogEntry::read(place.clone(), row)?;
                if !may_see(&setup.reach, &sent.delivery) {
                    return Err(no_delivery(webhook, delivery));
                }
                if let Some(event) = sent.delivery.event_key()
                    && setup.unit.get(&event).await?.is_none()
                {
                    return Err(Error::Conflict(Reason::new(
                        "the event of this delivery is older than 30 days and was removed",
                    )));
                }
                let again = setup.send_again(sent)?;
                unit.note_action("webhook", webhook.uuid(), "resend");
                Ok(End::commit(unit, again))
            })
            .await
    }

    /// Sends the events of chosen deliveries again, at most 500.
    /// Leaves out unknown and waiting deliveries, given-up ones already sent again, events older than
    /// 30 days, and counts of stock with a newer count after them. A delivered one is sent again
    /// by each call.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook. [`Error::Conflict`]: it is switched off.
    /// [`Error::Invalid`]: there are more than 500 deliveries.
    pub async fn resend_many(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        deliveries: &[Id<Delivery>],
    ) -> Result<Resent, Error> {
        self.resend_chosen(account, webhook, deliveries, ResendRun::Real)
            .await
    }

    /// Counts the deliveries for [`resend_many`](Self::resend_many), and sends nothing.
    ///
    /// # Errors
    /// As for `resend_many`.
    pub async fn count_resend_many(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        deliveries: &[Id<Delivery>],
    ) -> Result<Resent, Error> {
        self.resend_chosen(account, webhook, deliveries, ResendRun::Trial)
            .await
    }

    /// Sends again the given-up deliveries made since a time and before another, if given.
    /// Takes the newest, at most 500. `before` continues where an earlier call stopped. Leaves out
    /// deliveries already sent again, and counts of stock with a newer count after them.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook. [`Error::Conflict`]: it is switched off.
    pub async fn resend_given_up(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        since: Timestamp,
        until: Option<Timestamp>,
        before: Option<Id<Delivery>>,
    ) -> Result<Resent, Error> {
        let place = (period(since, until), before);
        self.resend_period(account, webhook, place, ResendRun::Real)
            .await
    }

    /// Counts the deliveries for [`resend_given_up`](Self::resend_given_up), and sends nothing.
    ///
    /// # Errors
    /// As for `resend_given_up`.
    pub async fn count_resend_given_up(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        since: Timestamp,
        until: Option<Timestamp>,
        before: Option<Id<Delivery>>,
    ) -> Result<Resent, Error> {
        let place = (period(since, until), before);
        self.resend_period(account, webhook, place, ResendRun::Trial)
            .await
    }

    async fn resend_chosen(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        deliveries: &[Id<Delivery>],
        run: ResendRun,
    ) -> Result<Resent, Error> {
        if deliveries.len() > MOST_RESENT {
            let count = deliveries.len();
            let problem = format!("must name at most {MOST_RESENT} deliveries, not {count}");
            return Err(Invalid::new("deliveries", problem).into());
        }
        self.check_webhook_on(account, webhook).await?;
        // Oldest first, each once.
        let mut ids = deliveries.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let what = (webhook, Candidates::Ended, run);
        self.resend_all(account, what, &ids, Resent::default())
            .await
    }

    async fn resend_period(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        (period, before): (LogPeriod, Option<Id<Delivery>>),
        run: ResendRun,
    ) -> Result<Resent, Error> {
        // Before anything is looked for: nothing can be sent to one that is switched off.
        self.check_webhook_on(account, webhook).await?;
        let found = self.given_up(account, webhook, period, before).await?;
        let what = (webhook, Candidates::GivenUp, run);
        self.resend_all(account, what, &found.ids, found.resent)
            .await
    }

    /// Requires a webhook to exist and to be on.
    async fn check_webhook_on(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
    ) -> Result<(), Error> {
        let checked = self.store().transact(account, |mut unit| async move {
            Setup::begin(self, &mut unit)
                .await?
                .check_enabled(webhook)?;
            Ok::<_, Error>(End::rollback(()))
        });
        checked.await
    }

    /// Finds given-up deliveries not yet sent again.
    async fn given_up(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        period: LogPeriod,
        before: Option<Id<Delivery>>,
    ) -> Result<GivenUp, Error> {
        let mut end = log_end(webhook, before);
        let mut found = GivenUp::default();
        let mut last = None;
        for _ in (0..MOST_LOOKED_AT).step_by(PIECE) {
            let (reach, rows) = self.log_before(account, webhook, &end, PIECE).await?;
            for entry in &rows {
                let seen = LoggedDelivery::read(entry)?;
                if period.is_over(seen.created_at) {
                    return Ok(found.in_order());
                }
                last = Some(seen.id);
                if period.has(seen.created_at) && seen.is_within(&reach) {
                    found.note(&seen);
                }
            }
            match rows.last() {
                Some((place, _)) if rows.len() == PIECE => end = place.clone(),
                _ => return Ok(found.in_order()),
            }
        }
        found.resent.next = found.resent.next.or(last);
        Ok(found.in_order())
    }

    /// Sends or counts the eligible ones of these deliveries.
    /// It is one commit: the counts are those of all, or nothing is sent.
    async fn resend_all(
        &self,
        account: Id<Account>,
        (webhook, candidates, run): (Id<Webhook>, Candidates, ResendRun),
        ids: &[Id<Delivery>],
        found: Resent,
    ) -> Result<Resent, Error> {
        let sent = self.store().transact(account, |mut unit| async move {
            let mut setup = Setup::begin(self, &mut unit).await?;
            setup.find(webhook)?;
            let mut wanted = worth_resending(setup.unit, webhook, ids, candidates).await?;
            wanted.retain(|logged| may_see(&setup.reach, &logged.delivery));
            let sent = wanted.len();
            if matches!(run, ResendRun::Trial) {
                return Ok(End::rollback(sent));
            }
            for logged in wanted {
                setup.send_again(logged)?;
            }
            if sent > 0 {
                unit.note_action("webhook", webhook.uuid(), "resend");
            }
            Ok(End::commit(unit, sent))
        });
        let sent: Result<usize, Error> = sent.await;
        let sent = sent?;
        Ok(Resent {
            sent,
            passed_over: ids.len() - sent,
            ..found
        })
    }
}

fn period(since: Timestamp, until: Option<Timestamp>) -> LogPeriod {
    let since = Some(since);
    LogPeriod { since, until }
}

/// The deliveries found in the log.
#[derive(Default)]
struct GivenUp {
    ids: Vec<Id<Delivery>>,
    resent: Resent,
}

impl GivenUp {
    fn note(&mut self, seen: &LoggedDelivery) {
        if seen.status != DeliveryStatus::GivenUp || seen.replaced_by.is_some() {
            return;
        }
        if self.ids.len() < MOST_RESENT {
            self.ids.push(seen.id);
            return;
        }
        self.resent.left += 1;
        self.resent.next = self.ids.last().copied();
    }

    /// Sorts them oldest first.
    fn in_order(mut self) -> Self {
        self.ids.reverse();
        self
    }
}

impl Setup<'_, '_> {
    /// Makes a new delivery of an event.
    /// Marks a given-up delivery as replaced.
    fn send_again(&mut self, sent: LogEntry) -> Result<Delivery, Error> {
        let LogEntry {
            place,
            row,
            mut delivery,
        } = sent;
        let again = self.deliver(delivery.webhook_id, delivery.event())?;
        if delivery.status == DeliveryStatus::GivenUp {
            delivery.replaced_by = Some(again.id);
            // The log is not of this account's partition. Maintenance may remove the row meanwhile.
            self.unit.expect(&place, &row);
            let row = self.unit.json(&delivery);
            self.unit.put(place, row);
        }
        Ok(again)
    }
}
