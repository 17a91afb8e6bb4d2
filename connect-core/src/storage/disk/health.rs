//! The condition of a store, for probes and for the log.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::storage::StorageError;

/// The condition of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Reads and commits are served.
    Working,
    /// The disk has no room. Commits are refused until there is some; reads are served.
    Full,
    /// The database failed and is being opened again. Commits are refused until it is open.
    Failed {
        /// The error, for the operator.
        reason: String,
    },
    /// A newer program writes to the store: this one reads and writes no more.
    Outdated,
}

/// Tells the [`Health`] of a store, for as long as anybody wants to know.
#[derive(Clone, Debug)]
pub struct HealthProbe(Arc<Mutex<Health>>);

impl HealthProbe {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Health::Working)))
    }

    /// The condition as of now.
    pub fn health(&self) -> Health {
        self.0.lock().clone()
    }

    /// Changes the condition, and tells the log when it is another one.
    pub(super) fn set(&self, health: Health) {
        let mut now = self.0.lock();
        if *now == health {
            return;
        }
        match &health {
            Health::Working => tracing::info!("the store works again"),
            // Only a database, which has no such probe, is written to by others.
            Health::Outdated => {}
            Health::Full => tracing::warn!("the disk has no room left; commits are refused"),
            Health::Failed { reason } => {
                tracing::error!(%reason, "the store has failed and is opened again");
            }
        }
        *now = health;
    }

    pub(super) fn failed(&self, error: &StorageError) {
        self.set(Health::Failed {
            reason: error.to_string(),
        });
    }
}
