//! The entrance to the core.

use std::sync::Arc;

use crate::{
    environment::Environment,
    record::{Fault, Records, Unit},
    rules::rate::RateLimits,
    storage::Storage,
};
use uuid::Uuid;

use super::{Failure, admission::Admission, lane::Lanes};

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
        Self { core: Arc::new(Core { storage, environment, admission, lanes: Lanes::default() }) }
    }

    pub(super) fn now(&self) -> crate::wire::Timestamp {
        self.core.environment.clock.now()
    }

    /// The records of one partition.
    pub(super) fn records(&self, partition: Uuid) -> Records<'_> {
        Records::of(&*self.core.storage, partition)
    }

    /// Runs `work` as a unit of its own on `partition`, again when others were faster.
    pub(super) async fn transact<T>(
        &self,
        partition: Uuid,
        work: impl AsyncFn(&mut Unit<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        for _ in 0..ATTEMPTS {
            let mut unit =
                Unit::begin(&*self.core.storage, &self.core.environment, partition).await?;
            let outcome = work(&mut unit).await?;
            if unit.commit().await? {
                return Ok(outcome);
            }
        }
        Err(Fault::Busy.into())
    }
}
