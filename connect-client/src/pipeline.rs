//! The one way every request goes: attempts, retries, idempotency, errors.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    IdempotencyKey, Meta, RateLimit, RetryPolicy,
    base_url::BaseUrl,
    error::{ApiError, CallInfo, DecodeError, Error, ErrorKind, RequestError, clip},
    request::Request,
    retry::{Decision, Outcome, retry_after},
    token::Token,
    transport::{Fault, Transport, TransportError},
};

/// Everything that requests have in common.
pub(crate) struct Pipeline {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) base: BaseUrl,
    pub(crate) token: Token,
    /// What every request carries.
    pub(crate) headers: HeaderMap,
    pub(crate) request_timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) rate_limit: Mutex<Option<RateLimit>>,
}

/// A successful response, its body still bytes.
pub(crate) struct Answer {
    pub(crate) meta: Meta,
    pub(crate) body: Bytes,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl Pipeline {
    /// Sends a request until it succeeds, fails for good, or the policy ends it. A write carries
    /// `key` (or one of its own) on every attempt, so that it is applied once.
    pub(crate) async fn send(
        &self,
        request: &Request,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, Error> {
        let key = request
            .is_write()
            .then(|| key.unwrap_or_else(IdempotencyKey::random));
        let mut call = CallInfo {
            method: request.method.clone(),
            path: request.path.clone(),
            attempts: 0,
            key,
            gave_up: None,
        };
        let began = Instant::now();
        loop {
            let ready = match self.prepare(request, call.key.as_ref()) {
                Ok(ready) => ready,
                Err(unfit) => return Err(Error::of_call(unfit.into(), call, None)),
            };
            call.attempts += 1;
            let (kind, meta, outcome) = match self.attempt(ready, call.attempts).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure.told(),
            };
            let elapsed = began.elapsed();
            match self
                .retry
                .decide(call.attempts, outcome, elapsed, rand::random())
            {
                Decision::Wait(time) => sleep(time).await,
                Decision::GiveUp(why) => {
                    call.gave_up = why;
                    return Err(Error::of_call(kind, call, meta));
                }
            }
        }
    }

    /// The error of a successful response whose body is not what was promised.
    pub(crate) fn undecodable(&self, request: &Request, answer: Answer, problem: String) -> Error {
        let body = clip(&answer.body, |text| self.token.redact(text));
        let call = CallInfo {
            method: request.method.clone(),
            path: request.path.clone(),
            attempts: answer.meta.attempts,
            key: None,
            gave_up: None,
        };
        let problem = self.token.redact(&problem);
        Error::of_call(
            DecodeError { problem, body }.into(),
            call,
            Some(answer.meta),
        )
    }

    fn prepare(
        &self,
        request: &Request,
        key: Option<&IdempotencyKey>,
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
        if let Some(key) = key.and_then(IdempotencyKey::header) {
            headers.insert("idempotency-key", key);
        }
        Ok(ready)
    }

    async fn attempt(&self, ready: http::Request<Bytes>, number: u32) -> Result<Answer, Failure> {
        let response = timeout(self.request_timeout, self.transport.send(ready))
            .await
            .unwrap_or_else(|_| Err(TransportError::new(Fault::Timeout)))
            .map_err(Failure::Fault)?;
        let (head, body) = response.into_parts();
        let meta = Meta::read(head.status, &head.headers, number);
        if let Some(limit) = meta.rate_limit {
            *self.last_rate_limit() = Some(limit);
        }
        if head.status.is_success() {
            return Ok(Answer { meta, body });
        }
        let after = retry_after(&head.headers, SystemTime::now());
        let error = ApiError::read(&body, after, |text| self.token.redact(text));
        Err(Failure::Answer(head.status, error, meta))
    }

    pub(crate) fn last_rate_limit(&self) -> std::sync::MutexGuard<'_, Option<RateLimit>> {
        // A plain value: a panic elsewhere cannot have left it half written.
        self.rate_limit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// How one attempt failed.
enum Failure {
    Answer(StatusCode, ApiError, Meta),
    Fault(TransportError),
}

impl Failure {
    /// The error to report, what is known of the response, and what the retry goes by.
    fn told(self) -> (ErrorKind, Option<Meta>, Outcome) {
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
