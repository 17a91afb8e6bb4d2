//! Categories (specification: Categories).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Field, Timestamp,
    form::{Name, Whole},
    input::input,
    limits::{MAX_CATEGORY_NAME, MAX_POSITION},
};

/// A group of products with a name that is unique in its location, without regard to case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Category {
    /// Its id.
    pub id: Uuid,
    /// Its name, unique in the location without regard to case.
    pub name: String,
    /// Whether it is in use.
    pub is_active: bool,
    /// Where it stands among the others; smaller comes first.
    pub position: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed, on the location's change clock.
    pub updated_at: Timestamp,
}

/// A category's name.
pub type CategoryName = Name<MAX_CATEGORY_NAME>;

input! {
    /// What a client says of a category: everything it may write. What is left out of an update
    /// stays as it is.
    pub struct CategoryInput {
        /// Unique in the location, without regard to case.
        pub name: Field<CategoryName>,
        /// Whether the category is in use. A new one is, unless this says otherwise.
        pub is_active: Field<bool>,
        /// Where it stands among the others; smaller comes first. 0 for a new one unless given.
        pub position: Field<Whole<MAX_POSITION>>,
    }
    required: ["name"],
    read_only: ["id", "createdAt", "updatedAt"],
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
