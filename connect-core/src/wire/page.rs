//! The envelopes of responses (specification: Shared shapes).

use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::Timestamp;
#[cfg(feature = "schema")]
use super::limits::MAX_CURSOR_LEN;

/// One record: `{ "data": record }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{T}Single"))]
#[non_exhaustive]
pub struct Single<T> {
    /// The record.
    pub data: T,
}

/// A complete list without pages: `{ "data": [record...] }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{T}List"))]
#[non_exhaustive]
pub struct Collection<T> {
    /// The records.
    pub data: Vec<T>,
}

/// One page of a list: `{ "data": [record...], "nextCursor": string or null }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{T}Page"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Page<T> {
    /// The records, in the order of the list.
    /// Tombstones appear only with `includeDeleted=true`.
    pub data: Vec<T>,
    /// The `cursor` of the next page; `null` on the last one.
    #[cfg_attr(
        feature = "schema",
        schemars(length(min = 1, max = MAX_CURSOR_LEN), regex(pattern = "^[A-Za-z0-9._~-]+$"))
    )]
    pub next_cursor: Option<String>,
}

/// A deleted record, in a list asked for with `includeDeleted=true`:
/// `{ "id", "deleted": true, "updatedAt" }`. Kept 90 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tombstone {
    /// The id of the deleted record.
    pub id: Uuid,
    /// Always `true`.
    // Anything else is not read: a live record that says `"deleted": false` must not be taken for
    // its own tombstone.
    #[serde(deserialize_with = "only_true")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub deleted: bool,
    /// The time of the deletion, on the location's change clock.
    pub updated_at: Timestamp,
}

/// An entry of a list requested with `includeDeleted=true`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, rename = "{T}"))]
#[serde(untagged)]
pub enum Entry<T> {
    /// The record was deleted.
    Deleted(Tombstone),
    /// The record as it is.
    Live(T),
}

fn only_true<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    if bool::deserialize(deserializer)? {
        Ok(true)
    } else {
        Err(serde::de::Error::custom("deleted: is true in a tombstone"))
    }
}
