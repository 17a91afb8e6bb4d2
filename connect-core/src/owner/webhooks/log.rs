//! The log of a webhook, read from its newest delivery back.

use serde::Deserialize;

use super::rows_of;
use crate::{
    engine::Connect,
    rules::{role::Reach, webhook::CLOCK_TOLERANCE},
    storage::{Entry, Key, Range, Read, Value},
    transaction::{
        Account, Delivery, DeliveryStatus, Error, Fault, Webhook,
        keys::{Family, after_prefix, key},
        log_key,
    },
    wire::{EventType, Id, Location, Timestamp},
};

/// The most entries read by one call.
pub(super) const MOST_LOOKED_AT: usize = 20_000;

/// The entries per read.
pub(super) const PIECE: usize = 500;

/// The fields of a logged delivery needed to select it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoggedDelivery {
    pub(super) id: Id<Delivery>,
    pub(super) event_type: EventType,
    location_id: Option<Id<Location>>,
    pub(super) status: DeliveryStatus,
    pub(super) created_at: Timestamp,
    #[serde(default)]
    pub(super) replaced_by: Option<Id<Delivery>>,
}

impl LoggedDelivery {
    /// Parses an entry.
    pub(super) fn read((place, row): &Entry) -> Result<Self, Fault> {
        serde_json::from_slice(row).map_err(|e| Fault::corrupt(place, e))
    }

    /// Returns whether it is of a location within reach.
    pub(super) fn is_within(&self, reach: &Reach) -> bool {
        is_at(reach, self.location_id)
    }
}

/// A delivery with its row in the log.
pub(super) struct LogEntry {
    pub(super) place: Key,
    pub(super) row: Value,
    pub(super) delivery: Delivery,
}

impl LogEntry {
    pub(super) fn read(place: Key, row: Value) -> Result<Self, Fault> {
        let delivery = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&place, e))?;
        Ok(Self {
            place,
            row,
            delivery,
        })
    }
}

/// A period of creation times.
#[derive(Clone, Copy)]
pub(super) struct LogPeriod {
    /// The first moment.
    pub(super) since: Option<Timestamp>,
    /// The first moment after it.
    pub(super) until: Option<Timestamp>,
}

impl LogPeriod {
    /// Returns whether a moment is in the period.
    pub(super) fn has(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }

    /// Returns whether this entry and all older ones are from before the period.
    /// The clocks of two processes may differ a little, so the times are not quite in order.
    pub(super) fn is_over(&self, at: Timestamp) -> bool {
        self.since
            .is_some_and(|since| at < since.plus_seconds(-CLOCK_TOLERANCE))
    }
}

impl Connect {
    /// Reads entries of a log before `end`, newest first, and the caller's reach.
    pub(super) async fn log_before(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        end: &Key,
        limit: usize,
    ) -> Result<(Reach, Vec<Entry>), Error> {
        let [account_row, webhooks_row] = rows_of(account);
        let start = key(webhook.uuid(), Family::Delivery, &[]);
        let newest = Read::Scan {
            range: Range {
                from: &start,
                to: Some(end),
            },
            limit,
            newest_first: true,
        };
        let mut state = (self.store())
            .read(&[Read::Get(&account_row), Read::Get(&webhooks_row), newest])
            .await?;
        let (_, reach) = self.webhook_in(account, &mut state, webhook)?;
        let rows = state.entries().map_err(Fault::from)?;
        Ok((reach, rows))
    }
}

/// Returns the end of a log, or the place of a delivery in it.
pub(super) fn log_end(webhook: Id<Webhook>, before: Option<Id<Delivery>>) -> Key {
    match before {
        Some(id) => log_key(webhook, id),
        None => after_prefix(&key(webhook.uuid(), Family::Delivery, &[])),
    }
}

/// Returns whether a delivery is of a location within reach. A webhook may have had others before.
pub(super) fn may_see(reach: &Reach, delivery: &Delivery) -> bool {
    is_at(reach, delivery.location_id)
}

/// Returns whether a location of a delivery, if it has one, is within reach.
pub(super) fn is_at(reach: &Reach, location: Option<Id<Location>>) -> bool {
    *reach == Reach::Account || location.is_none_or(|location| reach.includes(location))
}
