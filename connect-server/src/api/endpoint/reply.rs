//! Answers as HTTP responses. Only here outcomes and errors get their status.

use bytes::Bytes;
use connect_core::{
    Answer, Error, Json, RateStatus, Reason, Refusal,
    wire::{ErrorBody, ErrorCode, ErrorDetail},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
        CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, VARY, WWW_AUTHENTICATE,
    },
};

use crate::api::encoding::{Encoding, PrecompressedBody, WORTH_COMPRESSING, compress};

/// The beginning of a batch's answer with all its counts, in bytes.
const BATCH_COUNTS: usize = 100;

/// An answer, still without the common headers of all responses.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    cause: Option<String>,
}

impl Reply {
    /// Returns the body of an answer with errors, of the request or of items of a batch.
    pub(in crate::api) fn refusal(&self) -> Option<Bytes> {
        let beginning = &self.body[..self.body.len().min(BATCH_COUNTS)];
        let has_failed = || {
            let counts = String::from_utf8_lossy(beginning);
            let failed = counts.split_once("\"failed\":");
            failed.is_some_and(|(_, count)| !count.starts_with('0'))
        };
        let is_refused = self.status.is_client_error() || self.status.is_server_error();
        (is_refused || has_failed()).then(|| self.body.clone())
    }

    /// A JSON body with this status.
    pub fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self {
            status,
            headers,
            body: body.into(),
            cause: None,
        }
    }

    /// A page in HTML with its Content-Security-Policy.
    pub(crate) fn page(html: Bytes, policy: HeaderValue) -> Self {
        let headers = [
            (
                CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            ),
            (CONTENT_SECURITY_POLICY, policy),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        ];
        Self {
            status: StatusCode::OK,
            headers: headers.into_iter().collect(),
            body: html,
            cause: None,
        }
    }

    /// The status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The same with another status.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same with another header. Only `Set-Cookie` may be repeated.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        if name == SET_COOKIE {
            self.headers.append(name, value);
        } else {
            self.headers.insert(name, value);
        }
        self
    }

    /// The same with the cause of a server error, for the log.
    pub(crate) fn with_cause(mut self, cause: Option<String>) -> Self {
        self.cause = cause;
        self
    }

    /// The same refusal for people: `page` makes a page of its message.
    pub(crate) fn for_people(self, policy: HeaderValue, page: impl FnOnce(&str) -> String) -> Self {
        let told = serde_json::from_slice::<ErrorBody>(&self.body);
        let message = told.map(|told| told.error.message);
        let html = page(message.as_deref().unwrap_or("the request was refused"));
        let mut reply = Self::page(html.into(), policy);
        reply.status = self.status;
        reply.cause = self.cause;
        for (name, value) in &self.headers {
            reply.headers.entry(name).or_insert_with(|| value.clone());
        }
        reply
    }

    /// An error with this status.
    pub fn error(status: StatusCode, error: ErrorDetail) -> Self {
        // Our own shapes have string keys only and write to memory: this cannot fail.
        let body = serde_json::to_vec(&ErrorBody::from(error)).unwrap_or_default();
        Self::json(status, body)
    }

    /// A 404 for an unknown path. The hint names the next step.
    pub fn no_route(path: &str, hint: &str) -> Self {
        let path = clipped(path);
        let message = format!("there is nothing at {path}; {hint}");
        Error::NotFound(Reason::new(message)).into()
    }

    /// A 415 for a body in an unsupported encoding.
    pub(crate) fn unsupported_encoding() -> Self {
        let problem = "must be gzip, or left out for a body that is not compressed";
        let reason = Reason::of("Content-Encoding", problem);
        let reason = reason.detail(ErrorCode::ValidationFailed);
        let mut reply = Self::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason);
        let taken = HeaderValue::from_static("gzip");
        reply.headers.insert(ACCEPT_ENCODING, taken);
        reply
    }

    /// A 405 for an unknown method of an existing path.
    pub fn method_not_allowed(method: &Method, allowed: &[Method]) -> Self {
        let allowed = allowed
            .iter()
            .map(Method::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let method = clipped(method.as_str());
        let message = format!("{method} is not allowed on this path; allowed: {allowed}");
        let reason = Reason::new(message).detail(ErrorCode::MethodNotAllowed);
        let mut reply = Self::error(StatusCode::METHOD_NOT_ALLOWED, reason);
        // Method names are always valid header text.
        reply.headers.extend(
            HeaderValue::try_from(allowed)
                .ok()
                .map(|allow| (ALLOW, allow)),
        );
        reply
    }

    /// The response, with the headers of the applied rate limit.
    pub fn into_response(self, rate: RateStatus) -> Response<Bytes> {
        let mut response = self.into_bare_response();
        add_rate(response.headers_mut(), Some(rate));
        response
    }

    /// Turns it into a response without the headers of the rate limit.
    pub(crate) fn into_bare_response(self) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }

    /// The same, compressed if accepted and large enough.
    pub(crate) async fn encoded(mut self, accepted: Option<Encoding>) -> Self {
        if self.body.len() < WORTH_COMPRESSING {
            return self;
        }
        let vary = HeaderValue::from_static("accept-encoding");
        self.headers.insert(VARY, vary);
        if !self.headers.contains_key(CONTENT_ENCODING)
            && let Some(encoding) = accepted
            && let Some(compressed) = compress(encoding, &self.body).await
        {
            self.replace(compressed, encoding);
        }
        self
    }

    /// The same for a precompressed text, cacheable by clients for five minutes.
    /// Shared caches must not keep it: its rate limit headers belong to one address.
    pub(crate) async fn kept(
        mut self,
        text: &PrecompressedBody,
        accepted: Option<Encoding>,
    ) -> Self {
        if let Some(encoding) = accepted
            && let Some(compressed) = text.compressed(encoding).await
        {
            self.replace(compressed, encoding);
        }
        let five_minutes = HeaderValue::from_static("private, max-age=300");
        self.headers.insert(CACHE_CONTROL, five_minutes);
        self
    }

    fn replace(&mut self, compressed: Bytes, encoding: Encoding) {
        self.body = compressed;
        self.headers.insert(CONTENT_ENCODING, encoding.header());
    }

    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The same with the seconds to wait, in `Retry-After`.
    pub(crate) fn retry_after(mut self, seconds: Option<i64>) -> Self {
        self.headers
            .extend(seconds.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
        self
    }

    fn mark_replayed(&mut self, replayed: bool) {
        if replayed {
            self.headers
                .insert("idempotent-replayed", HeaderValue::from_static("true"));
        }
    }
}

/// The beginning of a client's text, for a message.
/// An answer must not grow with its request.
fn clipped(text: &str) -> String {
    const LONGEST: usize = 200;
    text.chars().take(LONGEST).collect()
}

/// Converts a status code of the core; all are valid.
fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The names of the rate limit headers, parsed once.
const RATE: [HeaderName; 3] = {
    let [limit, remaining, reset] = RateStatus::HEADERS;
    [
        HeaderName::from_static(limit),
        HeaderName::from_static(remaining),
        HeaderName::from_static(reset),
    ]
};

/// Adds the rate limit headers to a response, and by default `no-store`.
pub(crate) fn add_rate(headers: &mut HeaderMap, rate: Option<RateStatus>) {
    let rates = rate.iter().flat_map(RateStatus::headers);
    for (name, (_, value)) in RATE.into_iter().zip(rates) {
        // Digits are always valid header text.
        if let Ok(value) = HeaderValue::from_str(itoa::Buffer::new().format(value)) {
            headers.insert(name, value);
        }
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

impl<T> From<Json<T>> for Reply {
    fn from(json: Json<T>) -> Self {
        let state = json.state().map(|state| state.to_string());
        let mut reply = Self::json(StatusCode::OK, json.into_bytes());
        // A time is always valid header text.
        let state = state.and_then(|state| HeaderValue::try_from(state).ok());
        reply
            .headers
            .extend(state.map(|state| (HeaderName::from_static("connect-state"), state)));
        reply
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        let status = status(answer.outcome.status());
        let mut reply = Self::json(status, answer.body);
        if status == StatusCode::NO_CONTENT {
            reply.headers.remove(CONTENT_TYPE);
        }
        reply.mark_replayed(answer.replayed);
        reply
    }
}

impl From<Error> for Reply {
    fn from(error: Error) -> Self {
        let status = status(error.status());
        let detail = match &error {
            // The core does not know how tokens and keys are presented.
            Error::Unauthorized(reason) => as_header(reason).detail(error.code()),
            _ => error.detail(),
        };
        let mut reply = Self::error(status, detail);
        if status == StatusCode::UNAUTHORIZED {
            reply
                .headers
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status.is_server_error() {
            reply.cause = Some(error.cause());
        }
        reply.retry_after(error.problem().retry_after.map(i64::from))
    }
}

/// The header with the token or the key.
pub(crate) const AUTHORIZATION_FIELD: &str = "Authorization";

/// The reason of a 401, with the header as its field.
fn as_header(reason: &Reason) -> Reason {
    match reason.field.as_deref() {
        Some(what) if what != AUTHORIZATION_FIELD => {
            let problem = format!("the {what} {}", reason.problem);
            Reason::of(AUTHORIZATION_FIELD, problem)
        }
        _ => reason.clone(),
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let mut reply = Self::from(refusal.error);
        reply.mark_replayed(refusal.replayed);
        reply
    }
}

impl warp::Reply for Reply {
    fn into_response(self) -> warp::reply::Response {
        self.into_bare_response().map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_is_compressed_from_1000_bytes_on() {
        for (bytes, is_compressed) in [(999, false), (1000, true)] {
            let reply = Reply::json(StatusCode::OK, "x".repeat(bytes));
            let reply = reply.encoded(Some(Encoding::Gzip)).await;
            let encoding = reply.headers.get(CONTENT_ENCODING);
            assert_eq!(encoding.is_some(), is_compressed, "{bytes}");
        }
    }
}
