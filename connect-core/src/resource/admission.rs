//! Letting callers in (specification: Authentication; contract: Which failure wins).
//!
//! The checks run in this order, and the first that fails answers: the block of an address, the
//! token, the rate limits of token and account; then, between [`Connect::admit`] and
//! [`Connect::enter`], whoever serves the core looks up the route; then the availability of the
//! API to the account, the location, the scope.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::Mutex;
use uuid::Uuid;

use super::{
    Access, Connect, Failure, FailureKind,
    credentials::{Credentials, CredentialsCache},
};
use crate::{
    record::{Account, Token},
    rules::{
        access,
        rate::{self, RateLimits, RateStatus, Windows},
    },
    wire::{Scope, Timestamp},
};

/// A caller with a valid token, within its rate limits.
#[derive(Clone, Debug)]
pub struct Admitted {
    pub(super) credentials: Arc<Credentials>,
    rate: RateStatus,
}

impl Admitted {
    /// The token that was presented.
    pub fn token(&self) -> &Token {
        &self.credentials.token
    }

    /// The account it belongs to.
    pub fn account(&self) -> &Account {
        &self.credentials.account
    }

    /// Where token and account stand: the tighter of the two.
    pub fn rate(&self) -> RateStatus {
        self.rate
    }
}

/// A caller who was not let in, with the figures of the limit that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turned {
    /// Why.
    pub failure: Failure,
    /// The figures of the limit under which the request fell.
    pub rate: RateStatus,
    /// How many seconds to wait before the next try, when there were too many.
    pub retry_after: Option<i64>,
}

/// What admission remembers between requests, all of it in memory.
pub(super) struct Admission {
    limits: RateLimits,
    windows: Mutex<(Windows<Uuid>, Windows<Uuid>)>,
    addresses: Mutex<Windows<IpAddr>>,
    credentials: CredentialsCache,
    /// Last uses of tokens that are not yet written down.
    pub(super) uses: Mutex<HashMap<Uuid, (Uuid, Timestamp)>>,
}

/// More addresses than this in one minute are counted as one: memory stays bounded, and only
/// callers without a valid token notice.
const MOST_ADDRESSES: usize = 100_000;

impl Admission {
    pub(super) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            windows: Mutex::default(),
            addresses: Mutex::default(),
            credentials: CredentialsCache::default(),
            uses: Mutex::default(),
        }
    }
}

impl Connect {
    /// Checks the `Authorization` header of a request from `address`, and counts the request.
    ///
    /// # Errors
    /// [`FailureKind::Unauthorized`] without a valid token, [`FailureKind::RateLimited`] when a
    /// limit is used up (the request then counts against nothing), [`FailureKind::Server`].
    pub async fn admit(
        &self,
        address: IpAddr,
        authorization: Option<&str>,
    ) -> Result<Admitted, Turned> {
        let found = match authorization.and_then(access::bearer) {
            Some(value) => {
                let cache = &self.core.admission.credentials;
                cache.find(self.store(), value).await
            }
            None => Ok(None),
        };
        // Only now: a store that took its time must not make the request one of a minute ago.
        let now = self.now();
        match found {
            Ok(Some(found)) if access::is_valid(&found.token, now) => self.count(found, now),
            Ok(_) => Err(self.turn_away(address, now)),
            Err(fault) => Err(Turned {
                failure: fault.into(),
                rate: self.anonymous_rate(address),
                retry_after: None,
            }),
        }
    }

    /// The figures for a request that needs no token.
    pub fn anonymous_rate(&self, address: IpAddr) -> RateStatus {
        let now = self.now();
        let limit = self.core.admission.limits.address;
        let used = self
            .core
            .admission
            .addresses
            .lock()
            .used(&rate::counted_address(address), now);
        rate::status(limit, used, now)
    }

    /// Checks that the API is available to the account of the caller.
    ///
    /// # Errors
    /// [`FailureKind::ApiNotAvailable`].
    pub fn check_available(&self, caller: &Admitted) -> Result<(), Failure> {
        caller.credentials.check_available()
    }

    /// Lets an admitted caller in to a location for one kind of act.
    ///
    /// # Errors
    /// [`FailureKind::ApiNotAvailable`], [`FailureKind::ForbiddenLocation`] (also when there is no
    /// such location), [`FailureKind::ForbiddenScope`].
    pub fn enter(
        &self,
        caller: &Admitted,
        location: Uuid,
        scope: &Scope,
    ) -> Result<Access, Failure> {
        caller.credentials.enter(location, scope)?;
        Access::of_token(caller.credentials.clone(), location, scope.clone())
            .ok_or_else(|| Failure::forbidden_location(location))
    }

    /// Counts a request of a valid token against token and account.
    fn count(&self, found: Arc<Credentials>, now: Timestamp) -> Result<Admitted, Turned> {
        let limits = self.core.admission.limits;
        let (token, account) = (found.token.id, found.account.id);
        let rate = {
            let mut windows = self.core.admission.windows.lock();
            let (tokens, accounts) = &mut *windows;
            let of_token = rate::status(limits.token, tokens.used(&token, now), now);
            let of_account = rate::status(limits.account, accounts.used(&account, now), now);
            let before = rate::tighter(of_token, of_account);
            if before.remaining == 0 {
                return Err(too_many(before, now, "requests"));
            }
            tokens.count(token, now);
            accounts.count(account, now);
            RateStatus {
                remaining: before.remaining - 1,
                ..before
            }
        };
        self.core
            .admission
            .uses
            .lock()
            .insert(token, (account, now));
        Ok(Admitted {
            credentials: found,
            rate,
        })
    }

    /// Counts a request without a valid token against its address.
    fn turn_away(&self, address: IpAddr, now: Timestamp) -> Turned {
        let limit = self.core.admission.limits.address;
        let mut address = rate::counted_address(address);
        let mut addresses = self.core.admission.addresses.lock();
        let mut used = addresses.used(&address, now);
        if used == 0 && addresses.callers() >= MOST_ADDRESSES {
            address = IpAddr::from([0, 0, 0, 0]);
            used = addresses.used(&address, now);
        }
        if used >= limit {
            return too_many(
                rate::status(limit, used, now),
                now,
                "requests without a valid token",
            );
        }
        addresses.count(address, now);
        let failure = Failure::unauthorized();
        Turned {
            failure,
            rate: rate::status(limit, used + 1, now),
            retry_after: None,
        }
    }
}

fn too_many(rate: RateStatus, now: Timestamp, what: &str) -> Turned {
    let wait = (rate.reset - now.seconds()).max(1);
    let message = format!(
        "too many {what} ({} a minute); wait {wait} seconds",
        rate.limit
    );
    let failure = Failure::new(FailureKind::RateLimited, message);
    Turned {
        failure,
        rate,
        retry_after: Some(wait),
    }
}
