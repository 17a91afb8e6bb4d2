//! The OpenAPI documents, which are open to everybody.

use bytes::Bytes;
use connect_core::{
    Error,
    wire::query::{NoQuery, Query as _},
};
use http::{Method, StatusCode};

use crate::{endpoint::Reply, images::PublicUrl};

/// The address of the API in its document, which is the server that the document came from.
const RELATIVE: &str = r#""url": "/v1""#;

/// A document as it is served. Cheap to clone.
#[derive(Clone)]
pub(super) struct Document(Bytes);

impl Document {
    /// A document as it is committed.
    pub(super) fn new(text: &'static str) -> Self {
        Self(Bytes::from_static(text.as_bytes()))
    }

    /// The document of the API, which names the address at which everybody reaches it.
    pub(super) fn at(public: &PublicUrl, text: &str) -> Self {
        // The text of a URL needs no escapes in JSON.
        let absolute = format!(r#""url": "{public}/v1""#);
        Self(text.replacen(RELATIVE, &absolute, 1).into())
    }

    /// Answers a request for it.
    pub(super) fn answer(&self, method: &Method, query: &str) -> Reply {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Reply::method_not_allowed(method, &[Method::GET, Method::HEAD]);
        }
        match NoQuery::parse(query) {
            Ok(_) => Reply::json(StatusCode::OK, self.0.clone()),
            Err(invalid) => Error::Malformed(invalid.into()).into(),
        }
    }
}
