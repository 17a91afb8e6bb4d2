//! Planned erasures, retention settings, and erasures under way.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Account,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{
        Id, Location, Timestamp,
        limits::{DELIVERY_DAYS, EVENT_DAYS},
    },
};

/// The planned erasure of an account, or of one of its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedErasure {
    /// The location; `None` for the whole account.
    pub location_id: Option<Id<Location>>,
    /// The end of the grace time. Until then the erasure can be taken back.
    pub erase_at: Timestamp,
}

/// The days to keep personal data of an account; `None` for the service's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Retention {
    /// Orders, counted from their creation. Without it they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_days: Option<u32>,
    /// The names of customers in orders and of employees in receipts. Without it they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person_days: Option<u32>,
    /// Events, at most 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_days: Option<u32>,
    /// The log of deliveries, at most 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_days: Option<u32>,
    /// The last requests of tokens, as the dashboard shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_days: Option<u32>,
    /// The journal after an erasure, without names of persons. Without it the journal is erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_days: Option<u32>,
}

impl Retention {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Account {
    /// The days to keep events. They hold the names of persons.
    pub(crate) fn event_days(&self) -> i64 {
        let Retention {
            event_days,
            person_days,
            ..
        } = self.retention;
        fewest(EVENT_DAYS, [event_days, person_days])
    }

    /// The days to keep deliveries, no more than their events.
    pub(crate) fn kept_delivery_days(&self) -> i64 {
        fewest(
            DELIVERY_DAYS.min(self.event_days()),
            [self.retention.delivery_days],
        )
    }

    /// The planned erasure of a location, or of the account.
    pub fn planned_erasure(&self, location: Option<Id<Location>>) -> Option<PlannedErasure> {
        let mut planned = self.erasures.iter();
        planned.find(|of| of.location_id == location).copied()
    }
}

fn fewest<const N: usize>(own: i64, set: [Option<u32>; N]) -> i64 {
    let set = set.into_iter().flatten().map(i64::from);
    set.fold(own, i64::min)
}

/// The erasure of a partition that no account has any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Erasing {
    /// The account that had it.
    pub(crate) account_id: Id<Account>,
    pub(crate) kind: ErasedKind,
    /// The time of the first commit.
    pub(crate) at: Timestamp,
    /// The walks through all its rows that have ended.
    pub(crate) walks: u32,
    /// The removed rows. The rows of an account's other partitions are added to those of the account.
    pub(crate) rows: u64,
    /// The end of the time to keep the journal of a location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) journal_until: Option<Timestamp>,
}

/// The kind of an erased partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErasedKind {
    Account,
    Location,
    Webhook,
    /// Stored answers of a token, a screen or a user.
    Caller,
}

impl Erasing {
    /// The key of the row about a partition.
    pub(crate) fn key(partition: Uuid) -> Key {
        key(GLOBAL, Family::Erasing, &[KeyPart::Id(partition)])
    }
}

/// Returns the key of the row about the image copy of an erased product.
/// Copies are told apart by the end of their links: addresses of a service may change.
pub(crate) fn erased_image_key(link: &str) -> Key {
    let name = link.rsplit('/').next().unwrap_or(link);
    key(GLOBAL, Family::ErasedImage, &[KeyPart::Text(name)])
}
