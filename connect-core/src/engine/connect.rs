//! The entrance to the core.

use std::{net::IpAddr, sync::Arc, time::Duration};

use parking_lot::Mutex;

use super::{replay_hints::ReplayHints, write_queue::WriteQueues};
use crate::{
    auth::{Access, Actor, Admission, Authenticated, Denied, SignIns},
    rules::rate::{RateLimits, RateStatus},
    storage::Storage,
    transaction::{
        Author, Authorship, Origin, StorageLimits, Store,
        environment::{Environment, KeyRing, Metrics},
    },
    wire::Timestamp,
};

/// Connect over one storage, made by [`builder`](Self::builder).
/// Cheap to clone; all clones share their state.
///
/// Every method with an [`Access`] parameter acts at the location of the access.
#[derive(Clone)]
pub struct Connect {
    pub(crate) core: Arc<Core>,
    /// The store, with the author of the calls.
    store: Store,
}

pub(crate) struct Core {
    pub(crate) admission: Admission,
    pub(crate) sign_ins: SignIns,
    pub(crate) queues: Arc<WriteQueues>,
    pub(crate) replay_hints: ReplayHints,
    /// The keys for which maintenance has found all secrets sealed, and the elapsed time then.
    pub(super) sealed_for: Mutex<Option<(KeyRing, Duration)>>,
    /// The time at which maintenance last looked for erased images in all products.
    pub(super) products_read_at: Mutex<Option<Timestamp>>,
    /// The time of the last purge of old requests.
    pub(super) requests_purged_at: Mutex<Option<Timestamp>>,
}

impl Connect {
    pub(super) fn over(
        storage: Arc<dyn Storage>,
        environment: Environment,
        limits: RateLimits,
        storage_limits: StorageLimits,
        trail_days: u32,
        is_shared: bool,
    ) -> Self {
        let store = Store::with_limits(storage, environment, storage_limits, trail_days);
        let shared = Arc::new(store.clone());
        Self {
            core: Arc::new(Core {
                admission: Admission::new(shared.clone(), limits, is_shared),
                sign_ins: SignIns::new(shared.clone()),
                queues: Arc::new(WriteQueues::new(shared)),
                replay_hints: ReplayHints::default(),
                sealed_for: Mutex::default(),
                products_read_at: Mutex::default(),
                requests_purged_at: Mutex::default(),
            }),
            store,
        }
    }

    /// Returns a handle for the calls of an author.
    /// They need the author's rights, and name the author in the audit trail. Without it, the author is the
    /// service itself, with all rights.
    #[must_use]
    pub fn by(&self, author: Author, origin: Origin) -> Self {
        Self {
            core: self.core.clone(),
            store: self.store.by(Arc::new(Authorship { author, origin })),
        }
    }

    /// The author of this handle's calls, and their origin.
    pub(crate) fn authorship(&self) -> Authorship {
        let authorship = self.store.authorship().map(|authorship| &**authorship);
        authorship.cloned().unwrap_or_default()
    }

    /// The author of a write at a location, and its origin.
    /// A token, a screen and a user are known by their access.
    pub(super) fn authorship_at(&self, at: &Access) -> Arc<Authorship> {
        let own = self.store.authorship();
        let author = match at.actor() {
            Actor::Token { id, name } => Author::Token {
                id,
                name: name.to_owned(),
            },
            Actor::Screen { id, name, .. } => Author::Screen {
                id,
                name: name.to_owned(),
            },
            Actor::Owner { user: Some(id), .. } => Author::User { id },
            Actor::Owner { user: None, .. } => return own.cloned().unwrap_or_default(),
        };
        if let Some(own) = own.filter(|own| own.author == author) {
            return own.clone();
        }
        let origin = own.map(|own| own.origin.clone()).unwrap_or_default();
        Arc::new(Authorship { author, origin })
    }

    /// Checks the token of a request from `address`, and counts the request.
    /// `token` is `None` for a request without a token.
    ///
    /// # Errors
    /// [`Unauthorized`](crate::Error::Unauthorized) without a valid token,
    /// [`RateLimited`](crate::Error::RateLimited) when a limit is used up (the request then counts against
    /// nothing), [`Internal`](crate::Error::Internal).
    pub async fn authenticate(
        &self,
        address: IpAddr,
        token: Option<&str>,
    ) -> Result<Authenticated, Denied> {
        self.core.admission.authenticate(address, token).await
    }

    /// Admits a screen to its location by its key, and counts the request.
    /// `key` is `None` for a request without a key. The request counts against the screen. A screen may
    /// make as many requests as a token; requests of its account's tokens do not count against it.
    ///
    /// # Errors
    /// [`Unauthorized`](crate::Error::Unauthorized) without a valid key,
    /// [`RateLimited`](crate::Error::RateLimited) when the screen has made too many requests, or too many
    /// without a valid key came from `address`, [`Internal`](crate::Error::Internal).
    pub async fn authenticate_screen(
        &self,
        address: IpAddr,
        key: Option<&str>,
    ) -> Result<Access, Denied> {
        self.core.admission.authenticate_screen(address, key).await
    }

    /// Counts a request without need of a token.
    /// A request for the API document is an example.
    ///
    /// # Errors
    /// [`RateLimited`](crate::Error::RateLimited) when `address` has sent too many such requests.
    pub fn count_anonymous(&self, address: IpAddr) -> Result<RateStatus, Box<Denied>> {
        self.core.admission.count_anonymous(address)
    }

    /// The rate-limit status of a request known only by its address.
    pub fn anonymous_rate(&self, address: IpAddr) -> RateStatus {
        self.core.admission.anonymous_rate(address)
    }

    /// Returns whether mail to users is [queued](crate::ConnectBuilder::queue_mail).
    pub fn queues_mail(&self) -> bool {
        self.store.environment().queues_mail
    }

    /// The counters of this core since it was built.
    pub fn metrics(&self) -> &Metrics {
        self.store.metrics()
    }

    /// The current time of this core.
    /// Steps of the machine's clock do not move it.
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}

impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect").finish_non_exhaustive()
    }
}
