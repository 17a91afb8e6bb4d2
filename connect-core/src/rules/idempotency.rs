//! Identity of requests, and the expiry of keys (specification: Idempotency).

use std::fmt;

use sha2::{Digest, Sha256};

use crate::wire::{
    Timestamp,
    limits::{DEVICE_IDEMPOTENCY_DAYS, IDEMPOTENCY_HOURS},
};

/// The fingerprint of a request.
/// Two requests are the same if their operation, its target and the bytes of their input are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Returns the fingerprint of `operation` on `target` with `input`.
    /// Neither the operation nor the target may contain a line feed.
    pub fn of(operation: &str, target: &str, input: &[u8]) -> Self {
        let mut digest = Sha256::new();
        // The line feeds separate the parts unambiguously.
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

/// The retention time of a caller's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyRetention {
    /// For programs and people, with retries within minutes.
    Hours,
    /// For devices. They may be offline meanwhile.
    Days,
}

impl KeyRetention {
    /// Returns the expiry of a key first used at `now`.
    pub(crate) fn expiry(self, now: Timestamp) -> Timestamp {
        let hours = match self {
            Self::Hours => IDEMPOTENCY_HOURS,
            Self::Days => DEVICE_IDEMPOTENCY_DAYS * 24,
        };
        now.plus_seconds(hours * 3600)
    }
}

/// The time in words: `24 hours`.
impl fmt::Display for KeyRetention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hours => write!(f, "{IDEMPOTENCY_HOURS} hours"),
            Self::Days => write!(f, "{DEVICE_IDEMPOTENCY_DAYS} days"),
        }
    }
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
    fn a_key_is_free_again_after_a_day_and_that_of_a_device_after_a_week() {
        let now = Timestamp::EPOCH;
        for (kept, hours, words) in [
            (KeyRetention::Hours, 24, "24 hours"),
            (KeyRetention::Days, 168, "7 days"),
        ] {
            assert_eq!(kept.expiry(now), now.plus_seconds(hours * 3600));
            assert_eq!(kept.to_string(), words);
        }
    }
}
