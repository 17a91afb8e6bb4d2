//! The builder of [`Connect`], for its dependencies besides its storage.

use std::{fmt, sync::Arc};

use super::connect::Connect;
use crate::{
    rules::rate::RateLimits,
    storage::Storage,
    transaction::{
        StorageLimits,
        environment::{
            Clock, Environment, Ids, ImageCopies, ImageLinks, Randomness, SecretKeys, WebhookLinks,
        },
    },
    wire::limits::DEFAULT_TRAIL_DAYS,
};

/// Builds [`Connect`]. Each method names the default of its setting.
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
    trail_days: u32,
    is_shared: bool,
}

impl Connect {
    /// Starts a builder with `storage`. The storage may be empty.
    pub fn builder(storage: Arc<dyn Storage>) -> ConnectBuilder {
        ConnectBuilder {
            storage,
            environment: Environment::default(),
            limits: RateLimits::default(),
            storage_limits: StorageLimits::default(),
            trail_days: DEFAULT_TRAIL_DAYS,
            is_shared: false,
        }
    }
}

impl ConnectBuilder {
    /// Sets the clock.
    /// The default is [`SystemClock`](crate::transaction::environment::SystemClock).
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.environment.clock = clock;
        self
    }

    /// Sets the clock for the dates of webhook signatures.
    /// The default is the clock set by [`clock`](Self::clock).
    ///
    /// Receivers compare these dates with their own clocks, with a tolerance of a few minutes. So a core
    /// with an artificial time, as in a sandbox, needs another clock for signatures.
    pub fn signing_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.environment.signing_clock = Some(clock);
        self
    }

    /// Sets the source of ids of new records.
    /// The default is [`UuidV7`](crate::transaction::environment::UuidV7).
    pub fn ids(mut self, ids: Arc<dyn Ids>) -> Self {
        self.environment.ids = ids;
        self
    }

    /// Sets the source of randomness for secrets.
    /// The default is the operating system's random source,
    /// [`SystemRandomness`](crate::transaction::environment::SystemRandomness).
    pub fn randomness(mut self, randomness: Arc<dyn Randomness>) -> Self {
        self.environment.randomness = randomness;
        self
    }

    /// Sets the keys by which stored secrets are sealed, such as the signing secrets of webhooks.
    /// Without this they are stored in clear. With it, [`maintain`](Connect::maintain) seals the secrets in
    /// clear, and seals those of former keys by the first one.
    ///
    /// Have the keys outside of the store and of its copies, such as in a file. A webhook waits while the key of
    /// its secret is missing.
    pub fn secret_keys(mut self, keys: Arc<dyn SecretKeys>) -> Self {
        self.environment.secret_keys = Some(keys);
        self
    }

    /// Sets the check of links to images.
    /// The default is [`HttpsLinks`](crate::transaction::environment::HttpsLinks).
    pub fn image_links(mut self, links: Arc<dyn ImageLinks>) -> Self {
        self.environment.image_links = links;
        self
    }

    /// Sets the place of the stored copies of images.
    /// Without it, an export has no images, and an erasure removes none.
    pub fn image_copies(mut self, copies: Arc<dyn ImageCopies>) -> Self {
        self.environment.image_copies = Some(copies);
        self
    }

    /// Sets the check of addresses of webhooks.
    /// The default is [`HttpsWebhooks`](crate::transaction::environment::HttpsWebhooks).
    pub fn webhook_links(mut self, links: Arc<dyn WebhookLinks>) -> Self {
        self.environment.webhook_links = links;
        self
    }

    /// Sets the rate limits of tokens, accounts and addresses.
    /// The default is [`RateLimits::default`], the limits of the specification.
    pub fn limits(mut self, limits: RateLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the storage limits of an account and each of its locations.
    /// The default is [`StorageLimits::default`]. A write beyond them is refused as
    /// [`Error::LimitReached`](crate::transaction::Error::LimitReached).
    pub fn storage_limits(mut self, limits: StorageLimits) -> Self {
        self.storage_limits = limits;
        self
    }

    /// Sets the number of days to keep entries of the audit trail, at least 1.
    /// The default is two years. [`maintain`](Connect::maintain) removes older entries.
    pub fn trail_days(mut self, days: u32) -> Self {
        self.trail_days = days.max(1);
        self
    }

    /// Shares rate limits between all processes on the storage.
    /// They are the limits of tokens, accounts and invalid tokens. By default each process counts separately.
    ///
    /// A process counts its own requests, and shares the count through the storage after at most every
    /// tenth of a limit, or third of the limit of an address. Together they exceed a limit by at most this
    /// much for each process but one. Requests without need of a token, and sign-ins, are counted by each
    /// process separately.
    pub fn share_limits(mut self) -> Self {
        self.is_shared = true;
        self
    }

    /// Queues mail to users, such as invitations and notices of new sign-ins.
    /// A [mail worker](Connect::mail_worker) sends it. Without this, no mail to users is queued.
    pub fn queue_mail(mut self) -> Self {
        self.environment.queues_mail = true;
        self
    }

    /// Marks the store as a trial copy: nothing is sent or downloaded.
    /// This is a note only. The service must run no workers of webhooks and images, and its status shows
    /// the note.
    pub fn hold_deliveries(mut self) -> Self {
        self.environment.holds_deliveries = true;
        self
    }

    /// Builds the core.
    /// Nothing is read or written yet.
    pub fn build(self) -> Connect {
        let Self {
            storage,
            environment,
            limits,
            storage_limits,
            trail_days,
            is_shared,
        } = self;
        Connect::over(
            storage,
            environment,
            limits,
            storage_limits,
            trail_days,
            is_shared,
        )
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
