//! The writes of one slice of a large commit, as bytes.
//!
//! For each write: the length of the key (4 bytes), the key, then 0 for a removal or 1, the length
//! of the value (4 bytes) and the value.

use crate::storage::{Key, Value};

pub(super) fn encode(writes: &[(Key, Option<Value>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let with_length = |bytes: &mut Vec<u8>, part: &[u8]| {
        // Longer keys and values have been refused before.
        bytes.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(part);
    };
    for (key, value) in writes {
        with_length(&mut bytes, key);
        match value {
            None => bytes.push(0),
            Some(value) => {
                bytes.push(1);
                with_length(&mut bytes, value);
            }
        }
    }
    bytes
}

/// A key and its new value, or `None` for a removal.
pub(super) type Written<'a> = (&'a [u8], Option<&'a [u8]>);

/// The writes in a record; `None` if it is not one.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Vec<Written<'_>>> {
    let mut writes = Vec::new();
    while !bytes.is_empty() {
        let key = part(&mut bytes)?;
        let value = match *bytes.split_off_first()? {
            0 => None,
            1 => Some(part(&mut bytes)?),
            _ => return None,
        };
        writes.push((key, value));
    }
    Some(writes)
}

fn part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (len, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*len)).ok()?)?;
    *bytes = rest;
    Some(part)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn writes_come_back() {
        let writes: Vec<(Key, Option<Value>)> = vec![
            (b""[..].into(), None),
            (b"key"[..].into(), Some(b""[..].into())),
            (b"other"[..].into(), Some(vec![7; 300].into())),
        ];
        let bytes = encode(&writes);
        let decoded = decode(&bytes).unwrap();
        let expected = writes.iter().map(|(key, value)| (&**key, value.as_deref()));
        assert_eq!(decoded, expected.collect::<Vec<_>>());
        for len in 1..bytes.len() {
            let cut = decode(&bytes[..len]);
            assert!(cut.is_none_or(|cut| cut.len() < writes.len()));
        }
    }
}
