//! Callers, and the most requests that they may make in a window.

use std::{fmt, net::IpAddr};

use crate::{
    record::{Account, Screen, Token},
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

/// A caller with the most requests of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) caller: Caller,
    pub(super) most: u32,
}

impl Limit {
    /// Returns the requests that a server counts before it tells the others of them.
    ///
    /// Those without a valid token are told in larger steps: strangers are to cost the store few commits.
    pub(super) fn step(self) -> u32 {
        let steps = match self.caller {
            Caller::Token(_) | Caller::Account(_) | Caller::Screen(_) | Caller::Owner(_) => 10,
            Caller::Address(_) => 3,
        };
        (self.most / steps).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_tenth_of_a_limit_or_a_third_of_that_of_an_address() {
        let address = |most| Limit {
            caller: Caller::Address(IpAddr::from([127, 0, 0, 1])),
            most,
        };
        let token = |most| Limit {
            caller: Caller::Token(uuid::Uuid::nil().into()),
            most,
        };
        let steps = [token(120), token(9), token(0), address(30)];
        assert_eq!(steps.map(Limit::step), [12, 1, 1, 10]);
    }
}
