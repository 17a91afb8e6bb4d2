//! What a category may be, and what a write makes of it.

use super::{
    field::{required, set, within},
    text,
};
use crate::wire::{
    Category, CategoryInput, limits,
    read::{Invalid, missing},
};

/// Checks every field of a category that needs nothing but itself to be checked, and trims its name.
pub(crate) fn check(mut input: CategoryInput) -> Result<CategoryInput, Invalid> {
    input.name = required(input.name, "name", |name| {
        text::name("name", &name, limits::MAX_CATEGORY_NAME)
    })?;
    input.is_active = required(input.is_active, "isActive", Ok)?;
    input.position = required(input.position, "position", |position| {
        within("position", position, limits::MAX_POSITION)
    })?;
    Ok(input)
}

/// Writes the given fields of a checked `input` into `category`.
pub(crate) fn apply(input: &CategoryInput, category: &mut Category) {
    set(&mut category.name, &input.name);
    set(&mut category.is_active, &input.is_active);
    set(&mut category.position, &input.position);
}

/// The name that creating a category requires.
pub(crate) fn name_of(input: &CategoryInput) -> Result<&String, Invalid> {
    input.name.value().ok_or_else(|| missing("name"))
}
