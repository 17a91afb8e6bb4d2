//! The entrance to the core.

use std::sync::Arc;

use crate::{
    environment::Environment,
    record::{Fault, Records, Unit},
    rules::rate::RateLimits,
    storage::Storage,
};
use uuid::Uuid;

use super::{admission::Admission, lane::Lanes};

/// Connect over one storage. Cheap to clone; all clones share their state.
///
/// Every method that asks for an [`Access`](super::Access) acts at the location that the access
/// was given for.
#[derive(Clone)]
pub struct Connect {
    pub(super) core: Arc<Core>,
}

pub(super) struct Core {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) environment: Environment,
    pub(super) admission: Admission,
    pub(super) lanes: Lanes,
}

/// How often a unit of work is run when others keep changing what it read.
pub(super) const ATTEMPTS: usize = 32;

impl Connect {
    /// Connect on `storage`, which may be empty.
    pub fn new(storage: Arc<dyn Storage>, environment: Environment, limits: RateLimits) -> Self {
        let admission = Admission::new(limits);
        Self {
            core: Arc::new(Core {
                storage,
                environment,
                admission,
                lanes: Lanes::default(),
            }),
        }
    }

    pub(super) fn now(&self) -> crate::wire::Timestamp {
        self.core.environment.clock.now()
    }

    /// The records of one partition.
    pub(super) fn records(&self, partition: Uuid) -> Records<'_> {
        Records::of(&*self.core.storage, partition)
    }

    /// Units of work on `partition`, to be tried until one is committed.
    pub(super) fn attempts(&self, partition: Uuid) -> Attempts<'_> {
        Attempts {
            core: &self.core,
            partition,
            left: ATTEMPTS,
        }
    }
}

/// One unit of work after another, for a change that others may be faster than.
pub(super) struct Attempts<'c> {
    core: &'c Core,
    partition: Uuid,
    left: usize,
}

impl<'c> Attempts<'c> {
    /// A new unit, on the state as it is now.
    pub(super) async fn next(&mut self) -> Result<Unit<'c>, Fault> {
        self.left = self.left.checked_sub(1).ok_or(Fault::Busy)?;
        Unit::begin(&*self.core.storage, &self.core.environment, self.partition).await
    }
}
