//! The entrance to the core.

use std::sync::Arc;

use uuid::Uuid;

use super::{admission::Admission, recent_answers::RecentAnswers, write_queue::WriteQueues};
use crate::{
    environment::Environment,
    record::{Attempts, Store},
    rules::rate::RateLimits,
    storage::Storage,
};

/// Connect over one storage. Cheap to clone; all clones share their state.
///
/// Every method that asks for an [`Access`](super::Access) acts at the location that the access
/// was given for.
#[derive(Clone)]
pub struct Connect {
    pub(super) core: Arc<Core>,
}

pub(super) struct Core {
    pub(super) store: Store,
    pub(super) admission: Admission,
    pub(super) queues: WriteQueues,
    pub(super) recent_answers: RecentAnswers,
}

impl Connect {
    /// Connect on `storage`, which may be empty.
    pub fn new(storage: Arc<dyn Storage>, environment: Environment, limits: RateLimits) -> Self {
        let admission = Admission::new(limits);
        Self {
            core: Arc::new(Core {
                store: Store::new(storage, environment),
                admission,
                queues: WriteQueues::default(),
                recent_answers: RecentAnswers::default(),
            }),
        }
    }

    pub(super) fn now(&self) -> crate::wire::Timestamp {
        self.core.store.now()
    }

    pub(super) fn store(&self) -> &Store {
        &self.core.store
    }

    /// Attempts at a unit of work on `partition`.
    pub(super) fn attempts(&self, partition: Uuid) -> Attempts<'_> {
        self.core.store.attempts(partition)
    }
}
