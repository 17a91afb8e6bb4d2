//! Admission of callers (specification: Authentication; contract: Which failure wins).
//!
//! The checks run in this order, and the first failure is the answer: the block of an address, the token,
//! the rate limits of token and account. Then, between `Connect::authenticate` and `Authenticated::authorize`,
//! the server around the core looks up the route. Last come the availability of the API to the account, the
//! location, and the scope.

use std::{collections::HashMap, net::IpAddr, slice, sync::Arc};

use parking_lot::Mutex;

use super::{
    counting::{RequestCounts, UsedUp},
    credential_cache::{self, Credential, CredentialCache},
    credentials::Credentials,
    device::Device,
    limit::{Limit, RateLimitKey},
    moment,
    pending_requests::PendingRequests,
    right::Access,
    sharing::Sharing,
};
use crate::{
    rules::{
        rate::{self, RateLimits, RateStatus, RequestTime},
        secret,
    },
    transaction::{Account, Error, Reason, Store, Token, User},
    wire::{Id, Location, Scope, Timestamp},
};

/// A caller with a valid token, within its rate limits.
#[derive(Clone, Debug)]
pub struct Authenticated {
    credentials: Arc<Credentials>,
    rate: RateStatus,
}

impl Authenticated {
    /// The presented token.
    pub fn token(&self) -> &Token {
        &self.credentials.token
    }

    /// The account of the token.
    pub fn account(&self) -> &Account {
        &self.credentials.account
    }

    /// The tighter rate-limit status, of the token or the account.
    pub fn rate(&self) -> RateStatus {
        self.rate
    }

    /// Checks the availability of the API to the caller's account.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`].
    pub fn check_available(&self) -> Result<(), Error> {
        self.credentials.check_available()
    }

    /// Authorizes the caller at a location for one scope.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`], [`Error::ForbiddenLocation`] (also for a missing location),
    /// [`Error::ForbiddenScope`].
    pub fn authorize(
        &self,
        location: impl Into<Id<Location>>,
        scope: &Scope,
    ) -> Result<Access, Error> {
        self.authorize_any(location, slice::from_ref(scope))
    }

    /// Authorizes the caller with one of these scopes at a location.
    ///
    /// # Errors
    /// As [`authorize`](Self::authorize).
    pub fn authorize_any(
        &self,
        location: impl Into<Id<Location>>,
        scopes: &[Scope],
    ) -> Result<Access, Error> {
        let location = location.into();
        let scope = self.credentials.authorize_any(location, scopes)?;
        Access::of_token(self.credentials.clone(), location, scope.clone())
            .ok_or_else(|| Error::forbidden_location(location))
    }
}

/// A refused caller, with the status of the applicable limit.
#[derive(Clone, Debug)]
pub struct Denied {
    /// The reason.
    pub error: Error,
    /// The status of the rate limit for the request.
    pub rate: RateStatus,
    /// The seconds to wait before a retry, after too many requests.
    pub retry_after: Option<i64>,
    /// The credentials of the caller, if its token is known.
    credentials: Option<Arc<Credentials>>,
}

impl Denied {
    /// The token of the caller, if it is known: ended, or over its limit.
    pub fn token(&self) -> Option<&Token> {
        let credentials = self.credentials.as_ref();
        credentials.map(|credentials| &*credentials.token)
    }
}

/// The in-memory state of admission; only last uses are stored.
pub(crate) struct Admission {
    store: Arc<Store>,
    limits: RateLimits,
    /// Requests with a valid token or key, and of signed-in owners.
    admitted: RequestCounts,
    /// Requests without a valid token or key.
    denied: RequestCounts,
    /// Requests without need of a token.
    anonymous: RequestCounts,
    tokens: CredentialCache<Credentials>,
    screen_keys: CredentialCache<Device>,
    /// Last uses of tokens, not yet stored.
    pub(crate) uses: Mutex<Uses>,
    /// Serializes the storing of last uses: the later time must be written last.
    pub(crate) writing_uses: tokio::sync::Mutex<()>,
    /// Answered requests, not yet stored.
    pub(crate) requests: Mutex<PendingRequests>,
    /// Serializes the storing of requests: their numbers follow each other.
    pub(crate) writing_requests: tokio::sync::Mutex<()>,
}

/// The last use of each token, with the token's account.
pub(crate) type Uses = HashMap<Id<Token>, (Id<Account>, Timestamp)>;

impl Admission {
    /// Makes the state; `is_shared` means other servers on the store.
    pub(crate) fn new(store: Arc<Store>, limits: RateLimits, is_shared: bool) -> Self {
        let sharing = is_shared.then(|| Arc::new(Sharing::new(store.clone())));
        Self {
            store,
            limits,
            admitted: RequestCounts::new(sharing.clone()),
            denied: RequestCounts::new(sharing),
            anonymous: RequestCounts::new(None),
            tokens: CredentialCache::default(),
            screen_keys: CredentialCache::default(),
            uses: Mutex::default(),
            writing_uses: tokio::sync::Mutex::default(),
            requests: Mutex::default(),
            writing_requests: tokio::sync::Mutex::default(),
        }
    }
}

impl Admission {
    /// Checks the token of a request from `address`, and counts the request.
    /// `token` is `None` for a request without a token.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] without a valid token, [`Error::RateLimited`] when a limit is used up (the
    /// request then counts against nothing), [`Error::Internal`].
    pub(crate) async fn authenticate(
        &self,
        address: IpAddr,
        token: Option<&str>,
    ) -> Result<Authenticated, Denied> {
        let found = find(&self.store, &self.tokens, token, Missing::token).await;
        // The clock is read after the store's answer: a slow store must not date the request a minute back.
        let at = moment(&self.store);
        let found = match found {
            Ok(found) => found,
            Err(error) => return Err(self.deny(address, at, error).await),
        };
        let credentials = found.clone();
        let admitted = match found.check_valid(at.now) {
            Ok(()) => self.count_token(address, found, at).await,
            Err(error) => Err(self.deny(address, at, error).await),
        };
        admitted.map_err(|denied| Denied {
            credentials: Some(credentials),
            ..denied
        })
    }

    /// Admits a screen by its key, and counts the request.
    /// It counts against the screen only, so other software of the account cannot use up its limit.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] without a valid key, [`Error::RateLimited`] when the screen has made too
    /// many requests, or too many without a valid key came from `address`, [`Error::Internal`].
    pub(crate) async fn authenticate_screen(
        &self,
        address: IpAddr,
        key: Option<&str>,
    ) -> Result<Access, Denied> {
        let found = find(&self.store, &self.screen_keys, key, Missing::key).await;
        let at = moment(&self.store);
        let access = found.and_then(|found| {
            let screen = found.screen.id;
            Access::of_screen(found)
                .map(|access| (screen, access))
                .ok_or_else(|| Error::bad_screen_key("is that of a screen without a location"))
        });
        let (screen, access) = match access {
            Ok(admitted) => admitted,
            Err(error) => return Err(self.deny(address, at, error).await),
        };
        let limit = Limit {
            caller: RateLimitKey::Screen(screen),
            most: self.limits.token,
        };
        let rate = self.count(address, limit, None, at).await?;
        Ok(access.counted(rate))
    }

    /// Counts a request of a signed-in owner, over all sessions.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the owner has made too many, [`Error::Internal`].
    pub(crate) async fn count_user(
        &self,
        address: IpAddr,
        user: Id<User>,
    ) -> Result<RateStatus, Denied> {
        let at = moment(&self.store);
        let limit = Limit {
            caller: RateLimitKey::User(user),
            most: self.limits.token,
        };
        self.count(address, limit, None, at).await
    }

    /// Counts a request without need of a token.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when `address` has sent too many such requests.
    pub(crate) fn count_anonymous(&self, address: IpAddr) -> Result<RateStatus, Box<Denied>> {
        let at = moment(&self.store);
        let most = self.limits.anonymous;
        let limit = self.anonymous.of_address(address, most, at);
        match self.anonymous.count_here(limit, None, at) {
            // Answers without a token carry the status of the limit for invalid tokens.
            Ok(_) => Ok(self.anonymous_rate(address)),
            Err(used_up) => {
                self.store.metrics().limited.anonymous.increase();
                let whose = "requests of this address that need no token";
                Err(too_many(used_up.rate, at, whose).into())
            }
        }
    }

    /// The rate-limit status of a request known only by its address.
    pub(crate) fn anonymous_rate(&self, address: IpAddr) -> RateStatus {
        let at = moment(&self.store);
        self.denied.status(address, self.limits.address, at)
    }

    /// The last use of a token at this server, unless stored already.
    pub(crate) fn last_use(&self, token: Id<Token>) -> Option<Timestamp> {
        self.uses.lock().get(&token).map(|(_, at)| *at)
    }

    /// Counts a request of a valid token against token and account.
    async fn count_token(
        &self,
        address: IpAddr,
        found: Arc<Credentials>,
        at: RequestTime,
    ) -> Result<Authenticated, Denied> {
        let (token, account) = (found.token.id, found.account.id);
        let of_token = Limit {
            caller: RateLimitKey::Token(token),
            most: self.limits.token,
        };
        let of_account = Limit {
            caller: RateLimitKey::Account(account),
            most: self.limits.account,
        };
        let rate = self.count(address, of_token, Some(of_account), at).await?;
        self.uses.lock().insert(token, (account, at.now));
        Ok(Authenticated {
            credentials: found,
            rate,
        })
    }

    /// Counts a request of an admitted caller against one or two limits.
    async fn count(
        &self,
        address: IpAddr,
        limit: Limit,
        also: Option<Limit>,
        at: RequestTime,
    ) -> Result<RateStatus, Denied> {
        match self.admitted.count(limit, also, at).await {
            Ok(counted) => counted.map_err(|used_up| self.too_many(used_up, at)),
            Err(fault) => Err(self.failed(address, fault.into())),
        }
    }

    /// Counts a request without a valid token or key against its address.
    /// An internal error counts against no limit.
    async fn deny(&self, address: IpAddr, at: RequestTime, error: Error) -> Denied {
        if let Error::Internal(_) = error {
            return self.failed(address, error);
        }
        let limit = self.denied.of_address(address, self.limits.address, at);
        match self.denied.count(limit, None, at).await {
            Ok(Ok(rate)) => Denied {
                error,
                rate,
                retry_after: None,
                credentials: None,
            },
            Ok(Err(used_up)) => self.too_many(used_up, at),
            Err(fault) => self.failed(address, fault.into()),
        }
    }

    /// Refuses a request over its limit.
    fn too_many(&self, used_up: UsedUp, at: RequestTime) -> Denied {
        let limited = &self.store.metrics().limited;
        let (whose, count) = match used_up.caller {
            RateLimitKey::Token(_) => ("requests of this token", &limited.token),
            RateLimitKey::Account(_) => ("requests of this account", &limited.account),
            RateLimitKey::Screen(_) => ("requests of this screen", &limited.screen),
            RateLimitKey::User(_) => ("requests of this user", &limited.owner),
            RateLimitKey::Address(_) => (
                "requests of this address without a valid token or key",
                &limited.address,
            ),
        };
        count.increase();
        too_many(used_up.rate, at, whose)
    }

    fn failed(&self, address: IpAddr, error: Error) -> Denied {
        Denied {
            error,
            rate: self.anonymous_rate(address),
            retry_after: None,
            credentials: None,
        }
    }
}

/// The reason a token or a key is not accepted.
#[derive(Clone, Copy, Debug)]
enum Missing {
    /// The request has none.
    NotSent,
    /// It does not have the form of ours.
    OtherForm(&'static [&'static str]),
    /// It is of the other kind.
    /// A screen's key was sent in place of a token, or the reverse.
    OtherKind,
    /// It is not in the store.
    Unknown,
}

impl Missing {
    /// Returns the refusal of a token.
    fn token(self) -> Error {
        let key = "is the key of a screen, which only the device API takes";
        Error::bad_token(self.problem("token", key))
    }

    /// Returns the refusal of a screen's key.
    fn key(self) -> Error {
        let token = "is a token, which only the API takes";
        Error::bad_screen_key(self.problem("key", token))
    }

    fn problem(self, what: &str, other_kind: &str) -> String {
        match self {
            Self::NotSent => "is missing".to_owned(),
            Self::OtherForm(prefixes) => format!(
                "is not of the form that a {what} has: {} and 43 letters and digits",
                prefixes.join(" or ")
            ),
            Self::OtherKind => other_kind.to_owned(),
            Self::Unknown => "is unknown: it was mistyped, replaced or deleted".to_owned(),
        }
    }
}

/// Looks up a presented credential; `refuse` makes the error.
async fn find<C: Credential>(
    store: &Store,
    known: &CredentialCache<C>,
    value: Option<&str>,
    refuse: fn(Missing) -> Error,
) -> Result<Arc<C>, Error> {
    let Some(value) = value else {
        return Err(refuse(Missing::NotSent));
    };
    // It is looked up whatever its form, so that credentials of older versions stay valid.
    let found = credential_cache::find(store, known, value).await?;
    found.ok_or_else(|| {
        refuse(match value {
            _ if secret::has_form(value, C::PREFIXES) => Missing::Unknown,
            _ if secret::has_form(value, secret::PREFIXES) => Missing::OtherKind,
            _ => Missing::OtherForm(C::PREFIXES),
        })
    })
}

fn too_many(rate: RateStatus, at: RequestTime, whose: &str) -> Denied {
    let wait = rate::retry_after(rate.reset, at.now);
    let message = format!(
        "too many {whose} ({} a minute); wait {wait} seconds",
        rate.limit
    );
    let error = Error::RateLimited(Reason::new(message));
    Denied {
        error,
        rate,
        retry_after: Some(wait),
        credentials: None,
    }
}
