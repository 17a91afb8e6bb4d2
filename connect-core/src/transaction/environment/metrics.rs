//! The counters of the running core, for monitoring.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter. It begins at 0 with the process and only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// The current number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn increase(&self) {
        self.add(1);
    }

    pub(crate) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }
}

/// The counters of a core since it was built, without personal data.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Figures {
    /// Successful commits.
    pub commits: Count,
    /// Commits refused by the storage because of a conflict.
    /// Most of them are retried at once.
    pub conflicts: Count,
    /// Failed commits, and commits with an unknown outcome.
    pub failed_commits: Count,
    /// Failed reads of the storage.
    pub failed_reads: Count,
    /// Requests refused by a rate limit.
    pub limited: Limited,
    /// Records and requests refused by a limit on storage.
    pub limit_reached: Count,
    /// Delivery attempts, and their outcomes.
    pub deliveries: Deliveries,
    /// The jobs of taking over images.
    pub images: ImageJobs,
}

/// The number of refused requests, by the exceeded limit.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Limited {
    /// Of a token.
    pub token: Count,
    /// Of an account.
    pub account: Count,
    /// Of a screen.
    pub screen: Count,
    /// Of a signed-in owner.
    pub owner: Count,
    /// Of an address, for requests without a valid token or key.
    pub address: Count,
    /// Of an address, for requests without need of a token.
    /// Probes count as well: the server decides whether to refuse them.
    pub anonymous: Count,
    /// Of attempts to sign in.
    pub sign_in: Count,
}

/// The number of deliveries, by outcome.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Deliveries {
    /// Deliveries accepted by the endpoint.
    pub succeeded: Count,
    /// Failed attempts with a retry to come.
    pub failed: Count,
    /// Deliveries given up after their last attempt, or with a switched-off webhook.
    pub given_up: Count,
    /// Webhooks switched off after too many failures in a row.
    pub switched_off: Count,
}

/// The number of image jobs, by outcome.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ImageJobs {
    /// Images taken over.
    pub done: Count,
    /// Images not taken over.
    pub failed: Count,
    /// Downloads with a retry to come.
    pub postponed: Count,
}
