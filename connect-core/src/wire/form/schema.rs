//! JSON schemas of forms, and of values with their own form.
//!
//! A schema may differ with its direction. Responses have values as the service keeps them,
//! requests may be less tidy, and enumerations are closed in requests and open in responses.
//!
//! `x-decimals` is the most decimals of a number. `multipleOf` would say the same, but validators
//! with floats refuse good numbers by it: 0.35 is no multiple of their 0.001.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{
    Amount, Cents, Code, Counted, Email, ExternalId, Form, IdList, ListForm, Name, Objects, OrNull,
    Prose, WebLink, Whole,
};
use crate::wire::{Date, Field, Quantity, QuantityChange, Timestamp, VatRate, WriteInput};

/// A schema inlined where it is used, without its own name.
macro_rules! inline {
    ([$($generics:tt)*] $type:ty, |$generator:ident| $schema:expr) => {
        impl<$($generics)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn schema_id() -> Cow<'static, str> {
                std::any::type_name::<Self>().into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// A string with a few known values.
/// Responses may have more, so there the known values are only listed.
pub(in crate::wire) fn enumeration(generator: &SchemaGenerator, known: &[&str]) -> Schema {
    if generator.contract().is_deserialize() {
        json_schema!({ "type": "string", "enum": known })
    } else {
        json_schema!({ "type": "string", "x-extensible-enum": known })
    }
}

const CONTROLS: &str = r"\u0000-\u001f\u007f-\u009f";

inline!([F: Form + JsonSchema] Field<F>, |generator| generator.subschema_for::<F>());
inline!([F: JsonSchema] OrNull<F>, |generator| generator.subschema_for::<Option<F>>());
inline!([const MAX: usize] Name<MAX>, |generator| {
    // One visible character, or two with anything between.
    let (edge, inner) = (format!(r"[^\s{CONTROLS}]"), format!("[^{CONTROLS}]"));
    let most = MAX - 2;
    let name = format!("{edge}({inner}{{0,{most}}}{edge})?");
    if generator.contract().is_deserialize() {
        // Blanks around it are dropped and do not count.
        json_schema!({ "type": "string", "pattern": format!(r"^\s*{name}\s*$") })
    } else {
        json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": MAX,
            "pattern": format!("^{edge}({inner}*{edge})?$"),
        })
    }
});
inline!([const MAX: usize] Prose<MAX>, |_generator| json_schema!({
    "type": "string",
    "maxLength": MAX,
    "pattern": r"^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*$",
}));
inline!([const MAX: usize] Code<MAX>, |_generator| json_schema!({
    "type": "string",
    "minLength": 1,
    "maxLength": MAX,
    "pattern": format!("^[^{CONTROLS}]*$"),
}));
inline!([const MAX: usize] ExternalId<MAX>, |_generator| json_schema!({
    "type": "string",
    "minLength": 1,
    "maxLength": MAX,
    "pattern": "^[A-Za-z0-9._/-]([A-Za-z0-9 ._/-]*[A-Za-z0-9._/-])?$",
}));
inline!([const MAX: usize] WebLink<MAX>, |generator| {
    if generator.contract().is_deserialize() {
        json_schema!({
            "type": "string",
            "maxLength": MAX,
            "pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s]+([/?#]\S*)?$",
        })
    } else {
        json_schema!({ "type": "string", "maxLength": MAX })
    }
});
inline!([const MAX: usize] Email<MAX>, |_generator| json_schema!({
    "type": "string",
    "format": "email",
    "maxLength": MAX,
    // Blanks around it are dropped.
    "pattern": r"^\s*\S+@[^\s@]+\s*$",
}));
inline!([const MAX: i64] Whole<MAX>, |_generator| json_schema!({
    "type": "integer",
    "minimum": 0,
    "maximum": MAX,
}));
inline!([const MAX: i64] Cents<MAX>, |_generator| json_schema!({
    "type": "integer",
    "minimum": 0,
    "maximum": MAX,
}));
inline!([const MAX: i64] Amount<MAX>, |_generator| json_schema!({
    "type": "integer",
    "minimum": -MAX,
    "maximum": MAX,
}));
inline!([T, const MAX: usize] IdList<T, MAX>, |generator| json_schema!({
    "type": "array",
    "maxItems": MAX,
    "uniqueItems": true,
    "items": generator.subschema_for::<uuid::Uuid>(),
}));
inline!([F: Form + JsonSchema, const MAX: usize] ListForm<F, MAX>, |generator| json_schema!({
    "type": "array",
    "maxItems": MAX,
    "items": generator.subschema_for::<F>(),
}));
inline!([
    T: WriteInput + JsonSchema, const MIN: usize, const MAX: usize
] Objects<T, MIN, MAX>, |generator| json_schema!({
    "type": "array",
    "minItems": MIN,
    "maxItems": MAX,
    "items": generator.subschema_for::<T>(),
}));
inline!([] VatRate, |_generator| json_schema!({
    "type": "number",
    "minimum": 0,
    "maximum": 100,
    "x-decimals": 2,
    "examples": [21, 9, 0],
}));
inline!([] Quantity, |_generator| json_schema!({
    "type": "number",
    "minimum": -1_000_000_000,
    "maximum": 1_000_000_000,
    "x-decimals": 3,
}));
inline!([] QuantityChange, |_generator| json_schema!({
    "type": "number",
    "minimum": -2_000_000_000_i64,
    "maximum": 2_000_000_000_i64,
    "x-decimals": 3,
}));
inline!([] Counted, |_generator| json_schema!({
    "type": "number",
    "minimum": 0,
    "maximum": 1_000_000_000,
    "x-decimals": 3,
}));
inline!([] Date, |_generator| json_schema!({
    "type": "string",
    "format": "date",
    "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
    "examples": ["2026-11-20"],
}));
// Read with any offset and up to nine fraction digits, written in UTC with six.
inline!([] Timestamp, |generator| json_schema!({
    "type": "string",
    "format": "date-time",
    "pattern": if generator.contract().is_deserialize() {
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
         [Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?\
         ([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
    } else {
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
         T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{6}Z$"
    },
    "examples": ["2026-11-20T09:15:30.123456Z"],
}));
