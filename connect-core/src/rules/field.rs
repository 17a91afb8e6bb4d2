//! Writing the fields of checked input into a record, and the checks that many fields share.

use crate::wire::{Field, read::Invalid};

pub(super) fn set<T: Clone>(field: &mut T, given: &Field<T>) {
    if let Field::Value(value) = given {
        field.clone_from(value);
    }
}

pub(super) fn set_optional<T: Clone>(field: &mut Option<T>, given: &Field<T>) {
    match given {
        Field::Absent => {}
        Field::Null => *field = None,
        Field::Value(value) => match field {
            Some(field) => field.clone_from(value),
            None => *field = Some(value.clone()),
        },
    }
}

/// A field that may be left out but not be `null`.
pub(super) fn required<T>(
    field: Field<T>,
    name: &str,
    check: impl FnOnce(T) -> Result<T, Invalid>,
) -> Result<Field<T>, Invalid> {
    match field {
        Field::Absent => Ok(Field::Absent),
        Field::Null => Err(Invalid::new(
            name,
            "must not be null; leave it out to keep it",
        )),
        Field::Value(value) => check(value).map(Field::Value),
    }
}

pub(super) fn within(field: &str, number: i64, most: i64) -> Result<i64, Invalid> {
    if (0..=most).contains(&number) {
        Ok(number)
    } else {
        Err(Invalid::new(
            field,
            format!("must be from 0 to {most}, not {number}"),
        ))
    }
}
