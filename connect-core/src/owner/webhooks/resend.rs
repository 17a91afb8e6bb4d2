//! Deliveries sent again by an owner: one, or the given-up ones.
//!
//! The commit of the new delivery also marks the given-up one as replaced. So a repeated or
//! concurrent call sends nothing twice.

use serde::Deserialize;

use super::{
    deliveries::{may_see, no_delivery},
    setup::Setup,
};
use crate::{
    engine::Connect,
    storage::{Key, Range, Read, Value},
    transaction::{
        Account, Delivery, DeliveryStatus, End, Error, Fault, Reads, Reason, Row as _, UnitOfWork,
        Webhook,
        keys::{Family, KeyPart, after_prefix, key},
        log_key, waiting_stock_key,
    },
    wire::{EventType, Id, StockLevel, Timestamp},
};

/// The limit of deliveries sent again by one call.
const MOST_SENT: usize = 500;

/// The limit of log entries read by one call.
const MOST_LOOKED_AT: usize = 20_000;

/// The number of log entries per read.
const PIECE: usize = 500;

/// The number of deliveries sent again per commit.
const CHUNK: usize = 100;

/// The outcome of sending deliveries again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resent {
    /// The number of deliveries sent again.
    pub sent: usize,
    /// The number of deliveries passed over.
    /// The reasons: a newer count of the product came after a `stock.changed`, the event was
    /// removed, or another call sent it again meanwhile.
    pub passed_over: usize,
    /// The number of further deliveries found and left for another call.
    /// Some of them may be passed over then.
    pub left: usize,
    /// The place for another call to continue from; `None` at the end.
    pub next: Option<Id<Delivery>>,
}

impl Connect {
    /// Sends the event of an attempted delivery again.
    /// Makes a new delivery for the next round.
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
        let place = &log_key(webhook, delivery);
        self.store()
            .transact(account, |mut unit| async move {
                let mut setup = Setup::begin(self, &mut unit).await?;
                setup.find(webhook)?;
                let row = setup.unit.get(place).await?;
                let row = row.ok_or_else(|| no_delivery(webhook, delivery))?;
                let sent = Logged::read(place.clone(), row)?;
                if !may_see(&setup.reach, &sent.delivery) {
                    return Err(no_delivery(webhook, delivery));
                }
                if let Some(event) = sent.delivery.event_key()
                    && setup.unit.get(&event).await?.is_none()
                {
                    return Err(Error::Conflict(Reason::new(
                        "the event of this delivery is older than 30 days and was removed",
                    )));
                }
                let again = setup.send_again(sent)?;
                unit.note_action("webhook", webhook.uuid(), "resend");
                Ok(End::commit(unit, again))
            })
            .await
    }

    /// Sends again the given-up deliveries made since a time.
    /// Takes the newest, at most 500. `before` continues where an earlier call stopped. Leaves out
    /// deliveries already sent again, and counts of stock with a newer count after them.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook. [`Error::Conflict`]: it is switched off.
    pub async fn resend_given_up(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        since: Timestamp,
        before: Option<Id<Delivery>>,
    ) -> Result<Resent, Error> {
        // Before anything is looked for: nothing can be sent to one that is switched off.
        let checked = self.store().transact(account, |mut unit| async move {
            Setup::begin(self, &mut unit)
                .await?
                .check_enabled(webhook)?;
            Ok::<_, Error>(End::rollback(()))
        });
        checked.await?;
        let GivenUp { ids, mut resent } = self.given_up(webhook, since, before).await?;
        for chunk in ids.chunks(CHUNK) {
            let sent = self.send_all_again(account, webhook, chunk).await?;
            resent.sent += sent;
            resent.passed_over += chunk.len() - sent;
        }
        Ok(resent)
    }

    /// Finds given-up deliveries not yet sent again.
    async fn given_up(
        &self,
        webhook: Id<Webhook>,
        since: Timestamp,
        before: Option<Id<Delivery>>,
    ) -> Result<GivenUp, Fault> {
        let start = key(webhook.uuid(), Family::Delivery, &[]);
        let mut end = before.map_or_else(|| after_prefix(&start), |id| log_key(webhook, id));
        let mut found = GivenUp::default();
        let mut last = None;
        for _ in (0..MOST_LOOKED_AT).step_by(PIECE) {
            let newest = Read::Scan {
                range: Range {
                    from: &start,
                    to: Some(&end),
                },
                limit: PIECE,
                newest_first: true,
            };
            let rows = self.store().read(&[newest]).await?.entries()?;
            for (place, row) in &rows {
                let seen: LoggedDelivery =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(place, e))?;
                if seen.created_at < since {
                    return Ok(found.in_order());
                }
                last = Some(seen.id);
                found.note(&seen);
            }
            match rows.last() {
                Some((place, _)) if rows.len() == PIECE => end = place.clone(),
                _ => return Ok(found.in_order()),
            }
        }
        found.resent.next = found.resent.next.or(last);
        Ok(found.in_order())
    }

    /// Sends the eligible ones of these deliveries again. Returns their number.
    async fn send_all_again(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        ids: &[Id<Delivery>],
    ) -> Result<usize, Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let mut setup = Setup::begin(self, &mut unit).await?;
                setup.find(webhook)?;
                let mut wanted = wanted(setup.unit, webhook, ids).await?;
                wanted.retain(|logged| may_see(&setup.reach, &logged.delivery));
                let sent = wanted.len();
                for logged in wanted {
                    setup.send_again(logged)?;
                }
                if sent > 0 {
                    unit.note_action("webhook", webhook.uuid(), "resend");
                }
                Ok(End::commit(unit, sent))
            })
            .await
    }
}

/// The fields of a logged delivery needed to select it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoggedDelivery {
    id: Id<Delivery>,
    status: DeliveryStatus,
    created_at: Timestamp,
    #[serde(default)]
    replaced_by: Option<Id<Delivery>>,
}

/// The deliveries found in the log.
#[derive(Default)]
struct GivenUp {
    ids: Vec<Id<Delivery>>,
    resent: Resent,
}

impl GivenUp {
    fn note(&mut self, seen: &LoggedDelivery) {
        if seen.status != DeliveryStatus::GivenUp || seen.replaced_by.is_some() {
            return;
        }
        if self.ids.len() < MOST_SENT {
            self.ids.push(seen.id);
            return;
        }
        self.resent.left += 1;
        self.resent.next = self.ids.last().copied();
    }

    /// Sorts them oldest first.
    fn in_order(mut self) -> Self {
        self.ids.reverse();
        self
    }
}

/// A delivery with its row in the log.
struct Logged {
    place: Key,
    row: Value,
    delivery: Delivery,
}

impl Logged {
    fn read(place: Key, row: Value) -> Result<Self, Fault> {
        let delivery = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&place, e))?;
        Ok(Self {
            place,
            row,
            delivery,
        })
    }
}

impl Setup<'_, '_> {
    /// Makes a new delivery of an event.
    /// Marks a given-up delivery as replaced.
    fn send_again(&mut self, sent: Logged) -> Result<Delivery, Error> {
        let Logged {
            place,
            row,
            mut delivery,
        } = sent;
        let again = self.deliver(delivery.webhook_id, delivery.event())?;
        if delivery.status == DeliveryStatus::GivenUp {
            delivery.replaced_by = Some(again.id);
            // The log is not of this account's partition. Maintenance may remove the row meanwhile.
            self.unit.expect(&place, &row);
            let row = self.unit.json(&delivery);
            self.unit.put(place, row);
        }
        Ok(again)
    }
}

/// Returns the deliveries worth sending again.
async fn wanted(
    unit: &mut UnitOfWork<'_>,
    webhook: Id<Webhook>,
    ids: &[Id<Delivery>],
) -> Result<Vec<Logged>, Fault> {
    let places: Vec<Key> = ids.iter().map(|id| log_key(webhook, *id)).collect();
    load(unit, places.iter()).await?;
    let mut given_up = Vec::with_capacity(places.len());
    for place in places {
        let Some(row) = unit.get(&place).await? else {
            continue;
        };
        let logged = Logged::read(place, row)?;
        let delivery = &logged.delivery;
        if delivery.status == DeliveryStatus::GivenUp && delivery.replaced_by.is_none() {
            given_up.push(logged);
        }
    }
    let events: Vec<_> = given_up
        .iter()
        .map(|logged| logged.delivery.event_key())
        .collect();
    load(unit, events.iter().flatten()).await?;
    let mut found = Vec::with_capacity(given_up.len());
    for (logged, event) in given_up.into_iter().zip(events) {
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
