//! The log of deliveries: read, and sent again, by the owner of an account.

use crate::{
    engine::Connect,
    error::{Error, Reason},
    record::{
        Account, Delivery, Fault, Webhook,
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

    /// Returns one delivery of a webhook that was attempted.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook or delivery.
    pub async fn delivery(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        id: Id<Delivery>,
    ) -> Result<Delivery, Error> {
        self.webhook(account, webhook).await?;
        let key = log_key(webhook, id);
        let row = self.store().get(&key).await?;
        let row = row.ok_or_else(|| no_delivery(webhook, id))?;
        Ok(serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?)
    }

    /// Returns the body that a delivery sends, in JSON; `None` for a ping, and when the event is older than
    /// 30 days and was removed.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook or delivery.
    pub async fn delivery_body(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        id: Id<Delivery>,
    ) -> Result<Option<Vec<u8>>, Error> {
        let delivery = self.delivery(account, webhook, id).await?;
        let Some(key) = delivery.event_key() else {
            return Ok(None);
        };
        let event = self.store().get(&key).await?;
        Ok(event.map(|event| event.to_vec()))
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
        let sent = self.delivery(account, webhook, delivery).await?;
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

fn no_delivery(webhook: Id<Webhook>, delivery: Id<Delivery>) -> Error {
    Error::NotFound(Reason::new(format!(
        "webhook {webhook} has no delivery {delivery}; they are kept for 30 days"
    )))
}
