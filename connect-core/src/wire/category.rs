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
    /// A group of products.
    /// Its name is unique in the location, regardless of case.
    pub struct Category;

    /// The writable fields of a category.
    /// A field left out of an update stays as it is.
    pub struct CategoryInput;

    /// The name of the category, unique in the location regardless of case.
    name: String => CategoryName, required;
    /// `true` while the category is in use.
    is_active: bool = true => bool;
    /// The position among the categories; smaller comes first.
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
