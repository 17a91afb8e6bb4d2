//! Tests of a webhook: a `ping`, or an event of a type with made-up records.
//!
//! A test is no event of a location: it has no row, no number and no place in the feed. Its body
//! follows from its delivery, the same in every attempt.

use serde::Serialize;

use super::{samples, unknown_type};
use crate::{
    engine::Connect,
    storage::Value,
    transaction::{Account, Delivery, Error, EventRef, Reason, Webhook},
    wire::{Changed, Event, EventType, Id, Ping, read::Invalid},
};

/// The type of the plain test of a webhook.
const PING: &str = "ping";

/// The number of a test with made-up records.
/// The events of a location begin at 1, so a receiver takes it for old news.
const TEST_SEQUENCE: u64 = 0;

impl Connect {
    /// Sends a `ping` to a webhook in the next round of deliveries.
    /// Returns its delivery, to be looked up later.
    ///
    /// # Errors
    /// [`Error::NotFound`], or [`Error::Conflict`] while the webhook is switched off.
    pub async fn test_webhook(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
    ) -> Result<Delivery, Error> {
        self.send_test(account, id, None).await
    }

    /// Sends a test event of a type to a webhook.
    /// The webhook need not get events of this type. The event has the form of a real one, with
    /// made-up records, the `sequence` 0 and a new id. It is signed, retried and logged as a real
    /// one, has the header `Service-Test`, and is in no feed.
    ///
    /// # Errors
    /// As for [`test_webhook`](Self::test_webhook), or the type is unknown, or there is no location
    /// for the event.
    pub async fn test_webhook_event(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
        event: &EventType,
    ) -> Result<Delivery, Error> {
        if let Some(problem) = unknown_type(event) {
            return Err(Invalid::new("event", problem).into());
        }
        self.send_test(account, id, Some(event)).await
    }

    async fn send_test(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
        event: Option<&EventType>,
    ) -> Result<Delivery, Error> {
        self.set_up_webhooks(account, |setup| {
            let own = setup.find(id)?.webhook.location_ids.first().copied();
            let first = setup.account.locations.first().map(|at| at.id);
            let location = own.or(first).filter(|_| event.is_some());
            if event.is_some() && location.is_none() {
                // Every type is of a location, and receivers read which.
                return Err(Error::Conflict(Reason::new(
                    "this account has no location for a test of this type; send a ping",
                )));
            }
            let event = EventRef {
                id: setup.unit.next_id().into(),
                kind: event.cloned().unwrap_or_else(|| PING.into()),
                location,
                is_test: event.is_some(),
                at: None,
            };
            setup.unit.note_action("webhook", id.uuid(), "test");
            setup.deliver(id, event)
        })
        .await
    }
}

/// Makes the body of a test, the same in every attempt and when it is sent again.
pub(crate) fn test_body(delivery: &Delivery) -> Option<Value> {
    let at = delivery.event_time();
    if !delivery.is_test {
        return written(
            delivery,
            Ping {
                webhook_id: delivery.webhook_id.uuid(),
                message: "This is a test. The endpoint works when it answers 200 to 299."
                    .to_owned(),
            },
        );
    }
    match delivery.event_type {
        EventType::ProductChanged => written(delivery, changed(samples::product(at))),
        EventType::ProductsChanged => written(delivery, samples::products_changed()),
        EventType::OptionGroupChanged => written(delivery, changed(samples::option_group(at))),
        EventType::CategoryChanged => written(delivery, changed(samples::category(at))),
        EventType::TransactionCreated => written(delivery, samples::sale(at)),
        EventType::ZReportCreated => written(delivery, samples::z_report(at)),
        EventType::StockChanged => written(delivery, samples::stock_level(at)),
        EventType::StockBatchChanged => written(delivery, samples::stock_batch()),
        EventType::OrderCreated => written(delivery, samples::new_order(at)),
        EventType::OrderStatusChanged => written(delivery, samples::accepted_order(at)),
        EventType::Unknown(_) => None,
    }
}

fn changed<R>(record: R) -> Changed<R> {
    Changed {
        record,
        deleted: false,
    }
}

fn written<D: Serialize>(delivery: &Delivery, data: D) -> Option<Value> {
    let event = Event {
        id: delivery.event_id,
        kind: delivery.event_type.clone(),
        created_at: delivery.event_time(),
        location_id: delivery.location_id,
        sequence: delivery.is_test.then_some(TEST_SEQUENCE),
        data,
    };
    serde_json::to_vec(&event).ok().map(Value::from)
}
