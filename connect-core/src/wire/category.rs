//! Categories (specification: Categories).

use super::{
    Field,
    form::{Name, Whole},
    limits::{MAX_CATEGORY_NAME, MAX_POSITION},
    record::record,
};

/// A category's name.
pub type CategoryName = Name<MAX_CATEGORY_NAME>;

record! {
    /// A group of products with a name that is unique in its location, without regard to case.
    pub struct Category;

    /// The fields of a category that a client may write. A field that is left out of an update
    /// stays as it is.
    pub struct CategoryInput;

    /// The name of the category, unique in the location without regard to case.
    name: String => CategoryName, required;
    /// `true` while the category is in use.
    is_active: bool = true => bool;
    /// The place among the others; smaller comes first.
    position: i64 = 0 => Whole<MAX_POSITION>;
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
