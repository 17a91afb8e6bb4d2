//! Planned erasures, and retention settings.

use serde::{Deserialize, Serialize};

use crate::wire::{Id, Location, Timestamp};

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
