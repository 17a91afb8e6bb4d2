//! Password, invitation and sessions of a user, as stored.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    ReadKey, Relations, Stored, User,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{Id, Timestamp},
};

/// A stored password: a hash in the PHC format. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PasswordHash(pub(crate) String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

/// The e-mail address and password of a user's sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignIn {
    /// The address, folded.
    pub(crate) email: String,
    /// The password.
    pub(crate) password: PasswordHash,
    /// The time of the last change of the password.
    pub(crate) password_set_at: Timestamp,
}

/// An invitation to set a password. Only a digest of its value is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invitation {
    /// The digest of its value, in hexadecimal.
    pub(crate) digest: String,
    /// The time of its expiry.
    pub(crate) expires_at: Timestamp,
}

/// A session of a signed-in user. Its key contains the digest of its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    /// The user.
    pub(crate) user: Id<User>,
    /// The time of the sign-in.
    pub(crate) created_at: Timestamp,
    /// The time of its expiry.
    pub(crate) expires_at: Timestamp,
    /// The time of the last use, to within [minutes](crate::SESSION_IDLE_SECONDS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) used_at: Option<Timestamp>,
    /// The browser at the sign-in, as it named itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<String>,
    /// The network address at the sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<IpAddr>,
}

impl Session {
    /// The time of the last use.
    pub(crate) fn last_use(&self) -> Timestamp {
        self.used_at.unwrap_or(self.created_at)
    }
}

impl Invitation {
    /// The key of a user's row.
    pub(crate) fn key(account: Uuid, user: Id<User>) -> Key {
        key(account, Family::Invitation, &[KeyPart::Id(user.uuid())])
    }
}

impl SignIn {
    /// The key of a user's row.
    pub(crate) fn key(account: Uuid, user: Id<User>) -> Key {
        key(account, Family::SignIn, &[KeyPart::Id(user.uuid())])
    }

    /// The key of the entry by a folded address.
    pub(crate) fn email_key(email: &str) -> Key {
        key(GLOBAL, Family::UserOfEmail, &[KeyPart::Text(email)])
    }
}

impl Stored for SignIn {
    const FAMILY: Family = Family::SignIn;

    fn relations(&self, at: &ReadKey) -> Relations {
        let account = at.partition;
        let user = at.id().map(|user| [*account.as_bytes(), *user.as_bytes()]);
        let entry = user.map(|user| (Self::email_key(&self.email), user.concat().into()));
        Relations {
            entries: entry.into_iter().collect(),
            ..Relations::named(format!("the address of a user of account {account}"))
        }
    }
}
