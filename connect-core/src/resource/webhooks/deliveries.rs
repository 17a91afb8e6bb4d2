//! The log of deliveries: read, and sent again, by the owner of an account.

use super::no_webhook;
use crate::{
    engine::Connect,
    error::{Error, Reason},
    record::{
        Account, Delivery, Fault, Webhook, Webhooks,
        keys::{Family, after_prefix, key},
        log_key,
    },
    storage::{Entry, Range, Read},
    wire::{Id, limits::MAX_PAGE_SIZE},
};

impl Connect {
    /// The latest deliveries of a webhook that were attempted, newest first: at most `limit`, which
    /// is at most 200, of those that were made before `before`. They are kept for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook.
    pub async fn deliveries(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        before: Option<Id<Delivery>>,
        limit: usize,
    ) -> Result<Vec<Delivery>, Error> {
        self.webhook(account, webhook).await?;
        let start = key(webhook.uuid(), Family::Delivery, &[]);
        let end = match before {
            Some(id) => log_key(webhook, id),
            None => after_prefix(&start),
        };
        let newest = Read::Scan {
            range: Range {
                from: &start,
                to: Some(&end),
            },
            limit: limit.min(MAX_PAGE_SIZE),
            newest_first: true,
        };
        let rows = self.store().read(&[newest]).await?.entries();
        let rows = rows.map_err(Fault::from)?;
        let delivery =
            |(key, row): &Entry| serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e));
        Ok(rows.iter().map(delivery).collect::<Result<_, _>>()?)
    }

    /// Sends an event again that was attempted before: makes a new delivery of it, for the next
    /// round.
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
        let webhooks = Webhooks::of_account(self.store(), account.uuid()).await?;
        webhooks.find(webhook).ok_or_else(|| no_webhook(webhook))?;
        let key = log_key(webhook, delivery);
        let row = self.store().get(&key).await?;
        let row = row.ok_or_else(|| {
            Error::NotFound(Reason::new(format!(
                "webhook {webhook} has no delivery {delivery}; they are kept for 30 days"
            )))
        })?;
        let sent: Delivery = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?;
        if let Some(event) = sent.event_key()
            && self.store().get(&event).await?.is_none()
        {
            return Err(Error::Conflict(Reason::new(
                "the event of this delivery is older than 30 days and was removed",
            )));
        }
        self.set_up_webhooks(account, |setup| setup.deliver(webhook, sent.event()))
            .await
    }
}
