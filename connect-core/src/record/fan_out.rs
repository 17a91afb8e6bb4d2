//! Fan-out: the deliveries of an event, written in the commit of the event itself.
//!
//! The webhooks are those that match when the event is committed: the unit reads their row with its
//! first read, and its commit expects that row unchanged. The deliveries lie in partitions of their
//! own, those of the webhooks. They are new rows there, so workers and writers are in nobody's way.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;
use uuid::Uuid;

use super::{Delivery, EventRef, Fault, Unit, Webhooks, waiting_stock_key, woken_key};
use crate::storage::{Key, Value};

/// The webhooks of the account to which a location belongs.
pub(super) struct Subscribers {
    /// The key of their row.
    pub(super) key: Key,
    /// The row, when there are any.
    pub(super) row: Option<Value>,
    webhooks: Arc<Webhooks>,
}

impl Subscribers {
    pub(super) fn webhooks(&self) -> &Webhooks {
        &self.webhooks
    }
}

/// The webhooks in use, so that they are parsed once.
#[derive(Default)]
pub(super) struct WebhooksCache {
    parsed: RwLock<HashMap<Key, (Value, Arc<Webhooks>)>>,
}

/// More accounts than this and what was parsed is forgotten, to be parsed again.
const MOST_KNOWN: usize = 10_000;

impl WebhooksCache {
    /// The subscribers that were read by following the link of a location.
    pub(super) fn subscribers(
        &self,
        followed: Option<(Value, Option<Value>)>,
    ) -> Result<Option<Subscribers>, Fault> {
        let Some((link, row)) = followed else {
            return Ok(None);
        };
        let key = Key::from(&*link);
        let webhooks = match &row {
            None => Arc::default(),
            Some(row) => self.parse(&key, row)?,
        };
        Ok(Some(Subscribers { key, row, webhooks }))
    }

    fn parse(&self, key: &Key, row: &Value) -> Result<Arc<Webhooks>, Fault> {
        if let Some((known, parsed)) = self.parsed.read().get(key)
            && (Arc::ptr_eq(known, row) || known == row)
        {
            return Ok(parsed.clone());
        }
        let parsed = Arc::new(Webhooks::read(key, Some(row))?);
        let mut known = self.parsed.write();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(key.clone(), (row.clone(), Arc::clone(&parsed)));
        Ok(parsed)
    }
}

/// The deliveries of an event.
#[derive(Clone, Copy)]
pub(super) enum Bursts {
    /// Each event is delivered.
    Kept,
    /// Of the events about this record only the latest is delivered, once a minute.
    Combined(Uuid),
}

impl Unit<'_> {
    /// Puts an event into the queues of the webhooks that get it.
    pub(super) fn fan_out(&mut self, event: &EventRef, bursts: Bursts) {
        let Some(subscribers) = self.subscribers() else {
            return;
        };
        let (key, row) = (subscribers.key.clone(), subscribers.row.clone());
        let webhooks = subscribers.webhooks.clone();
        let location = self.partition();
        let takers = webhooks.0.iter().map(|own| &own.webhook);
        for webhook in takers.filter(|webhook| webhook.takes(&event.kind, location)) {
            let id = self.next_id();
            // Not the time of the change, which may be ahead of a clock that was set back.
            let delivery = Delivery::new(id, webhook.id, event.clone(), self.now());
            let place = match bursts {
                Bursts::Kept => delivery.queue_key(),
                Bursts::Combined(record) => Some(waiting_stock_key(webhook.id, record)),
            };
            let row = self.json(&delivery);
            if let Some(place) = place {
                self.put(place, row);
            }
            let event = Value::from(event.id.uuid().as_bytes().as_slice());
            self.put(woken_key(webhook.id), event);
        }
        self.expect_as_read(key, row);
    }
}
