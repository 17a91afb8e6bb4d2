//! The summary of an answered request, stored for its token's owner.

use std::{borrow::Cow, net::IpAddr};

use bytes::Bytes;
use connect_core::{
    AnsweredRequest,
    wire::{ErrorBody, ErrorDetail, Timestamp},
};
use http::{
    HeaderName, HeaderValue, Method, Request, StatusCode, header::USER_AGENT, uri::PathAndQuery,
};
use uuid::Uuid;

use super::failed_items;
use crate::net::headers;

/// The longest text kept of a request, in bytes.
/// Our own paths are shorter.
const LONGEST: usize = 200;

/// The most errors kept of a batch.
const MOST_ERRORS: usize = 5;

/// The beginning of the answer to a refused request. Any other one with errors is of a batch.
const ERROR: &[u8] = b"{\"error\"";

/// A request without an answer yet.
/// It shares the texts of the request: its token is still unknown, so a copy may be of no use.
pub(super) struct RequestSummary {
    method: Method,
    path: Option<PathAndQuery>,
    key: Option<HeaderValue>,
    client: Option<HeaderValue>,
    id: Option<HeaderValue>,
    address: IpAddr,
}

impl RequestSummary {
    /// Keeps the known parts of a request.
    pub(super) fn of<B>(request: &Request<B>, address: IpAddr) -> Self {
        let header = |name: &HeaderName| request.headers().get(name).cloned();
        Self {
            method: request.method().clone(),
            path: request.uri().path_and_query().cloned(),
            key: header(&HeaderName::from_static("idempotency-key")),
            client: header(&USER_AGENT),
            id: header(&headers::REQUEST_ID),
            address,
        }
    }

    /// Adds the facts of the answer. `refusal` is its body, if it has errors.
    pub(super) fn answered(
        self,
        at: Timestamp,
        token: Uuid,
        status: StatusCode,
        refusal: Option<&Bytes>,
    ) -> AnsweredRequest {
        let path = self.path.as_ref().map_or("", PathAndQuery::path);
        AnsweredRequest {
            token_id: token.into(),
            at,
            method: self.method.to_string(),
            path: clipped(path.into()),
            status: status.as_u16(),
            request_id: self.id.as_ref().map(text).unwrap_or_default(),
            idempotency_key: self.key.as_ref().map(text),
            address: self.address,
            client: self.client.as_ref().map(text),
            errors: refusal.map(|body| errors(body)).unwrap_or_default(),
        }
    }
}

/// Reads the errors of an answer: that of the request, or the first ones of a batch.
fn errors(body: &[u8]) -> Vec<ErrorDetail> {
    let mut errors = match body.starts_with(ERROR) {
        true => {
            let body: Option<ErrorBody> = serde_json::from_slice(body).ok();
            body.into_iter().map(|body| body.error).collect()
        }
        false => failed_items::first(body, MOST_ERRORS),
    };
    for error in &mut errors {
        error.message = clipped(std::mem::take(&mut error.message).into());
        error.field = error.field.take().map(|field| clipped(field.into()));
    }
    errors
}

fn text(value: &HeaderValue) -> String {
    clipped(String::from_utf8_lossy(value.as_bytes()))
}

/// The beginning of a text, up to [`LONGEST`] bytes.
fn clipped(text: Cow<'_, str>) -> String {
    let end = text.floor_char_boundary(LONGEST);
    match text {
        Cow::Borrowed(text) => text[..end].to_owned(),
        Cow::Owned(mut text) => {
            text.truncate(end);
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_kept_as_it_was_and_its_texts_are_clipped() {
        let long = "é".repeat(LONGEST);
        let request = Request::post("/v1/a?secret=b")
            .header("idempotency-key", "k-1")
            .header(
                "user-agent",
                HeaderValue::from_bytes(long.as_bytes()).unwrap(),
            )
            .header("x-request-id", "r-1")
            .body(())
            .unwrap();
        let summary = RequestSummary::of(&request, [10, 0, 0, 7].into());
        let token = Uuid::from_u128(7);
        let body = r#"{"error":{"code":"not_found","message":"there is none","field":"id"}}"#;
        let kept = summary.answered(
            Timestamp::EPOCH,
            token,
            StatusCode::NOT_FOUND,
            Some(&body.into()),
        );
        let client = kept.client.as_deref().unwrap();
        assert_eq!((client.len(), &client[..2]), (LONGEST, "é"));
        assert_eq!(
            (
                &*kept.path,
                kept.status,
                &*kept.request_id,
                kept.idempotency_key.as_deref()
            ),
            ("/v1/a", 404, "r-1", Some("k-1"))
        );
        assert_eq!(kept.errors[0].field.as_deref(), Some("id"));
    }

    #[test]
    fn the_first_errors_of_a_batch_name_their_items() {
        let item = |index: usize| match index {
            0 => r#"{"index":0,"status":"created"}"#.to_owned(),
            _ => format!(
                r#"{{"index":{index},"status":"failed","error":{{"code":"validation_failed","message":"must be a number","field":"priceCents"}}}}"#
            ),
        };
        let items: Vec<String> = (0..9).map(item).collect();
        let body = format!(
            r#"{{"data":{{"created":1,"failed":8,"results":[{}]}}}}"#,
            items.join(",")
        );
        let errors = errors(body.as_bytes());
        let fields: Vec<_> = errors
            .iter()
            .map(|error| error.field.as_deref().unwrap())
            .collect();
        assert_eq!(fields.len(), MOST_ERRORS);
        assert_eq!(fields[0], "items[1].priceCents");
        // Nothing is read behind the last one kept.
        let cut = body.rfind(r#"{"index":6"#).unwrap();
        let cut = super::errors(&body.as_bytes()[..cut]);
        assert_eq!(cut, errors);
        for none in ["no JSON", "{}", r#"{"error":7}"#, r#"{"results":[7]}"#] {
            assert!(super::errors(none.as_bytes()).is_empty(), "{none}");
        }
    }
}
