//! Password, invitation and sessions of an owner, as stored.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    ReadKey, Relations, Stored,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::wire::Timestamp;

/// A stored password: a hash in the PHC format. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PasswordHash(pub(crate) String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

/// The e-mail address and password of an owner's sign-in.
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

/// A session of a signed-in owner. Its key contains the digest of its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    /// The time of the sign-in.
    pub(crate) created_at: Timestamp,
    /// The time of its expiry.
    pub(crate) expires_at: Timestamp,
}

impl Stored for SignIn {
    const FAMILY: Family = Family::SignIn;

    fn relations(&self, at: &ReadKey) -> Relations {
        let entry = key(
            GLOBAL,
            Family::AccountOfEmail,
            &[KeyPart::Text(&self.email)],
        );
        let account = at.partition;
        Relations {
            entries: vec![(entry, account.as_bytes().as_slice().into())],
            ..Relations::named(format!("the address of the owner of account {account}"))
        }
    }
}
