//! Erasures under way, and the images of erased products.

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

/// The erasure of a partition without an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Erasing {
    /// Its former account.
    pub(crate) account_id: Id<Account>,
    pub(crate) kind: ErasedKind,
    /// The time of the first commit.
    pub(crate) at: Timestamp,
    /// The ended walks through all its rows.
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

/// The families of the journal, kept by law.
pub(crate) const JOURNAL: [Family; 9] = [
    Family::Transaction,
    Family::TransactionById,
    Family::JournalDay,
    Family::DayArticles,
    Family::ReceiptFrom,
    Family::ReceiptUpTo,
    Family::RegisterPeriod,
    Family::ZReport,
    Family::ZReportByClosing,
];

/// Returns the name of the image copy of a product, from its row.
/// It is the end of its link: addresses of a service may change.
pub(crate) fn image_name_in(product: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct WithImage {
        image_url: Option<String>,
    }
    let product: WithImage = serde_json::from_slice(product).ok()?;
    let link = product.image_url?;
    Some(link.rsplit('/').next().unwrap_or(&link).to_owned())
}

/// Returns the key of the row about an erased product's image.
pub(crate) fn image_key_in(product: &[u8]) -> Option<Key> {
    let name = image_name_in(product)?;
    Some(key(GLOBAL, Family::ErasedImage, &[KeyPart::Text(&name)]))
}
