//! The path of every request: attempts, retries, idempotency, errors.

mod attempt;
pub(crate) mod base_url;
mod pace;
pub(crate) mod retry;
pub(crate) mod token;
mod trace;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::HeaderMap;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep, timeout},
};

use crate::{
    call::{
        CallOptions, Meta, RateLimit, Response,
        request::{Read, Request, random_key},
    },
    error::{CallInfo, DecodeError, Error, ErrorKind, clip},
    transport::{Fault, Transport, TransportError},
};
pub(crate) use pace::Pace;
pub use retry::{GaveUp, Retry, RetryPolicy};

use base_url::BaseUrl;
use pace::Turn;
use retry::{Decision, LEAST_ATTEMPT, OnRetry};
use token::Token;

/// Everything shared by all requests of a client.
pub(crate) struct Pipeline {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) base: BaseUrl,
    pub(crate) token: Token,
    /// The headers of every request.
    pub(crate) headers: HeaderMap,
    pub(crate) request_timeout: Duration,
    /// One permit for each request under way.
    pub(crate) slots: Semaphore,
    /// The pacing; `None` ignores the rate limit.
    pub(crate) pace: Option<Pace>,
    pub(crate) retry: RetryPolicy,
    pub(crate) on_retry: Option<OnRetry>,
    pub(crate) rate_limit: Mutex<Option<RateLimit>>,
}

/// A successful response with its raw body, and its call.
struct Answer {
    meta: Meta,
    body: Bytes,
    call: CallInfo,
}

impl Pipeline {
    /// Sends a request with retries and decodes the response.
    /// It ends with a success, at a permanent failure, or when the policy gives up. A write carries one
    /// key on every attempt, so that it is applied once.
    pub(crate) async fn send<T>(
        &self,
        request: &Request,
        options: CallOptions,
        read: Read<T>,
    ) -> Result<Response<T>, Error> {
        let work = async {
            let answer = self.run(request, options).await?;
            match read(&answer.body) {
                Ok(data) => Ok(Response {
                    data,
                    meta: answer.meta,
                }),
                Err(problem) => Err(self.undecodable(answer, &problem.to_string())),
            }
        };
        trace::within(request, work).await
    }

    async fn run(&self, request: &Request, options: CallOptions) -> Result<Answer, Error> {
        let mut retry = options.retry.unwrap_or_else(|| self.retry.clone());
        retry.budget = options.timeout.unwrap_or(retry.budget);
        let key = options.key.unwrap_or_else(random_key);
        let mut call = CallInfo {
            method: request.method.clone(),
            path: request.path.clone(),
            attempts: 0,
            key: request.is_write().then_some(key),
            gave_up: None,
            may_be_applied: options.may_be_applied,
        };
        if let Some(refused) = options.refused {
            return Err(ended(refused.into(), call, None));
        }
        let began = Instant::now();
        let mut last = None;
        loop {
            let ready = match self.prepare(request, call.key.as_ref(), &options.headers) {
                Ok(ready) => ready,
                Err(unfit) => return Err(ended(unfit.into(), call, None)),
            };
            let left = || retry.budget.saturating_sub(began.elapsed());
            let turn = self.turn(left).await;
            let slot = self.slot(self.left_to_wait(left())).await;
            let left = left();
            let Some(slot) = slot.filter(|_| !left.is_zero()) else {
                if let Some(turn) = turn {
                    turn.give_back();
                }
                call.gave_up = Some(GaveUp::Budget);
                // The failure of an earlier attempt says more than `Busy`.
                let (kind, meta) =
                    last.unwrap_or_else(|| (TransportError::new(Fault::Busy).into(), None));
                return Err(ended(kind, call, meta));
            };
            call.attempts += 1;
            let sent = Instant::now();
            let answer = self.attempt(ready, call.attempts, left, turn).await;
            let took = sent.elapsed();
            drop(slot);
            let failure = match answer {
                Ok((meta, body)) => {
                    trace::succeeded(&meta, took);
                    return Ok(Answer { meta, body, call });
                }
                Err(failure) => failure,
            };
            call.may_be_applied = request.is_write() && failure.may_be_applied(call.may_be_applied);
            let (kind, meta, outcome) = failure.told();
            let draw = |longest| rand::random_range(Duration::ZERO..=longest);
            let decision = retry.decide(call.attempts, outcome, began.elapsed(), draw);
            trace::failed(&call, meta.as_ref(), &kind, took, decision);
            match decision {
                Decision::Wait(wait) => {
                    self.tell_retry(&call, meta.as_ref(), &kind, wait);
                    last = Some((kind, meta));
                    sleep(wait).await;
                }
                Decision::GiveUp(why) => {
                    call.gave_up = why;
                    return Err(Error::of_call(kind, call, meta));
                }
            }
        }
    }

    fn tell_retry(&self, call: &CallInfo, meta: Option<&Meta>, error: &ErrorKind, wait: Duration) {
        if let Some(on_retry) = &self.on_retry {
            on_retry(&Retry {
                method: &call.method,
                path: &call.path,
                attempt: call.attempts,
                error,
                status: meta.map(|meta| meta.status),
                request_id: meta.and_then(|meta| meta.request_id.as_deref()),
                wait,
            });
        }
    }

    /// Waits for the next window of a used-up rate limit.
    /// It does not wait when the call lacks the time for it. `None` without pacing.
    async fn turn(&self, left: impl Fn() -> Duration) -> Option<Turn<'_>> {
        let pace = self.pace.as_ref()?;
        loop {
            let changed = pace.changed();
            match pace.take(Instant::now()) {
                Ok(turn) => return Some(turn),
                // Too little time to wait: the service refuses it, with a clear message and outcome.
                Err(wait) if wait >= self.left_to_wait(left()) => return Some(pace.force()),
                Err(wait) => {
                    trace::held_back(wait);
                    // Until then, or until there is room before.
                    timeout(wait, changed).await.ok();
                }
            }
        }
    }

    /// Returns the part of the remaining time available for waiting.
    /// The rest is reserved for the next attempt: cut short, it would end with an unknown outcome. Zero
    /// when too little time is left to wait at all.
    fn left_to_wait(&self, left: Duration) -> Duration {
        let attempt = self.request_timeout.min(left / 4).max(LEAST_ATTEMPT);
        left.saturating_sub(attempt)
    }

    /// Waits for a free slot for the request.
    /// `None` when it takes longer than `longest`. A free slot is taken even if `longest` is zero.
    async fn slot(&self, longest: Duration) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        timeout(longest, self.slots.acquire()).await.ok()?.ok()
    }

    /// The error for an unexpected body of a successful response.
    fn undecodable(&self, mut answer: Answer, problem: &str) -> Error {
        answer.call.may_be_applied = answer.call.key.is_some();
        let error = DecodeError {
            problem: self.token.redact(problem),
            body: clip(&answer.body, |text| self.token.redact(text)),
        };
        ended(error.into(), answer.call, Some(answer.meta))
    }

    pub(crate) fn last_rate_limit(&self) -> MutexGuard<'_, Option<RateLimit>> {
        // A plain value: a panic elsewhere cannot have left it half written.
        self.rate_limit
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a call ended without a failed attempt. Logs it.
fn ended(kind: ErrorKind, call: CallInfo, meta: Option<Meta>) -> Error {
    trace::ended(&call, meta.as_ref(), &kind);
    Error::of_call(kind, call, meta)
}
