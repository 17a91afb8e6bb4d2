//! The OpenID Connect provider of an account and the identities of users there, as stored.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    ReadKey, Sealed, SealedRow, SecretPlace, User,
    keys::{Family, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{Id, Timestamp},
};

/// The provider of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredProvider {
    /// The issuer, an address.
    pub(crate) issuer: String,
    /// The id of this service at the provider.
    pub(crate) client_id: String,
    /// The secret of this service at the provider.
    pub(crate) client_secret: Sealed,
    /// The time of the last change.
    pub(crate) set_at: Timestamp,
}

/// The identity of a user at a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProviderIdentity {
    /// The issuer.
    pub(crate) issuer: String,
    /// The subject: the user's lasting name there.
    pub(crate) subject: String,
    /// The time of the first sign-in.
    pub(crate) linked_at: Timestamp,
}

impl StoredProvider {
    /// The key of an account's row.
    pub(crate) fn key(account: Uuid) -> Key {
        key(account, Family::SingleSignOn, &[])
    }

    /// The place of the secret of an account.
    pub(crate) fn place(account: Uuid) -> SecretPlace {
        SecretPlace {
            kind: "openid connect",
            of: account,
        }
    }
}

impl SealedRow for StoredProvider {
    const FAMILY: Family = Family::SingleSignOn;

    fn secrets(&mut self, at: &ReadKey) -> Vec<(SecretPlace, &mut Sealed)> {
        vec![(Self::place(at.partition), &mut self.client_secret)]
    }
}

impl ProviderIdentity {
    /// The key of a user's row.
    pub(crate) fn key(account: Uuid, user: Id<User>) -> Key {
        key(
            account,
            Family::ProviderIdentity,
            &[KeyPart::Id(user.uuid())],
        )
    }
}
