//! Arrays.

use std::{fmt, marker::PhantomData};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads the elements of an array.
///
/// # Errors
/// The value is not an array, or an element cannot be read.
pub(in crate::wire) fn array<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Elements(PhantomData))
}

struct Elements<T>(PhantomData<T>);

fn not<T, E: Error>(kind: &str) -> Result<T, E> {
    Err(E::custom(format_args!("must be an array, not {kind}")))
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = elements.next_element()? {
            all.push(element);
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Vec<T>, A::Error> {
        not("an object")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Vec<T>, E> {
        not("a string")
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Vec<T>, E> {
        not("a number")
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Vec<T>, E> {
        not("a number")
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Vec<T>, E> {
        not("a number")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Vec<T>, E> {
        not("a boolean")
    }

    fn visit_unit<E: Error>(self) -> Result<Vec<T>, E> {
        not("null")
    }
}
