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
    pub(crate) core: Arc<Core>,
}

pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) admission: Admission,
    pub(crate) queues: WriteQueues,
    pub(crate) recent_answers: RecentAnswers,
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

    pub(crate) fn now(&self) -> crate::wire::Timestamp {
        self.core.store.now()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.core.store
    }

    /// Attempts at a unit of work on `partition`.
    pub(crate) fn attempts(&self, partition: Uuid) -> Attempts<'_> {
        self.core.store.attempts(partition)
    }
}

impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect").finish_non_exhaustive()
    }
}
