//! The builder of [`Connect`]: what the core takes from outside besides its storage.

use std::{fmt, sync::Arc};

use super::connect::Connect;
use crate::{
    rules::rate::RateLimits,
    storage::Storage,
    transaction::{
        StorageLimits,
        environment::{Clock, Environment, Ids, ImageLinks, Randomness, WebhookLinks},
    },
};

/// Builds [`Connect`]. What is not set has the default that its method names.
///
/// ```
/// use std::sync::Arc;
/// use connect_core::{
///     Connect,
///     environment::{ManualClock, SequentialIds},
///     storage::memory::MemoryStorage,
///     wire::Timestamp,
/// };
///
/// // As a service has it:
/// let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
///
/// // As a test has it: time moves when the test says so, and ids count up.
/// let clock = ManualClock::at(Timestamp::EPOCH);
/// let connect = Connect::builder(Arc::new(MemoryStorage::new()))
///     .clock(clock.clone())
///     .ids(Arc::new(SequentialIds::default()))
///     .build();
/// clock.advance(60);
/// ```
#[derive(Clone)]
#[must_use = "nothing is built until `build` is called"]
pub struct ConnectBuilder {
    storage: Arc<dyn Storage>,
    environment: Environment,
    limits: RateLimits,
    storage_limits: StorageLimits,
    is_shared: bool,
}

impl Connect {
    /// Begins a core on `storage`, which may be empty.
    pub fn builder(storage: Arc<dyn Storage>) -> ConnectBuilder {
        ConnectBuilder {
            storage,
            environment: Environment::default(),
            limits: RateLimits::default(),
            storage_limits: StorageLimits::default(),
            is_shared: false,
        }
    }
}

impl ConnectBuilder {
    /// Takes the time from `clock`. [`SystemClock`](crate::transaction::environment::SystemClock) unless set.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.environment.clock = clock;
        self
    }

    /// Dates the signatures of webhooks by `clock`. By that of [`clock`](Self::clock) unless set.
    ///
    /// Receivers hold these dates against their own clocks, and take what is a few minutes off. So a
    /// core whose time is not that of the day, as in a sandbox, signs by another clock.
    pub fn signing_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.environment.signing_clock = Some(clock);
        self
    }

    /// Takes the ids of new records from `ids`. [`UuidV7`](crate::transaction::environment::UuidV7) unless set.
    pub fn ids(mut self, ids: Arc<dyn Ids>) -> Self {
        self.environment.ids = ids;
        self
    }

    /// Makes secrets out of `randomness`. The operating system's random source,
    /// [`SystemRandomness`](crate::transaction::environment::SystemRandomness), unless set.
    pub fn randomness(mut self, randomness: Arc<dyn Randomness>) -> Self {
        self.environment.randomness = randomness;
        self
    }

    /// Takes the links to images that `links` takes.
    /// [`HttpsLinks`](crate::transaction::environment::HttpsLinks) unless set.
    pub fn image_links(mut self, links: Arc<dyn ImageLinks>) -> Self {
        self.environment.image_links = links;
        self
    }

    /// Takes the addresses of webhooks that `links` takes.
    /// [`HttpsWebhooks`](crate::transaction::environment::HttpsWebhooks) unless set.
    pub fn webhook_links(mut self, links: Arc<dyn WebhookLinks>) -> Self {
        self.environment.webhook_links = links;
        self
    }

    /// Limits the requests of tokens, accounts and addresses. The limits of the specification,
    /// [`RateLimits::default`], unless set.
    pub fn limits(mut self, limits: RateLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Limits what is stored for an account and each of its locations. [`StorageLimits::default`] unless
    /// set. A write beyond them is refused as [`Error::LimitReached`](crate::transaction::Error::LimitReached).
    pub fn storage_limits(mut self, limits: StorageLimits) -> Self {
        self.storage_limits = limits;
        self
    }

    /// Has the limits of tokens, accounts and invalid tokens hold for all processes on the storage together.
    /// Each process counts for itself unless set.
    ///
    /// A process counts the requests that come to it, and tells the others of every tenth of a limit, or
    /// third of that of an address, through the storage. Together they answer at most that much more than a limit for each
    /// process but one. Requests that need no token, and sign-ins, are counted by each process alone.
    pub fn share_limits(mut self) -> Self {
        self.is_shared = true;
        self
    }

    /// Notes that the service sends and downloads nothing: the store is a copy that is tried. Whoever builds the
    /// service leaves out the workers of webhooks and images, and what it shows of itself says so.
    pub fn hold_deliveries(mut self) -> Self {
        self.environment.holds_deliveries = true;
        self
    }

    /// Builds the core. Nothing is read or written yet.
    pub fn build(self) -> Connect {
        let Self {
            storage,
            environment,
            limits,
            storage_limits,
            is_shared,
        } = self;
        Connect::over(storage, environment, limits, storage_limits, is_shared)
    }
}

impl fmt::Debug for ConnectBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectBuilder")
            .field("limits", &self.limits)
            .field("is_shared", &self.is_shared)
            .finish_non_exhaustive()
    }
}
