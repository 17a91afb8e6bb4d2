//! Types that may grow: what a program gets of the service or of the SDK can have another field or
//! variant tomorrow, and the program of today still compiles. The bodies of writes are made by
//! programs, with `..default()` for the rest, and are no part of this.

use crate::layering::sources;

/// The types that stay as they are, and why.
const FIXED: [(&str, &str); 2] = [
    (
        "Entry",
        "an entry of a list is live or deleted, and a program has to handle both",
    ),
    ("Field", "a field of a request is left out, null or a value"),
];

/// A public type, as its file declares it.
struct Declared<'t> {
    name: &'t str,
    attributes: &'t str,
    /// Set when programs could name every field or variant of it.
    is_open: bool,
}

/// Returns the public types of a file. A blank line stands before each of them.
fn declared(text: &str) -> impl Iterator<Item = Declared<'_>> {
    text.split("\n\n").filter_map(|item| {
        let is_first = |line: &&str| {
            let line = line.trim_start();
            line.starts_with("pub struct ") || line.starts_with("pub enum ")
        };
        let line = item.lines().find(is_first)?;
        let (attributes, body) = item.split_once(line)?;
        let rest = line.trim_start().strip_prefix("pub ")?;
        let (kind, rest) = rest.split_once(' ')?;
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '$');
        let is_public = |line: &str| line.trim_start().starts_with("pub ");
        Some(Declared {
            name: name.into_iter().next()?,
            attributes,
            is_open: kind == "enum" || rest.contains("(pub ") || body.lines().any(is_public),
        })
    })
}

/// Returns the names of the types of a file that cannot grow.
fn closed(text: &str, is_given: impl Fn(&Declared<'_>) -> bool) -> Vec<String> {
    let types = declared(text).filter(|one| one.is_open && is_given(one));
    let closed = types.filter(|one| !one.attributes.contains("#[non_exhaustive]"));
    closed.map(|one| one.name.to_owned()).collect()
}

/// Returns those that are read from responses, or from anything else.
fn closed_when_read(text: &str) -> Vec<String> {
    closed(text, |one| {
        let by_hand = format!("Deserialize<'de> for {}", one.name);
        one.attributes.contains("Deserialize") || text.contains(&by_hand)
    })
}

#[test]
fn what_a_program_gets_may_grow() {
    let mut found = Vec::new();
    for (file, text) in sources("connect-core") {
        if file.starts_with("wire/") {
            found.extend(closed_when_read(&text));
        }
    }
    for (_, text) in sources("connect-client") {
        found.extend(closed(&text, |_| true));
    }
    found.sort_unstable();
    assert_eq!(found, FIXED.map(|(name, _)| name));
}

#[test]
fn closed_types_are_found() {
    let text = "\
use a::b;

/// Grows.
#[derive(Deserialize)]
#[non_exhaustive]
pub struct Open {
    pub a: u8,
}

#[derive(Deserialize)]
pub struct Opaque {
    a: u8,
}

#[derive(Deserialize)]
pub struct Closed<T> {
    /// A field.
    pub a: T,
}

#[derive(Deserialize)]
pub struct Tuple(pub u8);

pub enum ByHand {
    One,
}

impl<'de> Deserialize<'de> for ByHand {}

/// Never read.
#[derive(Serialize)]
pub struct Sent {
    pub a: u8,
}
";
    assert_eq!(closed_when_read(text), ["Closed", "Tuple", "ByHand"]);
    let all = closed(text, |_| true);
    assert_eq!(all, ["Closed", "Tuple", "ByHand", "Sent"]);
}
