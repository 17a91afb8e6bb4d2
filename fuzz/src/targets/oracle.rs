//! Independent checks of JSON syntax and of messages.

use std::{collections::HashSet, fmt};

use connect_core::wire::read::{Faults, Invalid, ReadError};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// The longest message about one field, in bytes; long input is clipped.
const LONGEST_MESSAGE: usize = 1000;
/// The most faults in a refusal.
const MOST_FAULTS: usize = 20;

/// Checks a refusal: its messages are few, not empty, and short.
///
/// # Panics
/// They are not.
pub(super) fn check_refusal(refused: &Invalid) {
    assert!(
        refused.others.len() < MOST_FAULTS,
        "{} faults",
        refused.others.len() + 1
    );
    for fault in std::iter::once(refused).chain(&refused.others) {
        assert!(
            !fault.problem.is_empty(),
            "no problem with {:?}",
            fault.field
        );
        let length = fault.field.len() + fault.problem.len();
        assert!(
            length <= LONGEST_MESSAGE,
            "a message of {length} bytes: {fault}"
        );
    }
}

/// Checks the faults of a body: they are few and short.
///
/// # Panics
/// They are not.
pub(super) fn check_faults(faults: &Faults) {
    assert!(faults.len() <= MOST_FAULTS, "{} faults", faults.len());
    let length = format!("{faults:?}").len();
    assert!(
        length <= MOST_FAULTS * LONGEST_MESSAGE,
        "faults of {length} bytes"
    );
}

/// Checks the verdict on JSON syntax with a second parser.
/// A body is malformed exactly if it is not JSON, or has a key twice.
///
/// # Panics
/// The verdicts differ.
pub(super) fn check_syntax<T>(json: &[u8], read: &Result<T, ReadError>) {
    match (well_formed(json), read) {
        (Some(true), Err(ReadError::Malformed(refused))) => {
            panic!("good JSON is called malformed: {refused}");
        }
        (Some(false), Ok(_)) => panic!("bad JSON is taken"),
        (Some(false), Err(ReadError::Invalid(refused))) => {
            panic!("bad JSON is not called malformed, but: {refused}");
        }
        _ => {}
    }
}

/// Returns whether a text is JSON without a repeated key.
/// It is `None` if this parser cannot tell: it holds numbers as floats, and the limit of nesting is the
/// service's.
fn well_formed(json: &[u8]) -> Option<bool> {
    let Err(error) = serde_json::from_slice::<Node>(json) else {
        return Some(depth(json) <= 16).filter(|is_flat| *is_flat);
    };
    let text = error.to_string();
    let is_unsure = text.starts_with("number out of range") || depth(json) > 16;
    (!is_unsure).then_some(false)
}

/// The deepest nesting possible with the brackets of a text.
fn depth(json: &[u8]) -> usize {
    let opens = |byte: &&u8| matches!(byte, b'[' | b'{');
    json.iter().filter(opens).count()
}

/// Any JSON value without a repeated key.
struct Node;

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Node)
    }
}

impl<'de> Visitor<'de> for Node {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while elements.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some((key, _)) = entries.next_entry::<String, Self>()? {
            if !seen.insert(key) {
                return Err(A::Error::custom("a key twice"));
            }
        }
        Ok(self)
    }
}
