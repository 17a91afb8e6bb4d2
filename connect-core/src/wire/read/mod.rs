//! Strict reading of request bodies: refusals name the field's path.
//!
//! Bodies are structs with serde's derive, behind `strict::Strict`: an object is no array, has no
//! unknown field and no field twice. A good body is read once. A refused body is examined again:
//! text other than JSON, or with a key twice anywhere, is [`ReadError::Malformed`] (400). Other
//! text is read once more for the path of the field, and is [`ReadError::Invalid`] (422).

mod array;
mod batch;
mod counts;
mod faults;
mod nearest;
mod refuse;
mod strict;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment, Track};
use uuid::Uuid;

pub(super) use array::array;
pub use batch::{BatchItem, BatchRequest};
pub use counts::CountsRequest;
pub use faults::{Faults, FieldRule};
pub(in crate::wire) use nearest::unknown;
use strict::Strict;
pub(crate) use syntax::clip;

/// A field with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct Invalid {
    /// The path of the field, such as `optionGroupIds[3]`.
    /// In an item of a batch it starts at the item.
    pub field: String,
    /// The problem, and the allowed values.
    pub problem: String,
    /// The other faulty fields of the request, as far as examined.
    pub others: Vec<Self>,
}

impl Invalid {
    /// `field` has a problem.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
            others: Vec::new(),
        }
    }

    /// The same faults, for fields within the object at `path`.
    pub(crate) fn within(mut self, path: impl fmt::Display) -> Self {
        let others = self.others.iter_mut().map(|other| &mut other.field);
        for field in std::iter::once(&mut self.field).chain(others) {
            field.insert_str(0, &path.to_string());
        }
        self
    }
}

impl From<Invalid> for ReadError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// The reason for refusing a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not UTF-8, not JSON, nested too deeply, or a key twice.
    #[error(transparent)]
    Malformed(Invalid),
    /// Valid JSON, but with a missing or invalid field.
    #[error(transparent)]
    Invalid(Invalid),
}

/// The body of a write.
pub trait WriteInput: serde::de::DeserializeOwned {
    /// The fields required for creating a record.
    const REQUIRED: &'static [&'static str];

    /// The fields set only by the service.
    /// They are accepted with any value and ignored, so a record can be sent back as it was read.
    const READ_ONLY: &'static [&'static str];

    /// The rules of the writable fields, for examining each by itself.
    const RULES: &'static [FieldRule];

    /// Checks every field against its form; names are trimmed.
    ///
    /// # Errors
    /// A value is out of bounds.
    fn check(&mut self) -> Result<(), Invalid>;

    /// Checks the presence of all fields required for creation.
    ///
    /// # Errors
    /// A required field has no value.
    fn check_required(&self) -> Result<(), Invalid>;
}

/// The name of a body as a whole, in errors.
const BODY: &str = "body";

/// Reads the body of a write.
///
/// # Errors
/// The body is malformed, or a field is unknown or of another type.
pub(crate) fn input<T: WriteInput>(json: &[u8]) -> Result<T, ReadError> {
    let text = utf8(json)?;
    object(text, T::READ_ONLY).or_else(|_| {
        check_syntax(text)?;
        Err(refusal::<T>(BODY, text, T::READ_ONLY).into())
    })
}

/// Reads an object within a body.
pub(super) fn object_within<'de, T: WriteInput, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(Strict::new(deserializer, T::READ_ONLY))
}

/// The text of a body.
fn utf8(json: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(json).map_err(|e| {
        malformed(format_args!(
            "is not UTF-8 from byte {} on",
            e.valid_up_to()
        ))
    })
}

/// Reads a text as one object, skipping `ignored` fields.
fn object<'de, T: Deserialize<'de>>(
    text: &'de str,
    ignored: &[&'static str],
) -> Result<T, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let object = T::deserialize(Strict::new(&mut json, ignored))?;
    json.end()?;
    Ok(object)
}

/// Returns the reason why a text is not the object `name`.
/// Its syntax is good.
#[cold]
fn refusal<'de, T: Deserialize<'de>>(
    name: &str,
    text: &'de str,
    ignored: &[&'static str],
) -> Invalid {
    if !text.trim_start().starts_with('{') {
        let problem = format!("must be a JSON object, not {}", kind(text));
        return Invalid::new(name, problem);
    }
    let (mut json, mut track) = (serde_json::Deserializer::from_str(text), Track::new());
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let problem = match T::deserialize(Strict::new(tracked, ignored)) {
        Err(error) => problem(&error),
        Ok(_) => "cannot be read".to_owned(),
    };
    Invalid::new(path(&track.path()), problem)
}

/// The message of an error, without the position appended by serde_json.
pub(super) fn problem(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// A path for messages; the client's own keys are clipped.
fn path(path: &Path) -> String {
    path.iter()
        .fold(String::new(), |path, segment| match segment {
            Segment::Seq { index } => format!("{path}[{index}]"),
            Segment::Map { key } if path.is_empty() => clip(key),
            Segment::Map { key } => format!("{path}.{}", clip(key)),
            other => format!("{path}.{other}"),
        })
}

/// Requires `text` to be JSON without a repeated key anywhere.
///
/// # Errors
/// [`ReadError::Malformed`], with the place.
fn check_syntax(text: &str) -> Result<(), ReadError> {
    if text.trim_ascii().is_empty() {
        return Err(malformed("is empty"));
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => syntax::check(value.get()).map_err(malformed),
        Err(error) => Err(malformed(format_args!("is not valid JSON: {error}"))),
    }
}

fn malformed(problem: impl fmt::Display) -> ReadError {
    let problem = format!("{problem}; send one JSON object in UTF-8");
    ReadError::Malformed(Invalid::new(BODY, problem))
}

/// The fault of a missing required field.
pub fn missing(field: &str) -> Invalid {
    Invalid::new(field, "is required")
}

/// The fault of a required field sent as `null`.
fn required_not_null(field: &str) -> Invalid {
    Invalid::new(field, "is required, and must not be null")
}

/// Parses the hyphenated form of a UUID, and no other.
/// `Uuid::parse_str` also takes braces, `urn:` and no hyphens.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() != 36 {
        return None;
    }
    Uuid::try_parse(text).ok()
}

/// The problem with a text in place of an id.
pub(super) fn no_id(sent: &str) -> String {
    let (example, sent) = ("018f2f6e-4c1a-7000-8000-000000000001", clip(sent));
    format!(
        "must be an id, which is a UUID such as {example}, not \"{sent}\"; names and codes of your own \
         are no ids"
    )
}

/// The kind of value of a JSON text.
pub(super) fn kind(text: &str) -> &'static str {
    match text.trim_start().bytes().next() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
