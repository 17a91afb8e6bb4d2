//! The things that the core counts while it runs, for whoever watches a service.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows. It begins at 0 with the process.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// The number as it is now.
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

/// The counts of a core since it was built. They hold nothing about anybody.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Figures {
    /// Commits that the storage took.
    pub commits: Count,
    /// Commits that the storage refused, since others had changed what they expected. Most of them
    /// are made again at once.
    pub conflicts: Count,
    /// Commits that failed, or of which it stayed unknown how they ended.
    pub failed_commits: Count,
    /// Reads that the storage did not answer.
    pub failed_reads: Count,
    /// Requests that were refused since a limit was used up.
    pub limited: Limited,
    /// Records and requests that there was no room for.
    pub limit_reached: Count,
    /// The attempts to deliver events, and what followed from them.
    pub deliveries: Deliveries,
    /// The jobs of taking over images.
    pub images: ImageJobs,
}

/// The number of refused requests, by the limit that was used up.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Limited {
    /// That of a token.
    pub token: Count,
    /// That of an account.
    pub account: Count,
    /// That of a screen.
    pub screen: Count,
    /// That of a signed-in owner.
    pub owner: Count,
    /// That of an address whose requests have no valid token or key.
    pub address: Count,
    /// That of an address whose requests need no token. Probes are counted as well: whether one is
    /// refused is for the server to say.
    pub anonymous: Count,
    /// That of attempts to sign in.
    pub sign_in: Count,
}

/// The number of deliveries, by what has become of them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Deliveries {
    /// Deliveries that the endpoint took.
    pub succeeded: Count,
    /// Attempts that failed and are made again later.
    pub failed: Count,
    /// Deliveries that were given up: their last attempt failed, or their webhook was switched off.
    pub given_up: Count,
    /// Webhooks that were switched off after too many failures in a row.
    pub switched_off: Count,
}

/// The number of image jobs, by what has become of them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ImageJobs {
    /// Images that were taken over.
    pub done: Count,
    /// Images that could not be taken over.
    pub failed: Count,
    /// Downloads that are tried again later.
    pub postponed: Count,
}
