//! Writing the fields of checked input into a record.

use crate::wire::{Field, form::Form};

pub(super) fn set<F: Form<Value: Clone>>(field: &mut F::Value, given: &Field<F>) {
    if let Field::Value(value) = given {
        field.clone_from(value);
    }
}

pub(super) fn set_optional<F: Form<Value: Clone>>(field: &mut Option<F::Value>, given: &Field<F>) {
    match given {
        Field::Absent => {}
        Field::Null => *field = None,
        Field::Value(value) => match field {
            Some(field) => field.clone_from(value),
            None => *field = Some(value.clone()),
        },
    }
}
