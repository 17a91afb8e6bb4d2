//! Requests as values, and the idempotency keys of writes.

use bytes::Bytes;
use http::{HeaderValue, Method};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    error::RequestError,
    wire::{IdempotencyKey, query::Query},
};

/// Decodes a response body into the result of the call.
pub(crate) type Read<T> = fn(&Bytes) -> Result<T, serde_json::Error>;

/// One request, relative to the base address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: Method,
    /// The path below the base address, beginning with a slash.
    pub(crate) path: String,
    /// The query string without its question mark; may be empty.
    pub(crate) query: String,
    /// The JSON body.
    pub(crate) body: Option<Bytes>,
}

impl Request {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            query: String::new(),
            body: None,
        }
    }

    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn list(path: String, query: &impl Query) -> Self {
        Self {
            query: query.to_query(),
            ..Self::get(path)
        }
    }

    pub(crate) fn delete(path: String) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// A write with a body already in JSON.
    pub(crate) fn of_bytes(method: Method, path: String, body: Bytes) -> Self {
        Self {
            body: Some(body),
            ..Self::new(method, path)
        }
    }

    /// The same request with this as its JSON body.
    pub(crate) fn with_json(self, body: &impl Serialize) -> Result<Self, RequestError> {
        let body = serde_json::to_vec(body).map_err(|e| RequestError(e.to_string()))?;
        Ok(Self {
            body: Some(body.into()),
            ..self
        })
    }

    pub(crate) fn post(path: String, body: &impl Serialize) -> Result<Self, RequestError> {
        Self::new(Method::POST, path).with_json(body)
    }

    pub(crate) fn patch(path: String, body: &impl Serialize) -> Result<Self, RequestError> {
        Self::new(Method::PATCH, path).with_json(body)
    }

    pub(crate) fn put(path: String, body: &impl Serialize) -> Result<Self, RequestError> {
        Self::new(Method::PUT, path).with_json(body)
    }

    /// Returns whether the request needs an idempotency key, as a write.
    pub(crate) fn is_write(&self) -> bool {
        !self.method.is_safe()
    }
}

/// A new key: a random UUID.
pub(crate) fn random_key() -> IdempotencyKey {
    let key = IdempotencyKey::new(Uuid::new_v4().to_string());
    key.expect("a UUID is short and visible ASCII")
}

/// The value of the header; `None` never happens for a checked key.
pub(crate) fn key_header(key: &IdempotencyKey) -> Option<HeaderValue> {
    HeaderValue::from_str(key.as_str()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_keys_differ() {
        assert_ne!(random_key(), random_key());
    }
}
