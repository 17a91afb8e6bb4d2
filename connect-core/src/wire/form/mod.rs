//! Forms: the accepted values of request fields.
//!
//! A form is named once, in the type of the field: `Field<OrNull<Code<MAX_BARCODE>>>`. From it come
//! the reading of the field, the check of its value and, with the feature `schema`, its JSON
//! schema.

mod list;
mod number;
mod object;
#[cfg(feature = "schema")]
pub(super) mod schema;
mod text;

use std::borrow::Cow;

use serde::{Deserialize as _, Deserializer, Serialize, de::Error as _};
use serde_json::value::RawValue;
use uuid::Uuid;

pub use list::{IdList, ListForm};
pub use number::{Amount, Cents, Counted, Whole};
pub use object::Objects;
#[cfg(feature = "logic")]
pub(crate) use text::name;
pub use text::{Code, Email, ExternalId, Name, Prose, WebLink};

use super::{
    Date, Timestamp,
    read::{Faults, Invalid, clip, kind, no_id, parse_uuid, problem},
};

/// The form of a field.
pub trait Form {
    /// The values in code.
    type Value: Serialize;

    /// `true` for a nullable field.
    const TAKES_NULL: bool = false;

    /// Reads a value of the right type.
    /// The error names the expected type, without the path.
    ///
    /// # Errors
    /// The value is of another type.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error>;

    /// Checks the value of `field` against the bounds of the form.
    /// Names are trimmed.
    ///
    /// # Errors
    /// The value is out of bounds.
    fn check(_value: &mut Self::Value, _field: &str) -> Result<(), Invalid> {
        Ok(())
    }

    /// Adds all faults of a value sent at `path`. It is not `null`.
    fn faults(sent: &RawValue, path: &str, faults: &mut Faults)
    where
        Self: Sized,
    {
        faults_of_value::<Self>(sent, path, faults);
    }
}

/// Adds the fault of a value of one form, if any.
fn faults_of_value<F: Form>(sent: &RawValue, path: &str, faults: &mut Faults) {
    match F::read(sent) {
        Ok(mut value) => faults.extend(F::check(&mut value, path)),
        Err(error) => faults.add(Invalid::new(path, problem(&error))),
    }
}

/// The form of a nullable field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrNull<F>(std::marker::PhantomData<F>);

impl<F: Form> Form for OrNull<F> {
    type Value = F::Value;

    const TAKES_NULL: bool = true;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<F::Value, D::Error> {
        F::read(deserializer)
    }

    fn check(value: &mut F::Value, field: &str) -> Result<(), Invalid> {
        F::check(value, field)
    }

    fn faults(sent: &RawValue, path: &str, faults: &mut Faults) {
        F::faults(sent, path, faults);
    }
}

impl Form for bool {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match raw(deserializer)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(mismatch("true or false", other)),
        }
    }
}

/// The hyphenated form, in upper or lower case.
impl Form for Uuid {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = raw(deserializer)?;
        let Some(text) = unquoted(raw)? else {
            return Err(mismatch("a UUID", raw));
        };
        parse_uuid(&text).ok_or_else(|| D::Error::custom(no_id(&text)))
    }
}

impl Form for Date {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        string(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Form for Timestamp {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        string(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The text of a scalar.
/// Only the text distinguishes `12.0` from `12.0000000000000000001`, and shows the type of a wrong
/// value.
fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de str, D::Error> {
    <&RawValue>::deserialize(deserializer).map(RawValue::get)
}

/// A string of any kind.
fn string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let raw = raw(deserializer)?;
    match unquoted(raw)? {
        Some(text) => Ok(text.into_owned()),
        None => Err(mismatch("a string", raw)),
    }
}

/// One of a few strings.
pub(super) fn one_of<'de, D: Deserializer<'de>>(
    deserializer: D,
    known: &[&str],
) -> Result<String, D::Error> {
    let raw = raw(deserializer)?;
    let text = unquoted(raw)?.filter(|text| known.contains(&&**text));
    text.map(Cow::into_owned).ok_or_else(|| {
        let (known, sent) = (known.join(", "), clip(raw));
        D::Error::custom(format_args!("must be one of {known}, not {sent}"))
    })
}

/// The string in a JSON text; `None` for any other value.
fn unquoted<E: serde::de::Error>(raw: &str) -> Result<Option<Cow<'_, str>>, E> {
    let inner = raw.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    match inner {
        Some(inner) if inner.contains('\\') => match serde_json::from_str::<String>(raw) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err(E::custom("has an escape that is not a valid character")),
        },
        inner => Ok(inner.map(Into::into)),
    }
}

/// The error of a value of another type.
fn mismatch<E: serde::de::Error>(expected: &str, raw: &str) -> E {
    E::custom(format_args!("must be {expected}, not {}", kind(raw)))
}
