//! Problems of a text that parses as JSON: a key twice, too deep nesting, or an escape that stands
//! for no character. Numbers are not looked at: they may be larger than any type holds.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The most levels of arrays and objects in each other. Bodies of this API need three; each level
/// costs one more look at what lies in it.
const DEEPEST: usize = 64;

/// Checks `text`, which is one JSON value.
///
/// # Errors
/// The problem, to follow the name of the text.
pub(super) fn check(text: &str) -> Result<(), String> {
    within(text, 0)
}

fn within(text: &str, depth: usize) -> Result<(), String> {
    let parts = match text.trim_start().as_bytes().first() {
        Some(b'{') => {
            let Members(members) = parse(text)?;
            let mut seen = HashSet::new();
            if let Some((twice, _)) = members.iter().find(|(key, _)| !seen.insert(key)) {
                return Err(format!("has the key \"{}\" twice", clip(twice)));
            }
            members.into_iter().map(|(_, value)| value).collect()
        }
        Some(b'[') => parse::<Vec<&RawValue>>(text)?,
        Some(b'"') if text.contains('\\') => return parse::<String>(text).map(drop),
        _ => return Ok(()),
    };
    if depth == DEEPEST {
        return Err(format!("is nested deeper than {DEEPEST} levels"));
    }
    parts
        .iter()
        .try_for_each(|part| within(part.get(), depth + 1))
}

/// Parses a part of a text whose form was checked; only escapes were not looked at then.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|_| "has an escape that stands for no character".to_owned())
}

/// The members of an object in order, repeated keys included.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The start of a text of the client's, short enough for a message.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
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
