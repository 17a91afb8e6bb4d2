//! Problems of a text already parsed as JSON.
//! These are a key twice, too deep nesting, or an escape without a character. Numbers are not
//! checked: they may be larger than any type holds.

use std::{borrow::Cow, collections::HashSet};

/// The most nested levels of arrays and objects.
/// Bodies of this API need four.
const DEEPEST: usize = 64;

/// Checks `text`, one JSON value, in one pass.
///
/// # Errors
/// The problem, to follow the name of the text.
pub(super) fn check(text: &str) -> Result<(), String> {
    check_bytes(text, text.bytes().enumerate())
}

/// Checks `text`, given its `bytes` with their positions.
fn check_bytes(text: &str, bytes: impl Iterator<Item = (usize, u8)>) -> Result<(), String> {
    let mut bytes = bytes.peekable();
    // The keys of each object that is open, and `None` for each array.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    while let Some((start, byte)) = bytes.next() {
        match byte {
            b'{' | b'[' if open.len() == DEEPEST => {
                return Err(format!("is nested deeper than {DEEPEST} levels"));
            }
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let text = unescaped(&text[start..string_end(&mut bytes)])?;
                while bytes
                    .next_if(|(_, byte)| byte.is_ascii_whitespace())
                    .is_some()
                {}
                let is_key = bytes.peek().is_some_and(|(_, byte)| *byte == b':');
                if is_key
                    && let Some(Some(keys)) = open.last_mut()
                    && let Some(twice) = keys.replace(text)
                {
                    return Err(format!("has the key \"{}\" twice", clip(&twice)));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Skips the rest of a string, and returns the position after it.
fn string_end(bytes: &mut impl Iterator<Item = (usize, u8)>) -> usize {
    let mut end = 0;
    while let Some((at, byte)) = bytes.next() {
        end = at + 1;
        match byte {
            b'"' => break,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    end
}

/// The text of a string.
/// Its form was checked already, except its escapes.
fn unescaped(string: &str) -> Result<Cow<'_, str>, String> {
    if !string.contains('\\') {
        return Ok(string.trim_matches('"').into());
    }
    let text = serde_json::from_str::<String>(string);
    text.map(Cow::Owned)
        .map_err(|_| "has an escape that is not a valid character".to_owned())
}

/// The start of a client's text, short enough for a message.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().nth(LONGEST).is_none() {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize, text: &str) -> String {
        format!("{}{text}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn faults_are_found_wherever_they_lie() {
        for good in [
            "1e999",
            r#"[1e400,{"a":1,"b":[{"a":2}]}]"#,
            r#"{"a":"a","b":["a","a"],"c":"{[\"a"}"#,
            r#"{"a":{"a":{}},"b":[],"\"":1,"\\":2}"#,
            r#""\u00e9""#,
            "\"\"",
            &nested(DEEPEST, ""),
            // Siblings do not count as levels.
            &format!("[{}[]]", "[],".repeat(1000)),
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let (twice, escape) = ("has the key \"a\" twice", "has an escape");
        for (bad, problem) in [
            (r#"{"a":1,"a":2}"#, twice),
            (r#"{"a":1,"\u0061":2}"#, twice),
            ("{\"a\" \n:1,\"a\"\t:2}", twice),
            // Once, a number too large for a float hid the text after it.
            (r#"[1e999,{"a":1,"a":2}]"#, twice),
            (r#"{"x":[[{"a":1,"a":2}]]}"#, twice),
            (r#"{"a":{"a":1},"b":"\"","a":2}"#, twice),
            (r#"["\ud800"]"#, escape),
            (r#"{"\ud800":1}"#, escape),
            (&nested(DEEPEST + 1, ""), "is nested deeper"),
            (&nested(10_000, ""), "is nested deeper"),
        ] {
            let found = check(bad).unwrap_err();
            assert!(found.starts_with(problem), "{bad}: {found}");
        }
    }

    /// Earlier, each level cost a scan of all its content.
    /// A body of 2 MB was scanned 64 times.
    #[test]
    fn each_byte_is_looked_at_once() {
        let string = format!("\"{}\"", "x".repeat(100_000));
        for levels in [1, DEEPEST] {
            let text = nested(levels, &string);
            let mut looks = 0;
            let bytes = text.bytes().enumerate().inspect(|_| looks += 1);
            check_bytes(&text, bytes).unwrap();
            assert_eq!(looks, text.len(), "{levels} levels");
        }
    }
}
