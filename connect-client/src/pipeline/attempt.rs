//! One attempt: its HTTP request, and the meaning of its response.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::time::{Instant, timeout};

use super::{
    Pipeline,
    pace::{RateInfo, Turn},
    retry::{Outcome, date, retry_after},
};
use crate::{
    IdempotencyKey,
    call::{
        Meta,
        request::{Request, key_header},
    },
    error::{ApiError, ErrorKind, RequestError, clip},
    transport::{Fault, TransportError},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl Pipeline {
    /// Builds the HTTP request.
    pub(super) fn prepare(
        &self,
        request: &Request,
        key: Option<&IdempotencyKey>,
        more: &HeaderMap,
    ) -> Result<http::Request<Bytes>, RequestError> {
        let address = self.base.join(&request.path, &request.query);
        let mut ready = http::Request::builder()
            .method(request.method.clone())
            .uri(address)
            .body(request.body.clone().unwrap_or_default())
            .map_err(|e| RequestError(e.to_string()))?;
        let headers = ready.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(header::ACCEPT, JSON);
        if request.body.is_some() {
            headers.insert(header::CONTENT_TYPE, JSON);
        }
        for (name, value) in more {
            headers.insert(name, value.clone());
        }
        if let Some(key) = key.and_then(key_header) {
            headers.insert("idempotency-key", key);
        }
        Ok(ready)
    }

    /// Sends the request once, within the time left for the call.
    /// `number` is the number of the attempt.
    pub(super) async fn attempt(
        &self,
        ready: http::Request<Bytes>,
        number: u32,
        left: Duration,
        turn: Option<Turn<'_>>,
    ) -> Result<(Meta, Bytes), Failure> {
        let response = timeout(self.request_timeout.min(left), self.transport.send(ready))
            .await
            .unwrap_or_else(|_| Err(TransportError::new(Fault::Timeout)));
        let (head, body) = match response {
            Ok(response) => response.into_parts(),
            Err(error) => {
                if let Some(turn) = turn.filter(|_| !error.fault().may_have_arrived()) {
                    turn.give_back();
                }
                return Err(Failure::Fault(error));
            }
        };
        let redact = |text: &str| self.token.redact(text);
        let mut meta = Meta::read(head.status, &head.headers, number);
        // It comes from outside too, and is shown in errors and in the log.
        meta.request_id = meta.request_id.map(|id| clip(id.as_bytes(), redact));
        let date = date(&head.headers).unwrap_or_else(SystemTime::now);
        let after = retry_after(&head.headers, date);
        if let Some(rate) = meta.rate_limit {
            *self.last_rate_limit() = Some(rate);
            if let Some(turn) = turn.filter(|_| has_figures_of_token(head.status)) {
                let refused = after.filter(|_| head.status == StatusCode::TOO_MANY_REQUESTS);
                let told = RateInfo {
                    rate,
                    date,
                    refused,
                };
                turn.learn(told, Instant::now());
            }
        }
        if head.status.is_success() {
            return Ok((meta, body));
        }
        let error = ApiError::read(&body, after, redact);
        Err(Failure::Answer(head.status, error, meta))
    }
}

/// Returns whether the answer's rate limit is the token's.
/// A 401 has the rate limit of the address, and a 5xx may come from a proxy.
fn has_figures_of_token(status: StatusCode) -> bool {
    status.is_success() || (status.is_client_error() && status != StatusCode::UNAUTHORIZED)
}

/// The ways one attempt fails.
pub(super) enum Failure {
    Answer(StatusCode, ApiError, Meta),
    Fault(TransportError),
}

impl Failure {
    /// Returns whether a write may have been applied after this attempt.
    /// `before` says so for the earlier attempts.
    pub(super) fn may_be_applied(&self, before: bool) -> bool {
        match self {
            // This attempt was refused. The stored answer of the key speaks for all attempts: had an
            // earlier one been applied, its answer would have come back. A 409 or 422 is given after
            // the key was looked up, and so is a stored answer. Any other refusal may come before:
            // a 408 for a body that came too slowly, a 404 for a path that is not there.
            Self::Answer(status, error, meta)
                if status.is_client_error() && error.is_of_service() =>
            {
                before && !meta.replayed && !matches!(status.as_u16(), 409 | 422)
            }
            // A failure of the service, or an answer that may be of something on the way.
            Self::Answer(..) => true,
            Self::Fault(error) => before || error.fault().may_have_arrived(),
        }
    }

    /// Returns the error, the response's facts and the outcome for retries.
    pub(super) fn told(self) -> (ErrorKind, Option<Meta>, Outcome) {
        match self {
            Self::Answer(status, error, meta) => {
                let outcome = Outcome::Answer {
                    status: status.as_u16(),
                    retry_after: error.retry_after,
                };
                (error.into(), Some(meta), outcome)
            }
            Self::Fault(error) => {
                let outcome = Outcome::Fault(error.fault());
                (error.into(), None, outcome)
            }
        }
    }
}
