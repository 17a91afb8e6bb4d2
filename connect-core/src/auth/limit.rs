//! Callers, and their limits of requests in a window.

use std::{fmt, net::IpAddr};

use crate::{
    transaction::{Account, Screen, Token, User},
    wire::Id,
};

/// A caller with counted requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RateLimitKey {
    Token(Id<Token>),
    Account(Id<Account>),
    Screen(Id<Screen>),
    /// A user, over all sessions.
    User(Id<User>),
    Address(IpAddr),
}

impl fmt::Display for RateLimitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(id) => write!(f, "token {id}"),
            Self::Account(id) => write!(f, "account {id}"),
            Self::Screen(id) => write!(f, "screen {id}"),
            Self::User(id) => write!(f, "user {id}"),
            Self::Address(address) => write!(f, "address {address}"),
        }
    }
}

/// The fewest requests per exchange: it costs a commit and a read.
const FEWEST: u32 = 12;

/// A caller with its limit of requests in a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) caller: RateLimitKey,
    pub(super) most: u32,
}

impl Limit {
    /// Returns the step: the requests counted here before an exchange with other servers.
    ///
    /// With a step of a fortieth of the limit, three servers together admit at most 1.05 times the limit.
    /// For a small limit this would mean an exchange every few requests, so the step is [`FEWEST`] or a
    /// tenth there. For requests without a valid token the steps are larger: unknown callers must cost the
    /// store few commits.
    pub(super) fn step(self) -> u32 {
        let step = match self.caller {
            RateLimitKey::Token(_)
            | RateLimitKey::Account(_)
            | RateLimitKey::Screen(_)
            | RateLimitKey::User(_) => (self.most / 40).max(FEWEST.min(self.most / 10)),
            RateLimitKey::Address(_) => self.most / 3,
        };
        step.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_small_beside_the_limit_and_worth_an_exchange() {
        let address = |most| Limit {
            caller: RateLimitKey::Address(IpAddr::from([127, 0, 0, 1])),
            most,
        };
        let token = |most| Limit {
            caller: RateLimitKey::Token(uuid::Uuid::nil().into()),
            most,
        };
        for (limit, step) in [
            (token(0), 1),
            (token(9), 1),
            (token(40), 4),
            (token(120), 12),
            (token(480), 12),
            (token(600), 15),
            (token(u32::MAX), u32::MAX / 40),
            (address(30), 10),
        ] {
            assert_eq!(limit.step(), step, "{limit:?}");
        }
    }
}
