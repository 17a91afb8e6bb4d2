//! The choice of deliveries worth sending again.

use serde::Deserialize;

use super::log::LogEntry;
use crate::{
    storage::{Key, Value},
    transaction::{
        Delivery, DeliveryStatus, Fault, Reads, Row as _, UnitOfWork, Webhook,
        keys::{KeyPart, key},
        log_key, waiting_stock_key,
    },
    wire::{EventType, Id, StockLevel},
};

/// The kind of deliveries to be sent again, none of them replaced yet.
#[derive(Clone, Copy)]
pub(super) enum Candidates {
    /// Given-up ones alone.
    GivenUp,
    /// Given-up and delivered ones.
    Ended,
}

impl Candidates {
    fn has(self, delivery: &Delivery) -> bool {
        let is_kind = match self {
            Self::GivenUp => delivery.status == DeliveryStatus::GivenUp,
            Self::Ended => delivery.status != DeliveryStatus::Pending,
        };
        is_kind && delivery.replaced_by.is_none()
    }
}

/// Returns the deliveries worth sending again.
pub(super) async fn worth_resending(
    unit: &mut UnitOfWork<'_>,
    webhook: Id<Webhook>,
    ids: &[Id<Delivery>],
    candidates: Candidates,
) -> Result<Vec<LogEntry>, Fault> {
    let places: Vec<Key> = ids.iter().map(|id| log_key(webhook, *id)).collect();
    load(unit, places.iter()).await?;
    let mut chosen = Vec::with_capacity(places.len());
    for place in places {
        let Some(row) = unit.get(&place).await? else {
            continue;
        };
        let logged = LogEntry::read(place, row)?;
        if candidates.has(&logged.delivery) {
            chosen.push(logged);
        }
    }
    let events: Vec<_> = chosen
        .iter()
        .map(|logged| logged.delivery.event_key())
        .collect();
    load(unit, events.iter().flatten()).await?;
    let mut found = Vec::with_capacity(chosen.len());
    for (logged, event) in chosen.into_iter().zip(events) {
        let counted = match &event {
            None => None,
            Some(event) => match unit.get(event).await? {
                None => continue,
                Some(row) if logged.delivery.event_type == EventType::StockChanged => {
                    Some(ResentLevel::read(event, &row, &logged.delivery)?)
                }
                Some(_) => None,
            },
        };
        found.push((logged, counted));
    }
    let counted = found.iter().filter_map(|(_, counted)| counted.as_ref());
    let keys: Vec<Key> = counted
        .flat_map(|counted| [counted.waiting.clone(), counted.level_key.clone()])
        .collect();
    load(unit, keys.iter()).await?;
    let mut wanted = Vec::with_capacity(found.len());
    for (logged, counted) in found {
        let is_latest = match &counted {
            Some(counted) => counted.is_latest(unit).await?,
            None => true,
        };
        if is_latest {
            wanted.push(logged);
        }
    }
    Ok(wanted)
}

/// Reads rows in one round trip. [`UnitOfWork::get`] finds them later.
async fn load(unit: &mut UnitOfWork<'_>, keys: impl Iterator<Item = &Key>) -> Result<(), Fault> {
    let mut reads = Reads::of(unit.partition());
    keys.for_each(|key| reads.shared_row(key.clone()));
    unit.load(reads).await
}

/// The count in a `stock.changed` event.
struct ResentLevel {
    level: StockLevel,
    /// The key of the current level of the product.
    level_key: Key,
    /// The key of a newer waiting event for the product at the webhook.
    waiting: Key,
}

impl ResentLevel {
    fn read(event: &Key, row: &Value, delivery: &Delivery) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct StockEvent {
            data: StockLevel,
        }
        let told: StockEvent = serde_json::from_slice(row).map_err(|e| Fault::corrupt(event, e))?;
        let product = told.data.product_id.uuid();
        let location = delivery.location_id.map(Id::uuid).unwrap_or_default();
        Ok(Self {
            level: told.data,
            level_key: key(location, StockLevel::ROWS, &[KeyPart::Id(product)]),
            waiting: waiting_stock_key(delivery.webhook_id, product),
        })
    }

    /// Returns whether this is the newest count of the product.
    async fn is_latest(&self, unit: &mut UnitOfWork<'_>) -> Result<bool, Fault> {
        if unit.get(&self.waiting).await?.is_some() {
            return Ok(false);
        }
        let Some(row) = unit.get(&self.level_key).await? else {
            return Ok(false);
        };
        let now: StockLevel =
            serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&self.level_key, e))?;
        // A level also follows the external id of its product, which is no count.
        let has_moved_along =
            now.external_id != self.level.external_id && now.quantity == self.level.quantity;
        Ok(now.updated_at == self.level.updated_at || has_moved_along)
    }
}
