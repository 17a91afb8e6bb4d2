//! Erasures under way, and the images that erased products had.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Account,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{Id, Timestamp},
};

/// The erasure of a partition that no account has any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Erasing {
    /// The account that had it.
    pub(crate) account_id: Id<Account>,
    pub(crate) kind: ErasedKind,
    /// The time of the first commit.
    pub(crate) at: Timestamp,
    /// The walks through all its rows that have ended.
    pub(crate) walks: u32,
    /// The removed rows. The rows of an account's other partitions are added to those of the account.
    pub(crate) rows: u64,
    /// The end of the time to keep the journal of a location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) journal_until: Option<Timestamp>,
}

/// The kind of an erased partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErasedKind {
    Account,
    Location,
    Webhook,
    /// Stored answers of a token, a screen or a user.
    Caller,
}

impl Erasing {
    /// The key of the row about a partition.
    pub(crate) fn key(partition: Uuid) -> Key {
        key(GLOBAL, Family::Erasing, &[KeyPart::Id(partition)])
    }
}

/// Returns the key of the row about the image copy of an erased product.
/// Copies are told apart by the end of their links: addresses of a service may change.
fn erased_image_key(link: &str) -> Key {
    let name = link.rsplit('/').next().unwrap_or(link);
    key(GLOBAL, Family::ErasedImage, &[KeyPart::Text(name)])
}

/// Returns the same key for the image in the row of a product, if it has one.
pub(crate) fn image_key_in(product: &[u8]) -> Option<Key> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct WithImage {
        image_url: Option<String>,
    }
    let product: WithImage = serde_json::from_slice(product).ok()?;
    Some(erased_image_key(&product.image_url?))
}
