//! Whether a text that is JSON repeats a key, is nested too deeply, or has an escape that stands
//! for no character. Numbers are not looked at: they may be larger than any type holds.

use std::{collections::HashSet, fmt};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Error, value::RawValue};

use super::{Key, clip};

/// How deep arrays and objects may lie in each other. Bodies of this API need three; each level
/// costs one more look at what lies in it.
const DEEPEST: usize = 64;

/// Checks `text`, which is one JSON value.
pub(super) fn check(text: &str) -> Result<(), Error> {
    within(text, 0)
}

fn within(text: &str, depth: usize) -> Result<(), Error> {
    let parts = match text.trim_start().as_bytes().first() {
        Some(b'{') => serde_json::from_str::<Members<'_>>(text)?.0,
        Some(b'[') => serde_json::from_str(text)?,
        Some(b'"') if text.contains('\\') => return serde_json::from_str::<String>(text).map(drop),
        _ => return Ok(()),
    };
    if depth == DEEPEST {
        return Err(Error::custom(format_args!("nested deeper than {DEEPEST}")));
    }
    parts
        .iter()
        .try_for_each(|part| within(part.get(), depth + 1))
}

/// The values of an object whose keys are all different.
struct Members<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let (mut seen, mut values) = (HashSet::new(), Vec::new());
                while let Some(Key(key)) = map.next_key()? {
                    if seen.contains(&key) {
                        let key = clip(&key);
                        return Err(A::Error::custom(format_args!("key \"{key}\" twice")));
                    }
                    seen.insert(key);
                    values.push(map.next_value()?);
                }
                Ok(Members(values))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found_wherever_they_lie() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for good in [
            "1e999",
            r#"[1e400,{"a":1,"b":[{"a":2}]}]"#,
            r#""\u00e9""#,
            &deep(DEEPEST),
        ] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":2}"#,
            // A number that no float holds once hid what stood behind it.
            r#"[1e999,{"a":1,"a":2}]"#,
            r#"{"x":[[{"a":1,"a":2}]]}"#,
            r#"["\ud800"]"#,
            &deep(DEEPEST + 1),
            &deep(10_000),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
