//! The webhooks that may get the events of a unit of work, parsed once.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;

use super::{Fault, Webhooks};
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
    pub(super) fn webhooks(&self) -> &Arc<Webhooks> {
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
