//! A request as sent.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use serde_json::Value;

/// A request to send. Only `Host` and the body framing are added.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path and query of the request line.
    pub target: String,
    /// The headers; a name may occur more than once.
    pub headers: HeaderMap,
    /// The body.
    pub body: Payload,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Sent at once, with a `Content-Length`.
    Whole(Bytes),
    /// Sent in pieces without a `Content-Length`.
    Chunked(Vec<Bytes>),
}

impl Payload {
    /// All bytes of it.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Whole(bytes) => bytes.clone(),
            Self::Chunked(pieces) => pieces.concat().into(),
        }
    }
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: Method, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            headers: HeaderMap::new(),
            body: Payload::Whole(Bytes::new()),
        }
    }

    /// `GET`.
    pub fn get(target: impl Into<String>) -> Self {
        Self::new(Method::GET, target)
    }

    /// `POST` of JSON.
    pub fn post(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, target).json(body)
    }

    /// `PATCH` of JSON.
    pub fn patch(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PATCH, target).json(body)
    }

    /// `DELETE`.
    pub fn delete(target: impl Into<String>) -> Self {
        Self::new(Method::DELETE, target)
    }

    /// With this JSON as body, and its content type.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    /// With these bytes as body.
    #[must_use]
    pub fn body(self, body: impl Into<Bytes>) -> Self {
        Self {
            body: Payload::Whole(body.into()),
            ..self
        }
    }

    /// With one more header, of any bytes allowed by HTTP.
    ///
    /// # Panics
    /// HTTP does not allow the name or the value.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        let value = HeaderValue::from_bytes(value.as_ref()).expect("a header value");
        self.headers.append(name, value);
        self
    }

    /// With this token, unless `Authorization` is already set.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        if self.headers.contains_key(header::AUTHORIZATION) {
            return self;
        }
        self.header("authorization", format!("Bearer {token}"))
    }

    /// With this `Idempotency-Key`.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }
}
