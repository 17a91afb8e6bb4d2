//! Callers, and the most requests that they may make in a window.

use std::{fmt, net::IpAddr};

use crate::{
    transaction::{Account, Screen, Token},
    wire::Id,
};

/// A caller whose requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    Token(Id<Token>),
    Account(Id<Account>),
    Screen(Id<Screen>),
    /// The owner of an account, in all sessions together.
    Owner(Id<Account>),
    Address(IpAddr),
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(id) => write!(f, "token {id}"),
            Self::Account(id) => write!(f, "account {id}"),
            Self::Screen(id) => write!(f, "screen {id}"),
            Self::Owner(id) => write!(f, "owner {id}"),
            Self::Address(address) => write!(f, "address {address}"),
        }
    }
}

/// The fewest requests that are worth an exchange, which is a commit and a read.
const FEWEST: u32 = 12;

/// A caller with the most requests of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) caller: Caller,
    pub(super) most: u32,
}

impl Limit {
    /// Returns the requests that a server counts before it tells the others of them.
    ///
    /// A fortieth of the limit holds three servers to 1.05 times it. Of a small limit that would be an exchange
    /// for every few requests, so there the step is [`FEWEST`] or a tenth. Those without a valid token are told
    /// in larger steps: strangers are to cost the store few commits.
    pub(super) fn step(self) -> u32 {
        let step = match self.caller {
            Caller::Token(_) | Caller::Account(_) | Caller::Screen(_) | Caller::Owner(_) => {
                (self.most / 40).max(FEWEST.min(self.most / 10))
            }
            Caller::Address(_) => self.most / 3,
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
            caller: Caller::Address(IpAddr::from([127, 0, 0, 1])),
            most,
        };
        let token = |most| Limit {
            caller: Caller::Token(uuid::Uuid::nil().into()),
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
