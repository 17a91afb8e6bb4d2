//! The counters of the running core, for monitoring.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter. It begins at 0 with the process and only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
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
pub struct Metrics {
    /// Successful commits.
    pub commits: Counter,
    /// Commits refused by the storage because of a conflict.
    /// Most of them are retried.
    pub conflicts: Counter,
    /// Failed commits, and commits with an unknown outcome.
    pub failed_commits: Counter,
    /// Failed reads of the storage.
    pub failed_reads: Counter,
    /// Requests refused by a rate limit.
    pub limited: Limited,
    /// Records and requests refused by a limit on storage.
    pub limit_reached: Counter,
    /// Delivery attempts, and their outcomes.
    pub deliveries: Deliveries,
    /// The jobs of taking over images.
    pub images: ImageJobs,
    /// Mail to users.
    pub mails: Mails,
}

/// The number of refused requests, by the exceeded limit.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Limited {
    /// Of a token.
    pub token: Counter,
    /// Of an account.
    pub account: Counter,
    /// Of a screen.
    pub screen: Counter,
    /// Of a signed-in owner.
    pub owner: Counter,
    /// Of an address, for requests without a valid token or key.
    pub address: Counter,
    /// Of an address, for requests without need of a token.
    /// Probes count as well: the server decides whether to refuse them.
    pub anonymous: Counter,
    /// Of attempts to sign in.
    pub sign_in: Counter,
}

/// The number of deliveries, by outcome.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Deliveries {
    /// Deliveries accepted by the endpoint.
    pub succeeded: Counter,
    /// Failed attempts with a retry to come.
    pub failed: Counter,
    /// Deliveries given up after their last attempt, or with a switched-off webhook.
    pub given_up: Counter,
    /// Webhooks switched off after too many failures in a row.
    pub switched_off: Counter,
}

/// The number of messages to users, by outcome.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Mails {
    /// Messages accepted by the mail server.
    pub sent: Counter,
    /// Failed attempts with a retry to come.
    pub postponed: Counter,
    /// Messages dropped unsent.
    pub dropped: Counter,
}

/// The number of image jobs, by outcome.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ImageJobs {
    /// Images taken over.
    pub done: Counter,
    /// Images not taken over.
    pub failed: Counter,
    /// Downloads with a retry to come.
    pub postponed: Counter,
}
