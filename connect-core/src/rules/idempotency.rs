//! When two requests are the same, and when a key expires (specification: Idempotency).

use sha2::{Digest, Sha256};

use crate::wire::{Timestamp, limits::IDEMPOTENCY_HOURS};

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
