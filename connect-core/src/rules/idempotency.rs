//! Sameness of requests, and the expiry of keys (specification: Idempotency).

use sha2::{Digest, Sha256};

use crate::wire::{Timestamp, limits::IDEMPOTENCY_HOURS};

/// The fingerprint of a request. Two requests are the same when their operation, its target and the
/// bytes of their input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Returns the fingerprint of `operation` on `target` with `input`. Neither the operation nor
    /// the target may have a line feed.
    pub fn of(operation: &str, target: &str, input: &[u8]) -> Self {
        let mut digest = Sha256::new();
        // The line feeds keep two requests from running together.
        for part in [operation.as_bytes(), b"\n", target.as_bytes(), b"\n", input] {
            digest.update(part);
        }
        Self(digest.finalize().into())
    }

    /// The fingerprint in hexadecimal.
    pub(crate) fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

/// Returns the time from which a key that was first used at `now` may be used anew.
pub(crate) fn expiry(now: Timestamp) -> Timestamp {
    now.plus_seconds(IDEMPOTENCY_HOURS * 3600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_differ_by_any_part() {
        let print = Fingerprint::of;
        assert_eq!(print("create", "/a?b", b"c"), print("create", "/a?b", b"c"));
        for other in [
            print("update", "/a?b", b"c"),
            print("create", "/a", b"c"),
            print("create", "/a?b", b"c "),
            print("create", "/a", b"?b\nc"),
        ] {
            assert_ne!(print("create", "/a?b", b"c"), other);
        }
    }

    #[test]
    fn a_key_is_free_again_after_a_day() {
        let now = Timestamp::EPOCH;
        assert_eq!(expiry(now), now.plus_seconds(24 * 3600));
    }
}
