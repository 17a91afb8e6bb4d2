//! Locations (specification: Locations).

use serde::{Deserialize, Serialize};

use super::{Id, Scope};

/// A place of business.
/// Almost all records belong to one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Location {
    /// Its id, as used in paths.
    pub id: Id<Self>,
    /// The owner's name for it.
    pub name: String,
    /// The time zone of its dates: always `Europe/Amsterdam`.
    pub time_zone: String,
    /// The ISO code of the currency of all its amounts.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    pub currency: String,
    /// The token's scopes at the location.
    pub scopes: Vec<Scope>,
}
