//! Requests as values: what is asked for, apart from how it is sent.

use bytes::Bytes;
use http::Method;
use serde::Serialize;

use crate::{error::RequestError, wire::query::Query};

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
    pub(crate) fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            query: String::new(),
            body: None,
        }
    }

    pub(crate) fn list(path: String, query: &impl Query) -> Self {
        Self {
            query: query.to_query(),
            ..Self::get(path)
        }
    }

    pub(crate) fn delete(path: String) -> Self {
        Self {
            method: Method::DELETE,
            ..Self::get(path)
        }
    }

    /// A write whose body is already JSON.
    pub(crate) fn post_bytes(path: String, body: Bytes) -> Self {
        Self {
            method: Method::POST,
            body: Some(body),
            ..Self::get(path)
        }
    }

    pub(crate) fn post(path: String, body: &impl Serialize) -> Result<Self, RequestError> {
        Ok(Self::post_bytes(path, json(body)?))
    }

    pub(crate) fn patch(path: String, body: &impl Serialize) -> Result<Self, RequestError> {
        Ok(Self {
            method: Method::PATCH,
            ..Self::post(path, body)?
        })
    }

    /// Returns whether it changes something, and so carries an idempotency key.
    pub(crate) fn is_write(&self) -> bool {
        self.method != Method::GET
    }
}

fn json(body: &impl Serialize) -> Result<Bytes, RequestError> {
    let body = serde_json::to_vec(body).map_err(|e| RequestError(e.to_string()))?;
    Ok(body.into())
}
