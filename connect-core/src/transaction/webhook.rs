//! Webhooks as stored: all webhooks of an account in one row.
//!
//! Every commit at a location reads the row and expects it unchanged, so an event goes to the
//! webhooks as of its commit.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Account, Fault, OpenSecret, ReadKey, Sealed, SealedRow, SecretPlace, SecretSealer, Unopened,
    keys::{Family, key},
};
use crate::{
    storage::{Key, Value},
    wire::{EventType, Id, Location, Timestamp},
};

/// An address for events (contract: chapter 10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Its id.
    pub id: Id<Self>,
    /// The account it belongs to.
    pub account_id: Id<Account>,
    /// The address.
    pub url: String,
    /// The types of its events; at least one.
    pub events: Vec<EventType>,
    /// The locations of its events. Empty for all locations of the account.
    pub location_ids: Vec<Id<Location>>,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The time of the last switch-on. Failed attempts count from then on.
    pub enabled_at: Timestamp,
    /// Set while it is switched off.
    pub switched_off: Option<SwitchedOff>,
}

impl Webhook {
    /// Returns whether it is on. While it is off, events wait.
    pub fn is_enabled(&self) -> bool {
        self.switched_off.is_none()
    }

    /// Returns whether it gets an event of this type at this location.
    /// While it is off, the event waits.
    pub(crate) fn takes(&self, kind: &EventType, location: Uuid) -> bool {
        let is_of = |wanted: &Id<Location>| wanted.uuid() == location;
        self.events.contains(kind)
            && (self.location_ids.is_empty() || self.location_ids.iter().any(is_of))
    }
}

/// The pause of a webhook's deliveries, until the next switch-on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SwitchedOff {
    /// The time.
    pub at: Timestamp,
    /// The reason.
    pub reason: SwitchOffReason,
    /// The state of the mail to the owner; `null` if the owner did it.
    pub owner_mail: Option<OwnerMail>,
}

/// The reason for a switch-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SwitchOffReason {
    /// Fifty attempts in a row failed.
    Failures,
    /// The owner did it.
    Owner,
}

/// The state of the mail about a switch-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerMail {
    /// It is still to be sent.
    Due,
    /// It was handed to the mail server.
    Sent,
    /// The service has no mail server; the log has the message instead.
    NotConfigured,
}

/// A replaced secret, and the end of its use beside the new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FormerSecret {
    pub(crate) secret: Sealed,
    pub(crate) until: Timestamp,
}

/// A webhook with its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnWebhook {
    pub(crate) webhook: Webhook,
    pub(crate) secret: Sealed,
    pub(crate) former: Option<FormerSecret>,
    /// The last switch-on with a drop of the waiting deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dropped_at: Option<Timestamp>,
}

impl OwnWebhook {
    /// The place of the secrets of a webhook.
    pub(crate) fn place(webhook: Id<Webhook>) -> SecretPlace {
        SecretPlace {
            kind: "webhook secret",
            of: webhook.uuid(),
        }
    }

    /// Opens the secrets for signatures at `now`, the current one first.
    ///
    /// # Errors
    /// One of them does not open. A receiver may know that one alone, so nothing is to be sent.
    pub(crate) fn signing_secrets(
        &self,
        sealer: &SecretSealer,
        now: Timestamp,
    ) -> Result<Vec<OpenSecret>, Unopened> {
        let former = self.former.iter().filter(|former| now < former.until);
        let secrets = [&self.secret]
            .into_iter()
            .chain(former.map(|former| &former.secret));
        let place = Self::place(self.webhook.id);
        secrets.map(|secret| sealer.open(secret, place)).collect()
    }
}

/// The webhooks of an account, in the order of their creation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Webhooks(pub(crate) Vec<OwnWebhook>);

impl SealedRow for Webhooks {
    const FAMILY: Family = Family::Webhooks;

    fn secrets(&mut self, _: &ReadKey) -> Vec<(SecretPlace, &mut Sealed)> {
        let mut secrets = Vec::new();
        for own in &mut self.0 {
            let place = OwnWebhook::place(own.webhook.id);
            secrets.push((place, &mut own.secret));
            secrets.extend(
                own.former
                    .iter_mut()
                    .map(|former| (place, &mut former.secret)),
            );
        }
        secrets
    }
}

impl Webhooks {
    /// The key of an account's row.
    pub(crate) fn key(account: Uuid) -> Key {
        key(account, Family::Webhooks, &[])
    }

    /// The key of the link to the row of a location's or webhook's account.
    pub(crate) fn link_key(of: Uuid) -> Key {
        key(of, Family::WebhooksLink, &[])
    }

    /// Reads the webhooks from a row; none without a row.
    pub(crate) fn read(key: &[u8], row: Option<&Value>) -> Result<Self, Fault> {
        row.map_or(Ok(Self::default()), |row| {
            serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
        })
    }

    pub(crate) fn find(&self, id: Id<Webhook>) -> Option<&OwnWebhook> {
        self.0.iter().find(|own| own.webhook.id == id)
    }
}
