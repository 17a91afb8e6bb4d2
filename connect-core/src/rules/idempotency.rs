//! Idempotency keys and when two requests are the same (specification: Idempotency).

use sha2::{Digest, Sha256};

use crate::wire::{
    Timestamp,
    limits::{IDEMPOTENCY_HOURS, MAX_IDEMPOTENCY_KEY_LEN},
    read::Invalid,
};

/// A client's `Idempotency-Key`: 1 to 100 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The key that a header holds.
    ///
    /// # Errors
    /// The text is empty, too long, or has other characters.
    pub fn parse(text: &[u8]) -> Result<Self, Invalid> {
        let visible = text.iter().all(u8::is_ascii_graphic);
        match std::str::from_utf8(text) {
            Ok(text) if visible && (1..=MAX_IDEMPOTENCY_KEY_LEN).contains(&text.len()) => {
                Ok(Self(text.to_owned()))
            }
            _ => {
                let problem =
                    format!("must have 1 to {MAX_IDEMPOTENCY_KEY_LEN} visible ASCII characters");
                Err(Invalid::new("Idempotency-Key", problem))
            }
        }
    }

    /// The key as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What makes two requests the same: method, path with query, and the bytes of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a request.
    pub fn of(method: &str, path_and_query: &str, body: &[u8]) -> Self {
        let mut digest = Sha256::new();
        // Neither a method nor a target has a line feed, so no two requests run together.
        for part in [
            method.as_bytes(),
            b"\n",
            path_and_query.as_bytes(),
            b"\n",
            body,
        ] {
            digest.update(part);
        }
        Self(digest.finalize().into())
    }

    /// The fingerprint in hexadecimal.
    pub(crate) fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

/// When a key that was first used at `now` may be used anew.
pub(crate) fn expiry(now: Timestamp) -> Timestamp {
    now.plus_seconds(IDEMPOTENCY_HOURS * 3600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_visible_ascii() {
        for good in [&b"a"[..], b"!~", &[b'x'; 100]] {
            assert!(IdempotencyKey::parse(good).is_ok());
        }
        for bad in [
            &b""[..],
            b" ",
            b"a b",
            b"a\t",
            "é".as_bytes(),
            b"\xFF",
            b"\x7F",
            &[b'x'; 101],
        ] {
            assert!(IdempotencyKey::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn requests_differ_by_any_part() {
        let print = Fingerprint::of;
        assert_eq!(print("POST", "/a?b", b"c"), print("POST", "/a?b", b"c"));
        for other in [
            print("PUT", "/a?b", b"c"),
            print("POST", "/a", b"c"),
            print("POST", "/a?b", b"c "),
            print("POST", "/a", b"?b\nc"),
        ] {
            assert_ne!(print("POST", "/a?b", b"c"), other);
        }
    }
}
