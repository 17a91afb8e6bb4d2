//! Strict reading of request bodies: every refusal names the field by its path.
//!
//! serde's derived readers say where in the text they stopped, not which field was wrong; they
//! drop unknown fields or stop at the first, let the last of two equal keys win, and cannot tell
//! `12.0` from `12.5` exactly. So a body is taken apart into raw fields first, and each field is
//! read by the function of its type. Text that is not JSON at all, or has a key twice, is
//! [`ReadError::Malformed`] (400); JSON that a field does not accept is [`ReadError::Invalid`]
//! (422).
//!
//! Reading a valid body checks the syntax on the way. Only when a field is refused is the whole
//! text checked once more, since a malformed body has to be reported as such wherever in it the
//! fault lies.

mod catalog;
mod syntax;

use std::{borrow::Cow, fmt};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use uuid::Uuid;

pub use catalog::{BatchItem, BatchRequest};

use super::{
    Field,
    number::{BadNumber, fixed, number_text},
};

/// A field has a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct Invalid {
    /// The path of the field, such as `items[3].priceCents`.
    pub field: String,
    /// What is wrong and what is allowed.
    pub problem: String,
}

impl Invalid {
    /// `field` has a problem.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// The same problem, seen from the object that holds the one it was found in:
    /// `priceCents` within `items[3]` is `items[3].priceCents`.
    #[must_use]
    pub fn within(self, parent: &str) -> Self {
        Self {
            field: format!("{parent}.{}", self.field),
            ..self
        }
    }
}

/// Why a body was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text is not UTF-8, not JSON, nested too deeply, or has a key twice.
    #[error("{0}")]
    Malformed(String),
    /// The text is JSON, but a field is missing or has a value it cannot have.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// A JSON object taken apart: its keys in order, each once, with their raw values.
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// Reads a whole body as one object with `read`.
///
/// # Errors
/// [`ReadError::Malformed`] wherever in the body the fault lies, else what `read` refuses.
pub fn body<'a, T>(
    bytes: &'a [u8],
    read: impl FnOnce(&Object<'a>) -> Result<T, Invalid>,
) -> Result<T, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| malformed(format!("is not UTF-8 from byte {} on", e.valid_up_to())))?;
    let outcome = match serde_json::from_str::<Object<'a>>(text) {
        Ok(object) => read(&object),
        Err(_) => Err(no_object("body", text)),
    };
    outcome.or_else(|invalid| {
        check_syntax(text)?;
        Err(invalid.into())
    })
}

/// Whether `text` is JSON without a repeated key anywhere.
///
/// # Errors
/// [`ReadError::Malformed`], with the place.
pub fn check_syntax(text: &str) -> Result<(), ReadError> {
    let value = serde_json::from_str::<&RawValue>(text);
    value
        .and_then(|value| syntax::check(value.get()))
        .map_err(|e| malformed(format!("is not valid JSON: {e}")))
}

/// Why a text is not the object that `key` should be.
fn no_object(key: &str, text: &str) -> Invalid {
    if text.trim_start().starts_with('{') {
        Invalid::new(key, format!("has more than {MOST_FIELDS} fields"))
    } else {
        Invalid::new(key, format!("must be a JSON object, not {}", kind(text)))
    }
}

fn malformed(problem: impl fmt::Display) -> ReadError {
    ReadError::Malformed(format!("body: {problem}; send one JSON object in UTF-8"))
}

impl<'a> Object<'a> {
    /// The keys in the order in which they were sent, with their raw values.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.fields.iter().map(|(key, raw)| (&**key, *raw))
    }

    /// The raw value of `key`.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.fields()
            .find(|(name, _)| *name == key)
            .map(|(_, raw)| raw)
    }
}

/// An unknown field, with the fields that there are.
pub fn unknown(key: &str, allowed: &[&str]) -> Invalid {
    Invalid::new(
        clip(key),
        format!(
            "is not a field of this request; allowed: {}",
            allowed.join(", ")
        ),
    )
}

/// A field that may not be left out.
pub fn missing(key: &str) -> Invalid {
    Invalid::new(key, "is required")
}

/// Accepts any value of a read-only field, so that a record that was read can be sent back.
///
/// # Errors
/// The value is not JSON or has a repeated key; the whole body is then malformed.
pub fn ignore(key: &str, raw: &RawValue) -> Result<(), Invalid> {
    check_syntax(raw.get()).map_err(|e| Invalid::new(key, e.to_string()))
}

/// A field of any type: `null` is [`Field::Null`], any other value is read by `read`.
///
/// # Errors
/// What `read` refuses.
pub fn field<T>(
    key: &str,
    raw: &RawValue,
    read: impl FnOnce(&str, &RawValue) -> Result<T, Invalid>,
) -> Result<Field<T>, Invalid> {
    if raw.get() == "null" {
        Ok(Field::Null)
    } else {
        read(key, raw).map(Field::Value)
    }
}

/// A string.
///
/// # Errors
/// The value is not a string.
pub fn string(key: &str, raw: &RawValue) -> Result<String, Invalid> {
    let expected = || expected(key, "a string", raw);
    let text = raw.get();
    let inner = text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .ok_or_else(expected)?;
    if inner.contains('\\') {
        return serde_json::from_str(text)
            .map_err(|_| Invalid::new(key, "has an escape that stands for no character"));
    }
    Ok(inner.to_owned())
}

/// `true` or `false`.
///
/// # Errors
/// The value is neither.
pub fn boolean(key: &str, raw: &RawValue) -> Result<bool, Invalid> {
    match raw.get() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(expected(key, "true or false", raw)),
    }
}

/// A whole number, however written (`12`, `12.0`, `1.2e1`). Its bounds are the rules' business,
/// but what no bound could hold is refused here.
///
/// # Errors
/// The value is not a number, or not a whole one.
pub fn integer(key: &str, raw: &RawValue) -> Result<i64, Invalid> {
    decimal(key, raw, 0)
}

/// A number with at most `digits` fraction digits, in units of `10^-digits`.
///
/// # Errors
/// The value is not a number, or has more fraction digits.
pub fn decimal(key: &str, raw: &RawValue, digits: u8) -> Result<i64, Invalid> {
    let what = || match digits {
        0 => "a whole number".to_owned(),
        _ => format!("a number with at most {digits} fraction digits"),
    };
    let text = number_text(raw).ok_or_else(|| expected(key, &what(), raw))?;
    fixed(text, i64::from(digits)).map_err(|bad| match bad {
        BadNumber::TooPrecise => {
            Invalid::new(key, format!("must be {}, not {}", what(), clip(text)))
        }
        BadNumber::TooLarge => Invalid::new(key, format!("is out of range: {}", clip(text))),
    })
}

/// A UUID in its usual form, in upper or lower case.
///
/// # Errors
/// The value is not a string, or not a UUID.
pub fn uuid(key: &str, raw: &RawValue) -> Result<Uuid, Invalid> {
    let text = string(key, raw).map_err(|_| expected(key, "a UUID", raw))?;
    parse_uuid(&text).ok_or_else(|| {
        Invalid::new(
            key,
            format!(
                "must be a UUID such as 018f2f6e-4c1a-7000-8000-000000000001, not \"{}\"",
                clip(&text)
            ),
        )
    })
}

/// The elements of an array.
///
/// # Errors
/// The value is not an array.
pub fn array<'a>(key: &str, raw: &'a RawValue) -> Result<Vec<&'a RawValue>, Invalid> {
    if !raw.get().starts_with('[') {
        return Err(expected(key, "an array", raw));
    }
    serde_json::from_str(raw.get()).map_err(|e| Invalid::new(key, e.to_string()))
}

/// The hyphenated form of a UUID, and no other: `Uuid::parse_str` also takes braces, `urn:` and
/// no hyphens.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() != 36 {
        return None;
    }
    Uuid::try_parse(text).ok()
}

fn expected(key: &str, what: &str, raw: &RawValue) -> Invalid {
    Invalid::new(key, format!("must be {what}, not {}", kind(raw.get())))
}

/// What kind of value a JSON text is.
fn kind(text: &str) -> &'static str {
    match text.trim_start().bytes().next() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The start of a text of the client's, short enough for a message.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::with_capacity(16);
                while let Some(Key(key)) = map.next_key()? {
                    if fields.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format_args!(
                            "key \"{}\" twice",
                            clip(&key)
                        )));
                    }
                    // An object of this API has few fields: looking for repetitions one by one
                    // must not become quadratic work for whoever sends a million.
                    if fields.len() > MOST_FIELDS {
                        return Err(A::Error::custom("too many fields"));
                    }
                    fields.push((key, map.next_value()?));
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// More fields than any object of this API has.
const MOST_FIELDS: usize = 100;

/// A key, borrowed where it has no escapes.
pub(super) struct Key<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
