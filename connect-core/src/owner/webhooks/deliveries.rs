//! The owner's view of the log of deliveries.

use super::{
    log::{LogPeriod, LoggedDelivery, MOST_LOOKED_AT, PIECE, log_end, may_see},
    rows_of,
    test_events::test_body,
};
use crate::{
    engine::Connect,
    storage::{Entry, Read},
    transaction::{Account, Delivery, DeliveryStatus, Error, Fault, Reason, Webhook, log_key},
    wire::{EventType, Id, Page, Timestamp, limits::MAX_PAGE_SIZE},
};

/// A filter of deliveries. `None` lets every delivery pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Deliveries in this state.
    pub status: Option<DeliveryStatus>,
    /// Deliveries of events of this type; `ping` is one.
    pub event: Option<EventType>,
    /// Deliveries made since this time.
    pub since: Option<Timestamp>,
    /// Deliveries made before this time.
    pub until: Option<Timestamp>,
}

/// A page of deliveries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries; possibly fewer than asked for, or none, before the last page.
    pub deliveries: Vec<Delivery>,
    /// The place for the next page to continue from; `None` at the end.
    pub next: Option<Id<Delivery>>,
}

impl From<DeliveryPage> for Page<Delivery> {
    fn from(page: DeliveryPage) -> Self {
        Self {
            data: page.deliveries,
            next_cursor: page.next.map(|id| id.to_string()),
        }
    }
}

impl DeliveryFilter {
    fn period(&self) -> LogPeriod {
        LogPeriod {
            since: self.since,
            until: self.until,
        }
    }

    fn takes(&self, seen: &LoggedDelivery) -> bool {
        self.status.is_none_or(|status| status == seen.status)
            && (self.event.as_ref()).is_none_or(|event| *event == seen.event_type)
            && self.period().has(seen.created_at)
    }
}

impl Connect {
    /// The attempted deliveries of a webhook within the caller's reach, newest first.
    /// Returns at most `limit` of them, and never more than 200. `before` is the `next` of the page
    /// before, or any delivery: it and newer ones are left out. A call looks at no more than 20 000
    /// deliveries, so a page of a rare result may be short and still have a `next`. Deliveries are
    /// kept for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook.
    pub async fn deliveries(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        filter: &DeliveryFilter,
        before: Option<Id<Delivery>>,
        limit: usize,
    ) -> Result<DeliveryPage, Error> {
        let limit = limit.clamp(1, MAX_PAGE_SIZE);
        let mut end = log_end(webhook, before);
        let mut page = DeliveryPage::default();
        // One more tells whether there is another page.
        let mut piece = limit + 1;
        let mut looked_at = 0;
        loop {
            let (reach, rows) = self.log_before(account, webhook, &end, piece).await?;
            let mut last = None;
            for entry in &rows {
                let seen = LoggedDelivery::read(entry)?;
                if filter.period().is_over(seen.created_at) {
                    return Ok(page);
                }
                last = Some(seen.id);
                if !filter.takes(&seen) || !seen.is_within(&reach) {
                    continue;
                }
                if page.deliveries.len() == limit {
                    page.next = page.deliveries.last().map(|last| last.id);
                    return Ok(page);
                }
                page.deliveries.push(parsed(entry)?);
            }
            looked_at += rows.len();
            let is_full = rows.len() == piece;
            let Some((place, _)) = rows.into_iter().next_back().filter(|_| is_full) else {
                return Ok(page);
            };
            if looked_at >= MOST_LOOKED_AT {
                page.next = last;
                return Ok(page);
            }
            end = place;
            piece = PIECE;
        }
    }

    /// Returns one attempted delivery of a webhook.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook or delivery.
    pub async fn delivery(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        id: Id<Delivery>,
    ) -> Result<Delivery, Error> {
        let ([account_row, webhooks_row], key) = (rows_of(account), log_key(webhook, id));
        let reads = [&account_row, &webhooks_row, &key].map(|key| Read::Get(key));
        let mut state = self.store().read(&reads).await?;
        let (_, reach) = self.webhook_in(account, &mut state, webhook)?;
        let row = state.value().map_err(Fault::from)?;
        let row = row.ok_or_else(|| no_delivery(webhook, id))?;
        let delivery = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?;
        match may_see(&reach, &delivery) {
            true => Ok(delivery),
            false => Err(no_delivery(webhook, id)),
        }
    }

    /// Finds an attempted delivery of any webhook within the caller's reach.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account.
    pub async fn find_delivery(
        &self,
        account: Id<Account>,
        id: Id<Delivery>,
    ) -> Result<Option<Delivery>, Error> {
        let webhooks = self.webhooks(account).await?;
        let keys = webhooks.iter().map(|(webhook, _)| log_key(webhook.id, id));
        let keys: Vec<_> = keys.collect();
        let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
        let mut state = self.store().read(&reads).await?;
        for (webhook, _) in &webhooks {
            if state.value().map_err(Fault::from)?.is_some() {
                // With the checks of one delivery.
                return match self.delivery(account, webhook.id, id).await {
                    Err(Error::NotFound(_)) => Ok(None),
                    found => found.map(Some),
                };
            }
        }
        Ok(None)
    }

    /// Returns one attempted delivery of a webhook and its JSON body.
    /// The body is `None` for an event older than 30 days, as it was removed.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook or delivery.
    pub async fn delivery_with_body(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        id: Id<Delivery>,
    ) -> Result<(Delivery, Option<Vec<u8>>), Error> {
        let delivery = self.delivery(account, webhook, id).await?;
        let body = match delivery.event_key() {
            Some(key) => self.store().get(&key).await?,
            None => test_body(&delivery),
        };
        Ok((delivery, body.map(|body| body.to_vec())))
    }
}

fn parsed((place, row): &Entry) -> Result<Delivery, Fault> {
    serde_json::from_slice(row).map_err(|e| Fault::corrupt(place, e))
}

pub(super) fn no_delivery(webhook: Id<Webhook>, delivery: Id<Delivery>) -> Error {
    Error::NotFound(Reason::new(format!(
        "webhook {webhook} has no delivery {delivery}; they are kept for 30 days"
    )))
}
