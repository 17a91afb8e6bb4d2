//! Categories (specification: Categories).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Field, Timestamp};

/// A group of products with a name that is unique in its location, without regard to case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Category {
    /// Its id.
    pub id: Uuid,
    /// Its name, 1 to 100 characters.
    pub name: String,
    /// Whether it is in use. `true` unless said otherwise.
    pub is_active: bool,
    /// Where it stands among the others, 0 to 1 000 000. 0 unless said otherwise.
    pub position: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed, on the location's change clock.
    pub updated_at: Timestamp,
}

/// What a client says of a category: everything it may write. On create `name` is required; on
/// update what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CategoryInput {
    /// See [`Category::name`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// See [`Category::is_active`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub is_active: Field<bool>,
    /// See [`Category::position`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub position: Field<i64>,
}

impl CategoryInput {
    /// A category of this name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Field::Value(name.into()),
            ..Self::default()
        }
    }
}
