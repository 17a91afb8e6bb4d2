//! The webhooks for the events of a unit of work, parsed once.

use std::sync::Arc;

use super::{Fault, ParseCache, Webhooks};
use crate::storage::{Key, Value};

/// The webhooks of a location's account.
pub(super) struct Subscribers {
    /// The key of their row.
    pub(super) key: Key,
    /// The row, if any.
    pub(super) row: Option<Value>,
    /// `None` when the row is damaged.
    webhooks: Option<Arc<Webhooks>>,
}

impl Subscribers {
    /// The webhooks, unless their row is damaged.
    pub(super) fn found(&self) -> Option<Arc<Webhooks>> {
        self.webhooks.clone()
    }

    /// The webhooks.
    ///
    /// # Errors
    /// Their row is damaged or lost.
    pub(super) fn webhooks(&self) -> Result<&Webhooks, Fault> {
        let fault = |reason: &str| Fault::corrupt(&self.key, reason);
        if self.row.is_none() {
            return Err(fault("the webhooks of an account are lost"));
        }
        let damaged = || fault("these are no webhooks");
        self.webhooks.as_deref().ok_or_else(damaged)
    }
}

/// The webhooks in use, parsed once.
#[derive(Default)]
pub(super) struct WebhooksCache {
    parsed: ParseCache<Key, Webhooks, 1>,
}

impl WebhooksCache {
    /// The subscribers, from the row behind a location's link.
    pub(super) fn subscribers(
        &self,
        followed: Option<(Value, Option<Value>)>,
    ) -> Option<Subscribers> {
        let (link, row) = followed?;
        let key = Key::from(&*link);
        let webhooks = match &row {
            None => Some(Arc::default()),
            // A shop goes on without its webhooks; the feed has the events all the same.
            Some(row) => match self.parse(&key, row) {
                Ok(webhooks) => Some(webhooks),
                Err(fault) => {
                    tracing::error!(%fault, "events are not sent to webhooks");
                    None
                }
            },
        };
        Some(Subscribers { key, row, webhooks })
    }

    fn parse(&self, key: &Key, row: &Value) -> Result<Arc<Webhooks>, Fault> {
        let rows = [row.clone()];
        if let Some(parsed) = self.parsed.get(key, &rows) {
            return Ok(parsed);
        }
        let webhooks = Webhooks::read(key, Some(row))?;
        Ok(self.parsed.put(key.clone(), rows, webhooks))
    }
}
