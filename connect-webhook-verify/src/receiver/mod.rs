//! A receiver for any web framework: secrets and body limit.
//! It yields the checked delivery (feature `receiver`, part of `warp` and `axum`).

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    vec::Vec,
};

use crate::{
    secret::Secret,
    verify::{Verifier, system_time},
};

mod delivery;
mod read;
mod refusal;

pub use delivery::Delivery;
pub use refusal::Refusal;

/// The default limit of a body: 1 MiB.
/// It is far above any delivery of the service.
pub const DEFAULT_LIMIT: usize = 1024 * 1024;

type Clock = dyn Fn() -> u64 + Send + Sync;
type Watch = dyn Fn(&Refusal) + Send + Sync;

/// A verifier with a limit for the body and a clock.
///
/// Clones share the secrets, so [`replace`](Self::replace) on one changes them all.
#[derive(Clone)]
pub struct Receiver {
    verifier: Arc<RwLock<Arc<Verifier<Vec<Secret>>>>>,
    limit: usize,
    clock: Arc<Clock>,
    watch: Arc<Watch>,
}

impl Receiver {
    /// A receiver with a limit of [`DEFAULT_LIMIT`] bytes and the system clock.
    #[must_use]
    pub fn new<S: AsRef<[Secret]>>(verifier: &Verifier<S>) -> Self {
        Self {
            verifier: Arc::new(RwLock::new(Arc::new(verifier.to_owned()))),
            limit: DEFAULT_LIMIT,
            clock: Arc::new(system_time),
            watch: Arc::new(|_| ()),
        }
    }

    /// Sets the largest body, in bytes. Larger ones get 413.
    /// The limit applies to announced and chunked bodies, and is the most to be collected.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sets another clock, in seconds since 1970: for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets a callback for every refusal by this crate, to log it.
    /// The client only sees the refusal's code. Refusals by a handler calling [`Delivery::json`] itself
    /// are not included.
    #[must_use]
    pub fn on_refusal(mut self, watch: impl Fn(&Refusal) + Send + Sync + 'static) -> Self {
        self.watch = Arc::new(watch);
        self
    }

    /// Replaces the secrets while deliveries go on.
    /// A check already begun ends with its old secrets. See [rolling](crate::guide::rolling).
    pub fn replace<S: AsRef<[Secret]>>(&self, verifier: &Verifier<S>) {
        let verifier = Arc::new(verifier.to_owned());
        *self
            .verifier
            .write()
            .unwrap_or_else(PoisonError::into_inner) = verifier;
    }

    fn verifier(&self) -> Arc<Verifier<Vec<Secret>>> {
        self.verifier
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("verifier", &self.verifier())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
