//! Comparisons of findings with expectations.

use std::fmt;

use super::super::Fault;
use crate::storage::{Entry, Value};

/// The number written by a check, in eight bytes.
pub(in crate::storage::conformance) fn number(bytes: &[u8]) -> Result<u64, Fault> {
    let wrong = |_| {
        Fault::new(format_args!(
            "{:?} is not the number written",
            ShortenedBytes(bytes)
        ))
    };
    Ok(u64::from_be_bytes(bytes.try_into().map_err(wrong)?))
}

/// Compares rows with the expected ones.
pub(in crate::storage::conformance) fn same_rows<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    what: impl fmt::Display,
    found: &[Entry],
    wanted: &[(K, V)],
) -> Result<(), Fault> {
    let found: Vec<_> = found
        .iter()
        .map(|(key, value)| (ShortenedBytes(key), ShortenedBytes(value)))
        .collect();
    let wanted: Vec<_> = wanted
        .iter()
        .map(|(key, value)| (ShortenedBytes(key.as_ref()), ShortenedBytes(value.as_ref())))
        .collect();
    same(what, found, wanted)
}

/// Compares the value found for a key with the expected one.
pub(in crate::storage::conformance) fn same_value(
    what: impl fmt::Display,
    found: Option<&Value>,
    wanted: Option<&[u8]>,
) -> Result<(), Fault> {
    same(
        what,
        found.map(|value| ShortenedBytes(value)),
        wanted.map(ShortenedBytes),
    )
}

/// Compares two printable values.
pub(in crate::storage::conformance) fn same<T: PartialEq + fmt::Debug>(
    what: impl fmt::Display,
    found: T,
    wanted: T,
) -> Result<(), Fault> {
    if found == wanted {
        return Ok(());
    }
    Err(Fault::new(format_args!(
        "{what}: found {found:?}, wanted {wanted:?}"
    )))
}

/// Bytes, displayed shortened.
#[derive(PartialEq)]
pub(in crate::storage::conformance) struct ShortenedBytes<'a>(
    pub(in crate::storage::conformance) &'a [u8],
);

impl fmt::Debug for ShortenedBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        let Self(bytes) = self;
        match bytes.get(..SHOWN) {
            None => write!(f, "\"{}\"", bytes.escape_ascii()),
            Some(start) => write!(f, "\"{}…\" ({} bytes)", start.escape_ascii(), bytes.len()),
        }
    }
}
