//! Password, invitation and sessions of a user, as stored.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    ReadKey, Relations, Sealed, SealedRow, SecretPlace, Stored, User,
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
    /// The browsers of earlier sign-ins, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) browsers: Vec<KnownBrowser>,
    /// The second factor, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) totp: Option<Totp>,
    /// The seed of a second factor until its first code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) new_seed: Option<Sealed>,
    /// The passkeys, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) passkeys: Vec<StoredPasskey>,
    /// A passkey until it is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) new_passkey: Option<BegunPasskey>,
}

/// A passkey of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredPasskey {
    /// Its id.
    pub(crate) id: Uuid,
    /// Its id at the user's device, chosen there.
    pub(crate) credential_id: String,
    /// Its name, chosen by the user.
    pub(crate) name: String,
    /// Its public key, counter and flags, as the service writes them.
    pub(crate) credential: String,
    /// The time of its addition.
    pub(crate) added_at: Timestamp,
    /// The time of the last sign-in with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) used_at: Option<Timestamp>,
    /// The time of the last accepted challenge.
    /// Challenges of it and before are refused.
    pub(crate) begun_at: Timestamp,
}

/// A passkey until it is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BegunPasskey {
    /// Its name, chosen by the user.
    pub(crate) name: String,
    /// The challenge, in a form of the service around the core.
    pub(crate) state: String,
    /// The time of the challenge.
    pub(crate) begun_at: Timestamp,
}

/// A browser of an earlier sign-in, by its lasting cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownBrowser {
    /// The digest of the cookie's value, in hexadecimal.
    pub(crate) digest: String,
    /// The time of the last sign-in.
    pub(crate) used_at: Timestamp,
}

/// A second factor by codes of an authenticator app (TOTP), with its recovery codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Totp {
    /// The seed, in base32.
    pub(crate) seed: Sealed,
    /// The time of its first code.
    pub(crate) added_at: Timestamp,
    /// The time step of the last accepted code. Codes of it and before are refused.
    pub(crate) used_step: u64,
    /// The digests of the unused recovery codes, in hexadecimal.
    pub(crate) recovery: Vec<String>,
    /// The number of wrong codes since `wrong_since`.
    pub(crate) wrong: u32,
    /// The time of the first of them.
    pub(crate) wrong_since: Timestamp,
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
    /// Set until the second factor is given, with the number of wrong codes so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) awaits_code: Option<u32>,
    /// Set for a sign-in through the account's provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) by_provider: bool,
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

impl SignIn {
    /// Returns whether a password alone is not enough.
    pub(crate) fn has_factor(&self) -> bool {
        self.totp.is_some() || !self.passkeys.is_empty()
    }

    /// Drops an app or passkey begun and not yet added.
    pub(crate) fn drop_begun(&mut self) {
        (self.new_seed, self.new_passkey) = (None, None);
    }

    /// The sign-in of a user with another address and password, set at a time.
    /// Browsers, second factor and passkeys stay.
    pub(crate) fn with_password(
        before: Option<Self>,
        email: String,
        (password, password_set_at): (PasswordHash, Timestamp),
    ) -> Self {
        let kept = before.map(|of| (of.browsers, of.totp, of.passkeys));
        let (browsers, totp, passkeys) = kept.unwrap_or_default();
        Self {
            email,
            password,
            password_set_at,
            browsers,
            totp,
            new_seed: None,
            passkeys,
            new_passkey: None,
        }
    }

    /// The place of the seed of a user's second factor.
    pub(crate) fn seed_place(user: Uuid) -> SecretPlace {
        SecretPlace {
            kind: "totp",
            of: user,
        }
    }
}

impl SealedRow for SignIn {
    const FAMILY: Family = Family::SignIn;

    fn secrets(&mut self, at: &ReadKey) -> Vec<(SecretPlace, &mut Sealed)> {
        let place = Self::seed_place(at.id().unwrap_or_default());
        let seed = self.totp.as_mut().map(|totp| &mut totp.seed);
        let seeds = seed.into_iter().chain(&mut self.new_seed);
        seeds.map(|seed| (place, seed)).collect()
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
