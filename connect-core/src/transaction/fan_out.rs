//! Fan-out: the deliveries of an event, written in its commit.
//!
//! An event goes to the webhooks matching at its commit: the unit reads their row with its first
//! read, and its commit expects the row unchanged. The deliveries are new rows in the partitions of
//! their webhooks, so workers and writers do not conflict.

use uuid::Uuid;

use super::{Delivery, EventRef, UnitOfWork, waiting_stock_key, woken_key};
use crate::{storage::Value, wire::limits::DELIVERY_DAYS};

/// Bytes of a delivery's queue and log keys, and of an attempt.
const ATTEMPT: usize = 800;

/// The handling of frequent events.
#[derive(Clone, Copy)]
pub(super) enum Bursts {
    /// Each event is delivered.
    Kept,
    /// Only the latest event of this record is delivered, once a minute.
    Combined(Uuid),
}

impl UnitOfWork<'_> {
    /// Queues an event for its webhooks.
    pub(super) fn fan_out(&mut self, event: &EventRef, bursts: Bursts) {
        let Some(subscribers) = self.subscribers() else {
            return;
        };
        let webhooks = subscribers.found().unwrap_or_default();
        let location = self.partition();
        let takers = webhooks.0.iter().map(|own| &own.webhook);
        for webhook in takers.filter(|webhook| webhook.takes(&event.kind, location)) {
            let id = self.next_id();
            // Not the time of the change, which may be ahead of a clock that was set back.
            let delivery = Delivery::new(id, webhook, event.clone(), self.now());
            let row = self.json(&delivery);
            // It lies in the queue, and then with its attempts in the log.
            let most = 2 * row.len() + ATTEMPT;
            let until = self.now().plus_seconds(DELIVERY_DAYS * 24 * 3600);
            self.count_until(most, until);
            match bursts {
                Bursts::Kept => {
                    if let Some(place) = delivery.queue_key() {
                        self.put_new(place, row);
                    }
                }
                Bursts::Combined(record) => self.put(waiting_stock_key(webhook.id, record), row),
            }
            // A webhook that is off needs no worker: it is woken when it is switched on.
            if webhook.is_enabled() {
                let event = Value::from(event.id.uuid().as_bytes().as_slice());
                self.put(woken_key(webhook.id), event);
            }
        }
        self.expect_webhooks();
    }
}
