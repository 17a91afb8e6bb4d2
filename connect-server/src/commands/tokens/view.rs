//! The results of token commands as JSON.

use connect_core::{Connect, Token, wire::Timestamp};
use serde::{Deserialize, Serialize};

use crate::commands::ShownOnce;

/// The state of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TokenState {
    /// It is valid.
    Good,
    /// It has expired.
    Expired,
    /// It was revoked.
    Revoked,
}

impl TokenState {
    /// The state by the clock of the store.
    /// A sandbox may have put its clock ahead.
    pub(super) fn of(token: &Token, connect: &Connect) -> Self {
        if token.revoked_at.is_some() {
            Self::Revoked
        } else if connect.has_ended(token) {
            Self::Expired
        } else {
            Self::Good
        }
    }
}

/// A token as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// The token, without its value.
    #[serde(flatten)]
    pub token: Token,
    /// Its state at the time of the command.
    pub state: TokenState,
    /// The time of its last use.
    /// Other processes learn of a use at a server within a minute.
    pub last_used_at: Option<Timestamp>,
}

/// A new token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTokenView {
    /// The token.
    #[serde(flatten)]
    pub made: Token,
    /// Its value.
    #[serde(rename = "token")]
    pub value: ShownOnce,
    /// Set when the account has a screen.
    /// Without any, the API refuses its tokens.
    pub api_available: bool,
}
