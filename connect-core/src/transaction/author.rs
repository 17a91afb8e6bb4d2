//! The author of a change, and the origin of the call.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};

use super::{Screen, Token, User};
use crate::wire::Id;

/// The person or the program behind a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Author {
    /// The service itself, or software with its own check of callers.
    #[default]
    Service,
    /// The operator of the service.
    Operator {
        /// The user name on the machine, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A user of the account.
    User {
        /// Its id.
        id: Id<User>,
    },
    /// A token of the account.
    Token {
        /// Its id.
        id: Id<Token>,
        /// Its name.
        name: String,
    },
    /// A screen of the account.
    Screen {
        /// Its id.
        id: Id<Screen>,
        /// Its name.
        name: String,
    },
}

/// The origin of a call: the client's address and the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The network address of the client; `None` for a command on the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The id of the request, as in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The browser, as it names itself; only sessions keep it.
    #[serde(skip)]
    pub device: Option<String>,
    /// The lasting cookie of the browser, if it sent one; for notices of new browsers.
    #[serde(skip)]
    pub browser: Option<BrowserCookie>,
}

/// The value of a browser's lasting cookie, from an earlier sign-in. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserCookie(pub String);

impl fmt::Debug for BrowserCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BrowserCookie(..)")
    }
}

impl Origin {
    /// Returns whether nothing is known of the origin.
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// The author and the origin of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Authorship {
    pub(crate) author: Author,
    pub(crate) origin: Origin,
}
