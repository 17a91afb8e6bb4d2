//! The commit of a change to an account's webhooks.

use uuid::Uuid;

use super::{super::owned, is_within, no_webhook};
use crate::{
    engine::Connect,
    rules::role::{Reach, UserRight},
    storage::Value,
    transaction::{
        Account, Delivery, End, Error, EventRef, OwnWebhook, Reason, UnitOfWork, Webhook, Webhooks,
        woken_key,
    },
    wire::Id,
};

/// A change to the webhooks of an account, before its commit.
pub(crate) struct Setup<'a, 's> {
    /// The unit of work, on the account.
    pub(crate) unit: &'a mut UnitOfWork<'s>,
    /// The account.
    pub(crate) account: Account,
    /// The caller's reach.
    pub(super) reach: Reach,
    /// Its webhooks, to be changed.
    pub(crate) webhooks: Webhooks,
}

impl<'a, 's> Setup<'a, 's> {
    /// Reads the webhooks of the unit's account.
    pub(super) async fn begin(
        connect: &Connect,
        unit: &'a mut UnitOfWork<'s>,
    ) -> Result<Self, Error> {
        let right = UserRight::ManageWebhooks;
        let (account, reach) = connect.account_of(unit, right).await?;
        let row_key = Webhooks::key(unit.partition());
        let row = unit.get(&row_key).await?;
        let webhooks = Webhooks::read(&row_key, row.as_ref())?;
        Ok(Self {
            unit,
            account,
            reach,
            webhooks,
        })
    }

    /// The webhook with this id, to be changed.
    pub(super) fn find(&mut self, id: Id<Webhook>) -> Result<&mut OwnWebhook, Error> {
        let found = owned::find(&mut self.webhooks.0, id)?;
        match is_within(&self.reach, &found.webhook) {
            true => Ok(found),
            false => Err(no_webhook(id)),
        }
    }

    /// Requires a webhook to exist and to be on.
    pub(super) fn check_enabled(&mut self, id: Id<Webhook>) -> Result<(), Error> {
        if self.find(id)?.webhook.is_enabled() {
            return Ok(());
        }
        Err(Error::Conflict(Reason::new(
            "this webhook is switched off; switch it on first",
        )))
    }

    /// Puts an event into the queue of a webhook.
    pub(super) fn deliver(&mut self, id: Id<Webhook>, event: EventRef) -> Result<Delivery, Error> {
        self.check_enabled(id)?;
        let (delivery_id, now) = (self.unit.next_id(), self.unit.now());
        let delivery = Delivery::new(delivery_id, &self.find(id)?.webhook, event, now);
        if let Some(place) = delivery.queue_key() {
            let row = self.unit.json(&delivery);
            self.unit.put(place, row);
        }
        self.wake(id);
        Ok(delivery)
    }

    /// Makes the worker look at a webhook in its next round.
    pub(super) fn wake(&mut self, id: Id<Webhook>) {
        let mark: Uuid = self.unit.next_id();
        self.unit
            .put(woken_key(id), Value::from(mark.as_bytes().as_slice()));
    }
}

impl Connect {
    /// Changes the webhooks of an account in one commit.
    /// `change` is called again after a conflict.
    pub(crate) async fn set_up_webhooks<T: Send>(
        &self,
        account: Id<Account>,
        change: impl Fn(&mut Setup<'_, '_>) -> Result<T, Error> + Sync,
    ) -> Result<T, Error> {
        let change = &change;
        self.store()
            .transact(account, |mut unit| async move {
                let mut setup = Setup::begin(self, &mut unit).await?;
                let before = setup.webhooks.clone();
                let outcome = change(&mut setup)?;
                let after = setup.webhooks;
                if after != before {
                    let row = unit.json(&after);
                    unit.put(Webhooks::key(account.uuid()), row);
                }
                Ok(End::commit(unit, outcome))
            })
            .await
    }
}
