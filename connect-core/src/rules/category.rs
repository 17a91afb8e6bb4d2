//! What a category may be, and what a write makes of it.

use super::field::set;
use crate::wire::{
    Category, CategoryInput,
    read::{Invalid, missing},
};

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
