//! Idempotency keys (specification: Idempotency).

use std::{fmt, str::FromStr};

use super::{limits::MAX_IDEMPOTENCY_KEY_LEN, read::Invalid};

/// A name for one write: 1 to 100 visible ASCII characters.
/// With it, the write is done once, however often it is sent.
///
/// Choose a key for a write to be recognised across restarts of a program: the number of the order
/// behind it, for example. The service remembers a key for 24 hours, and a device's key for 7 days.
/// The same key with another request is a `conflict`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A key of this text.
    ///
    /// # Errors
    /// The text is empty, too long, or has other characters, such as blanks.
    pub fn new(key: impl Into<String>) -> Result<Self, Invalid> {
        let key = key.into();
        let fits = (1..=MAX_IDEMPOTENCY_KEY_LEN).contains(&key.len());
        if fits && key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(key));
        }
        let problem = format!("must have 1 to {MAX_IDEMPOTENCY_KEY_LEN} visible ASCII characters");
        Err(Invalid::new("Idempotency-Key", problem))
    }

    /// The key as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = Invalid;

    fn from_str(key: &str) -> Result<Self, Invalid> {
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
        for bad in [
            "",
            " ",
            "a b",
            "a\n",
            "a\t",
            "é",
            "\u{7f}",
            &"k".repeat(101),
        ] {
            assert!(bad.parse::<IdempotencyKey>().is_err(), "{bad:?}");
        }
    }
}
