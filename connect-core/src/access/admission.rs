//! Letting callers in (specification: Authentication; contract: Which failure wins).
//!
//! The checks run in this order, and the first that fails answers: the block of an address, the
//! token, the rate limits of token and account; then, between `Connect::authenticate` and
//! `Connect::authorize`, whoever serves the core looks up the route; then the availability of the
//! API to the account, the location, the scope.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::Mutex;

use super::{
    credentials::Credentials,
    device::Device,
    known::{Credential, Known},
    moment,
    right::Access,
};
use crate::{
    error::{Error, Reason},
    record::{Account, Store, Token},
    rules::{
        rate::{self, Moment, RateLimits, RateStatus, Windows},
        secret,
    },
    wire::{Id, Location, Scope, Timestamp},
};

/// A caller with a valid token, within its rate limits.
#[derive(Clone, Debug)]
pub struct Authenticated {
    credentials: Arc<Credentials>,
    rate: RateStatus,
}

impl Authenticated {
    /// The token that was presented.
    pub fn token(&self) -> &Token {
        &self.credentials.token
    }

    /// The account it belongs to.
    pub fn account(&self) -> &Account {
        &self.credentials.account
    }

    /// The figures of token or account, whichever is tighter.
    pub fn rate(&self) -> RateStatus {
        self.rate
    }

    pub(crate) fn check_available(&self) -> Result<(), Error> {
        self.credentials.check_available()
    }

    pub(crate) fn authorize(
        &self,
        location: Id<Location>,
        scopes: &[Scope],
    ) -> Result<Access, Error> {
        let scope = self.credentials.authorize_any(location, scopes)?;
        Access::of_token(self.credentials.clone(), location, scope.clone())
            .ok_or_else(|| Error::forbidden_location(location))
    }
}

/// A caller who was not let in, with the figures of the limit that applies.
#[derive(Clone, Debug)]
pub struct Denied {
    /// The reason.
    pub error: Error,
    /// The figures of the limit under which the request fell.
    pub rate: RateStatus,
    /// The seconds to wait before the next try, when there were too many requests.
    pub retry_after: Option<i64>,
}

/// The memory of admission between requests; nothing of it is stored but the last uses.
pub(crate) struct Admission {
    store: Arc<Store>,
    limits: RateLimits,
    windows: Mutex<Counts>,
    /// Callers without a valid token or key.
    addresses: Mutex<Windows<IpAddr>>,
    /// Callers of what needs none.
    anonymous: Mutex<Windows<IpAddr>>,
    tokens: Known<Credentials>,
    screen_keys: Known<Device>,
    /// Last uses of tokens that are not yet written down.
    pub(crate) uses: Mutex<Uses>,
}

/// The requests with a valid token in the window under way.
#[derive(Default)]
struct Counts {
    tokens: Windows<Id<Token>>,
    accounts: Windows<Id<Account>>,
}

/// The last use of each token, with the token's account.
pub(crate) type Uses = HashMap<Id<Token>, (Id<Account>, Timestamp)>;

/// More addresses than this in one minute are counted as one: memory stays bounded, and only
/// callers without a valid token notice.
const MOST_ADDRESSES: usize = 100_000;

impl Admission {
    pub(crate) fn new(store: Arc<Store>, limits: RateLimits) -> Self {
        Self {
            store,
            limits,
            windows: Mutex::default(),
            addresses: Mutex::default(),
            anonymous: Mutex::default(),
            tokens: Known::default(),
            screen_keys: Known::default(),
            uses: Mutex::default(),
        }
    }
}

impl Admission {
    /// Checks the token of a request from `address`, and counts the request. `token` is `None` for a
    /// request that presents none.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] without a valid token, [`Error::RateLimited`] when a
    /// limit is used up (the request then counts against nothing), [`Error::Internal`].
    pub(crate) async fn authenticate(
        &self,
        address: IpAddr,
        token: Option<&str>,
    ) -> Result<Authenticated, Denied> {
        let found = find(&self.store, &self.tokens, token, Missing::token).await;
        // Only now: a store that took its time must not make the request one of a minute ago.
        let at = moment(&self.store);
        let found = found.and_then(|found| {
            found.check_valid(at.now)?;
            Ok(found)
        });
        match found {
            Ok(found) => self.count(found, at),
            Err(error) => Err(self.deny(address, at, error)),
        }
    }

    /// Lets in a screen by its key. Only requests without a valid key are counted.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] without a valid key, [`Error::RateLimited`] when there were too many
    /// of those from `address`, [`Error::Internal`].
    pub(crate) async fn authenticate_screen(
        &self,
        address: IpAddr,
        key: Option<&str>,
    ) -> Result<Access, Denied> {
        let found = find(&self.store, &self.screen_keys, key, Missing::key).await;
        let at = moment(&self.store);
        let access = found.and_then(|found| {
            Access::of_screen(found)
                .ok_or_else(|| Error::bad_screen_key("is that of a screen without a location"))
        });
        access.map_err(|error| self.deny(address, at, error))
    }

    /// Counts a request that needs no token.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when there were too many of those from `address`.
    pub(crate) fn count_anonymous(&self, address: IpAddr) -> Result<RateStatus, Denied> {
        let at = moment(&self.store);
        match count_address(&self.anonymous, address, self.limits.anonymous, at) {
            // Answers without a token have the figures of the limit for invalid ones.
            Ok(_) => Ok(self.anonymous_rate(address)),
            Err(used_up) => {
                self.store.figures().limited.anonymous.increase();
                let whose = "requests of this address that need no token";
                Err(too_many(used_up, at, whose))
            }
        }
    }

    /// The figures for a request of which nothing is known but its address.
    pub(crate) fn anonymous_rate(&self, address: IpAddr) -> RateStatus {
        let limit = self.limits.address;
        let mut addresses = self.addresses.lock();
        addresses.status(&rate::counted_address(address), limit, moment(&self.store))
    }

    /// Counts a request of a valid token against token and account.
    fn count(&self, found: Arc<Credentials>, at: Moment) -> Result<Authenticated, Denied> {
        let limits = self.limits;
        let (token, account) = (found.token.id, found.account.id);
        let rate = {
            let mut windows = self.windows.lock();
            let Counts { tokens, accounts } = &mut *windows;
            let of_token = tokens.status(&token, limits.token, at);
            let of_account = accounts.status(&account, limits.account, at);
            let before = rate::tighter(of_token, of_account);
            if before.remaining == 0 {
                let limited = &self.store.figures().limited;
                let (whose, count) = if before == of_token {
                    ("requests of this token", &limited.token)
                } else {
                    ("requests of this account", &limited.account)
                };
                count.increase();
                return Err(too_many(before, at, whose));
            }
            tokens.count(token, at);
            accounts.count(account, at);
            RateStatus {
                remaining: before.remaining - 1,
                ..before
            }
        };
        let mut uses = self.uses.lock();
        uses.insert(token, (account, at.now));
        drop(uses);
        Ok(Authenticated {
            credentials: found,
            rate,
        })
    }

    /// Counts a request without a valid token or key against its address. A fault of ours counts
    /// against nobody.
    fn deny(&self, address: IpAddr, at: Moment, error: Error) -> Denied {
        if let Error::Internal(_) = error {
            return Denied {
                error,
                rate: self.anonymous_rate(address),
                retry_after: None,
            };
        }
        match count_address(&self.addresses, address, self.limits.address, at) {
            Ok(rate) => Denied {
                error,
                rate,
                retry_after: None,
            },
            Err(used_up) => {
                self.store.figures().limited.address.increase();
                let whose = "requests of this address without a valid token or key";
                too_many(used_up, at, whose)
            }
        }
    }
}

/// Counts a request of an address. Returns the figures after it, or those of a limit that is used
/// up already.
fn count_address(
    windows: &Mutex<Windows<IpAddr>>,
    address: IpAddr,
    limit: u32,
    at: Moment,
) -> Result<RateStatus, RateStatus> {
    let mut address = rate::counted_address(address);
    let mut windows = windows.lock();
    let mut before = windows.status(&address, limit, at);
    if before.remaining == limit && windows.callers() >= MOST_ADDRESSES {
        address = IpAddr::from([0, 0, 0, 0]);
        before = windows.status(&address, limit, at);
    }
    if before.remaining == 0 {
        return Err(before);
    }
    windows.count(address, at);
    Ok(RateStatus {
        remaining: before.remaining - 1,
        ..before
    })
}

/// The reason why a token or a key leads to nothing.
#[derive(Clone, Copy, Debug)]
enum Missing {
    /// None was presented.
    NotSent,
    /// It is not of the form that ours have.
    OtherForm(&'static [&'static str]),
    /// It has the form of the other kind: a screen's key in place of a token, or the reverse.
    OtherKind,
    /// Nothing is known of it.
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

/// Looks up what a caller presents. When it leads to nothing, that is refused in the words of `refuse`.
async fn find<C: Credential>(
    store: &Store,
    known: &Known<C>,
    value: Option<&str>,
    refuse: fn(Missing) -> Error,
) -> Result<Arc<C>, Error> {
    let Some(value) = value else {
        return Err(refuse(Missing::NotSent));
    };
    // It is looked up whatever its form: what an older version gave out stays good.
    let found = known.find(store, value).await?;
    found.ok_or_else(|| {
        refuse(match value {
            _ if secret::has_form(value, C::PREFIXES) => Missing::Unknown,
            _ if secret::has_form(value, secret::PREFIXES) => Missing::OtherKind,
            _ => Missing::OtherForm(C::PREFIXES),
        })
    })
}

fn too_many(rate: RateStatus, at: Moment, whose: &str) -> Denied {
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
    }
}
