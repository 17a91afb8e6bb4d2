//! Time, ids and randomness, injected for control by tests.
//! A test of a day of retries, or of a step of the clock, takes milliseconds. Also the ports for
//! images, webhooks, mail to owners and the keys of secrets, and the counters of the core.

mod clock;
mod images;
mod metrics;
mod monotonic;
mod secret_keys;
mod webhooks;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use uuid::Uuid;

pub use clock::{Clock, ManualClock, SystemClock};
pub use images::{HttpsLinks, ImageCopies, ImageFailure, ImageLinks, Images};
pub use metrics::{Counter, Deliveries, ImageJobs, Limited, Mails, Metrics};
pub use monotonic::{MonotonicClock, Skew};
pub use secret_keys::{KeyId, KeyRing, NoSecretKey, SecretKey, SecretKeys};
pub use webhooks::{
    HttpsWebhooks, Mail, Mailer, SendFailure, WebhookAnswer, WebhookLinks, WebhookRequest,
    WebhookSender,
};

/// Makes ids.
pub trait Ids: Send + Sync + 'static {
    /// A new id, unique everywhere.
    fn next(&self) -> Uuid;
}

/// Makes secrets.
pub trait Randomness: Send + Sync + 'static {
    /// Fills `bytes` with unpredictable random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// The injected time, ids and randomness, and checks of links.
#[derive(Clone)]
pub(crate) struct Environment {
    /// Tells the time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Dates the signatures of webhooks; the clock unless set.
    pub(crate) signing_clock: Option<Arc<dyn Clock>>,
    /// Makes ids of records.
    pub(crate) ids: Arc<dyn Ids>,
    /// Makes secrets.
    pub(crate) randomness: Arc<dyn Randomness>,
    /// Seals stored secrets; without it they stay in clear.
    pub(crate) secret_keys: Option<Arc<dyn SecretKeys>>,
    /// Checks links to images.
    pub(crate) image_links: Arc<dyn ImageLinks>,
    /// The stored copies of images, if this process has them.
    pub(crate) image_copies: Option<Arc<dyn ImageCopies>>,
    /// Checks the addresses of webhooks.
    pub(crate) webhook_links: Arc<dyn WebhookLinks>,
    /// Set when a worker sends mail to users.
    pub(crate) queues_mail: bool,
    /// Set when sending and downloading are on hold.
    pub(crate) holds_deliveries: bool,
}

impl Default for Environment {
    /// The system's clock and random source, UUID v7, and links over HTTPS.
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            signing_clock: None,
            ids: Arc::new(UuidV7),
            randomness: Arc::new(SystemRandomness),
            secret_keys: None,
            image_links: Arc::new(HttpsLinks),
            image_copies: None,
            webhook_links: Arc::new(HttpsWebhooks),
            queues_mail: false,
            holds_deliveries: false,
        }
    }
}

/// UUID version 7: ids of later records sort later.
#[derive(Clone, Copy, Debug, Default)]
pub struct UuidV7;

impl Ids for UuidV7 {
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// The operating system's random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    #[expect(
        clippy::expect_used,
        reason = "without randomness no secret may be made"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        use rand::TryRng as _;
        rand::rngs::SysRng
            .try_fill_bytes(bytes)
            .expect("the operating system gives random bytes");
    }
}

/// Counting ids in the form of UUID v7, reproducible in tests.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl Ids for SequentialIds {
    fn next(&self) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::Relaxed);
        uuid::Builder::from_unix_timestamp_millis(count, &[0; 10]).into_uuid()
    }
}
