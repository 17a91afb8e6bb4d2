//! The idempotency keys of writes that bring none of their own.

use http::HeaderValue;
use uuid::Uuid;

use crate::wire::IdempotencyKey;

/// A key that nobody used before: a random UUID.
pub(crate) fn random() -> IdempotencyKey {
    let key = IdempotencyKey::new(Uuid::new_v4().to_string());
    key.expect("a UUID is short and visible ASCII")
}

/// The value of the header; `None` never happens for a checked key.
pub(crate) fn header(key: &IdempotencyKey) -> Option<HeaderValue> {
    HeaderValue::from_str(key.as_str()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_keys_differ() {
        assert_ne!(random(), random());
    }
}
