//! The condition of a store, for probes and for the log.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use parking_lot::Mutex;

use super::{
    damage::{self, DamagedRange},
    space::Space,
};
use crate::storage::StorageError;

/// The most damaged parts to name in the log at a time.
const NAMED: usize = 20;

/// The most room for a usual commit, in bytes.
pub(super) const USUAL_COMMIT: u64 = 256 * 1024;

/// The condition of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Reads and commits are served.
    Working,
    /// The disk is full.
    /// Commits are refused until there is room; reads are served.
    Full,
    /// Pages of the database's file are damaged.
    /// Commits are refused, and reads of these pages; other reads are served.
    Damaged {
        /// The damage, for the operator.
        reason: String,
    },
    /// The database failed and is being reopened. Commits are refused until then.
    Failed {
        /// The error, for the operator.
        reason: String,
    },
    /// A newer program writes to the store: this one no longer reads or writes.
    Outdated,
}

/// The checks of pages since the opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrubCounts {
    /// The size of the checked pages, in bytes.
    pub bytes: u64,
    /// The number of known damaged parts: pages, and single rows.
    pub damaged_ranges: u64,
}

/// A probe for the [`Health`] of a store. It outlives the store.
#[derive(Clone, Debug)]
pub struct HealthProbe {
    state: Arc<Mutex<HealthState>>,
    /// Asked for the free room on each call, without any commit.
    space: Arc<Space>,
    /// The size of the checked pages, in bytes.
    scrubbed: Arc<AtomicU64>,
}

#[derive(Debug)]
struct HealthState {
    now: Health,
    /// The damaged parts. They stay until another opening finds all pages whole.
    damaged: Arc<[DamagedRange]>,
}

impl HealthProbe {
    pub(super) fn new(space: Space) -> Self {
        Self {
            state: Arc::new(Mutex::new(HealthState {
                now: Health::Working,
                damaged: Arc::default(),
            })),
            space: Arc::new(space),
            scrubbed: Arc::default(),
        }
    }

    /// The current condition.
    pub fn health(&self) -> Health {
        let state = self.state.lock();
        match (&state.now, damage::describe(&state.damaged)) {
            (Health::Working | Health::Full, Some(reason)) => Health::Damaged { reason },
            (Health::Working | Health::Full, None) if self.space.has_room_for(USUAL_COMMIT) => {
                Health::Working
            }
            (Health::Working | Health::Full, None) => Health::Full,
            (now, _) => now.clone(),
        }
    }

    /// The checks of pages so far.
    pub fn scrub(&self) -> ScrubCounts {
        ScrubCounts {
            bytes: self.scrubbed.load(Ordering::Relaxed),
            damaged_ranges: self.state.lock().damaged.len() as u64,
        }
    }

    /// Counts checked pages, by their size in bytes.
    pub(super) fn scrubbed(&self, bytes: u64) {
        self.scrubbed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The condition last set by the writer.
    pub(super) fn noted(&self) -> Health {
        self.state.lock().now.clone()
    }

    /// The reason for refusing commits to a damaged store.
    pub(super) fn damage(&self) -> Option<StorageError> {
        let reason = damage::describe(&self.state.lock().damaged)?;
        Some(StorageError::new(format_args!(
            "nothing is written, since {reason}"
        )))
    }

    /// Sets the damage of the store, if any, and logs it when it differs from before.
    /// Each damaged part is named once.
    pub(super) fn set_damage(&self, damaged: Arc<[DamagedRange]>) {
        let mut state = self.state.lock();
        if state.damaged == damaged {
            return;
        }
        let is_known = |part: &DamagedRange| {
            let at = state
                .damaged
                .partition_point(|known| known.from < part.from);
            state.damaged.get(at) == Some(part)
        };
        let new: Vec<_> = damaged.iter().filter(|part| !is_known(part)).collect();
        for part in new.iter().take(NAMED) {
            tracing::error!(%part, "a part of the store cannot be read");
        }
        let more = new.len().saturating_sub(NAMED);
        if more > 0 {
            tracing::error!(more, "further parts of the store cannot be read");
        }
        match damage::describe(&damaged) {
            Some(reason) => tracing::error!(%reason, "the store is damaged"),
            None => tracing::info!("the store is no longer damaged"),
        }
        state.damaged = damaged;
    }

    /// Sets the condition, and logs a change.
    pub(super) fn set(&self, health: Health) {
        let now = &mut self.state.lock().now;
        if *now == health {
            return;
        }
        match &health {
            Health::Working => tracing::info!("the store works again"),
            // Only a database has other writers, and it has no such probe.
            Health::Outdated => {}
            Health::Full => tracing::warn!("the disk has no room left; commits are refused"),
            // Logged by `set_damage`.
            Health::Damaged { .. } => return,
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
