//! The owner's view of the log of deliveries.

use super::rows_of;
use crate::{
    engine::Connect,
    rules::role::Reach,
    storage::{Range, Read},
    transaction::{
        Account, Delivery, Error, Fault, Reason, Webhook,
        keys::{Family, after_prefix, key},
        log_key,
    },
    wire::{Id, limits::MAX_PAGE_SIZE},
};

impl Connect {
    /// The latest attempted deliveries of a webhook within the caller's reach, newest first.
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
        let limit = limit.min(MAX_PAGE_SIZE);
        let start = key(webhook.uuid(), Family::Delivery, &[]);
        let mut end = match before {
            Some(id) => log_key(webhook, id),
            None => after_prefix(&start),
        };
        let mut found = Vec::new();
        loop {
            let newest = Read::Scan {
                range: Range {
                    from: &start,
                    to: Some(&end),
                },
                limit,
                newest_first: true,
            };
            let mut state = (self.store())
                .read(&[Read::Get(&account_row), Read::Get(&webhooks_row), newest])
                .await?;
            let (_, reach) = self.webhook_in(account, &mut state, webhook)?;
            let rows = state.entries().map_err(Fault::from)?;
            for (key, row) in &rows {
                let delivery: Delivery =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                if may_see(&reach, &delivery) && found.len() < limit {
                    found.push(delivery);
                }
            }
            match rows.last() {
                Some((place, _)) if rows.len() == limit && found.len() < limit => {
                    end = place.clone();
                }
                _ => return Ok(found),
            }
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

/// Returns whether a delivery is of a location within reach. A webhook may have had others before.
pub(super) fn may_see(reach: &Reach, delivery: &Delivery) -> bool {
    let location = delivery.location_id;
    *reach == Reach::Account || location.is_none_or(|location| reach.includes(location))
}

pub(super) fn no_delivery(webhook: Id<Webhook>, delivery: Id<Delivery>) -> Error {
    Error::NotFound(Reason::new(format!(
        "webhook {webhook} has no delivery {delivery}; they are kept for 30 days"
    )))
}
