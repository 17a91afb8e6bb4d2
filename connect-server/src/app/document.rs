//! The OpenAPI documents, which are open to everybody.

use bytes::Bytes;
use connect_core::{
    Error,
    wire::query::{NoQuery, Query as _},
};
use http::{Method, StatusCode};

use crate::endpoint::Reply;

/// Answers a request for a document.
pub(super) fn document(text: &'static str, method: &Method, query: &str) -> Reply {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Reply::method_not_allowed(method, &[Method::GET, Method::HEAD]);
    }
    match NoQuery::parse(query) {
        Ok(_) => Reply::json(StatusCode::OK, Bytes::from_static(text.as_bytes())),
        Err(invalid) => Error::Malformed(invalid.into()).into(),
    }
}
