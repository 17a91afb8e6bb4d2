//! The owner's view of the log of deliveries.

use super::rows_of;
use crate::{
    engine::Connect,
    storage::{Entry, Range, Read},
    transaction::{
        Account, Delivery, Error, Fault, Reason, Webhook,
        keys::{Family, after_prefix, key},
        log_key,
    },
    wire::{Id, limits::MAX_PAGE_SIZE},
};

impl Connect {
    /// The latest attempted deliveries of a webhook, newest first.
    /// Returns at most `limit` of them, and never more than 200. `before` leaves out this delivery
    /// and newer ones. Deliveries are kept for 30 days.
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
        let [account_row, webhooks_row] = rows_of(account);
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
        let mut state = (self.store())
            .read(&[Read::Get(&account_row), Read::Get(&webhooks_row), newest])
            .await?;
        self.webhook_in(account, &mut state, webhook)?;
        let rows = state.entries().map_err(Fault::from)?;
        let delivery =
            |(key, row): &Entry| serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e));
        Ok(rows.iter().map(delivery).collect::<Result<_, _>>()?)
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
        self.webhook_in(account, &mut state, webhook)?;
        let row = state.value().map_err(Fault::from)?;
        let row = row.ok_or_else(|| no_delivery(webhook, id))?;
        Ok(serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?)
    }

    /// Returns one attempted delivery of a webhook and its JSON body.
    /// The body is `None` for a ping, and for an event older than 30 days, as it was removed.
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
        let event = match delivery.event_key() {
            Some(key) => self.store().get(&key).await?,
            None => None,
        };
        Ok((delivery, event.map(|event| event.to_vec())))
    }
}

pub(super) fn no_delivery(webhook: Id<Webhook>, delivery: Id<Delivery>) -> Error {
    Error::NotFound(Reason::new(format!(
        "webhook {webhook} has no delivery {delivery}; they are kept for 30 days"
    )))
}
