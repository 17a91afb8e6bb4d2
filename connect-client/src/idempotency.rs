//! Idempotency keys.

use std::{fmt, str::FromStr};

use http::HeaderValue;
use uuid::Uuid;

use crate::wire::limits::MAX_IDEMPOTENCY_KEY_LEN;

/// Names one write, so that the service applies it once however often it is sent.
///
/// Every write carries a random key of its own on all its attempts. Choose the key yourself
/// where a write has to be recognised across restarts of your program: the number of the order
/// that causes it, say. The service remembers a key for 24 hours; the same key with another
/// request is a `conflict`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// A text is no idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an idempotency key has 1 to {MAX_IDEMPOTENCY_KEY_LEN} visible ASCII characters")]
pub struct NotAnIdempotencyKey;

impl IdempotencyKey {
    /// Takes a key of 1 to 100 visible ASCII characters (no blanks).
    ///
    /// # Errors
    /// The text is empty, longer, or has other characters.
    pub fn new(key: impl Into<String>) -> Result<Self, NotAnIdempotencyKey> {
        let key = key.into();
        let fits = (1..=MAX_IDEMPOTENCY_KEY_LEN).contains(&key.len());
        if fits && key.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(key))
        } else {
            Err(NotAnIdempotencyKey)
        }
    }

    /// A key that nobody used before (a random UUID).
    pub fn random() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// The key as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value of `Idempotency-Key`; `None` never happens for a checked key.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl FromStr for IdempotencyKey {
    type Err = NotAnIdempotencyKey;

    fn from_str(key: &str) -> Result<Self, NotAnIdempotencyKey> {
        Self::new(key)
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_visible_ascii_of_bounded_length() {
        for good in ["a", "order-17", "!~", &"k".repeat(100)] {
            assert_eq!(IdempotencyKey::new(good).unwrap().as_str(), good);
        }
        for bad in ["", " ", "a b", "a\n", "é", "\u{7f}", &"k".repeat(101)] {
            assert_eq!(bad.parse::<IdempotencyKey>(), Err(NotAnIdempotencyKey));
        }
    }

    #[test]
    fn random_keys_differ_and_are_valid() {
        let (one, other) = (IdempotencyKey::random(), IdempotencyKey::random());
        assert_ne!(one, other);
        assert_eq!(IdempotencyKey::new(one.as_str()), Ok(one));
    }
}
