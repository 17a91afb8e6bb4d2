//! An entry of the trail, as stored and as exported.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::TrailHash;
use crate::{
    transaction::{Author, Origin, ReadKey, Relations, Stored, keys::Family},
    wire::Timestamp,
};

/// An entry of the audit trail: one operation with its changes.
///
/// Its JSON is the stored row: the SHA-256 of these bytes is [`previous`](Self::previous) of the next
/// entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrailEntry {
    /// The chain: the location, the account, or nil for the store.
    pub chain: Uuid,
    /// The number in its chain, from 1.
    pub number: u64,
    /// The hash of the entry before it; zeros for the first.
    pub previous: TrailHash,
    /// The time of the operation.
    pub at: Timestamp,
    /// The author.
    pub author: Author,
    /// The origin of the call.
    #[serde(default, skip_serializing_if = "Origin::is_unknown")]
    pub origin: Origin,
    /// The changes, in the order of the operation.
    pub changes: Vec<TrailChange>,
}

/// A change of an object, or an action on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrailChange {
    /// The kind of the object, such as `product`.
    pub object: String,
    /// The id of the object.
    pub id: Uuid,
    /// The name of the object at the time, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `create`, `change`, `delete`, or the name of another action.
    pub action: String,
    /// The changed fields before; empty for a new object.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub before: Map<String, Json>,
    /// The changed fields after; empty for a deleted object.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub after: Map<String, Json>,
    /// The names of changed fields with secret or personal values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

impl Stored for TrailEntry {
    const FAMILY: Family = Family::Trail;

    fn relations(&self, at: &ReadKey) -> Relations {
        let number = at.number().unwrap_or_default();
        Relations {
            misplaced: ((at.partition, number) != (self.chain, self.number))
                .then(|| format!("the row holds entry {} of the trail", self.number)),
            changed_at: Some(self.at),
            ..Relations::named(format!("entry {number} of the trail"))
        }
    }
}
