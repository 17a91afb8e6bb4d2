//! All failures, in one type.

mod api;
mod debug;
mod kinds;
mod text;

use std::time::Duration;

use http::Method;

pub use api::ApiError;
pub(crate) use api::clip;
pub(crate) use debug::debug_reads_like_display;
pub use kinds::{DecodeError, ErrorKind, RequestError, SettingsError};

use crate::{
    IdempotencyKey,
    call::Meta,
    pipeline::retry::{self, GaveUp},
    wire::{ErrorCode, FieldError},
};

/// The error of a failed call: reason, request and advice.
///
/// Its texts name the request, the status, the code, the service's message and the request id, and
/// never the token. `{:?}` reads like `{}`, for a `main` returning the error; `{:#?}` shows every part.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    call: Option<CallInfo>,
    meta: Option<Meta>,
}

/// Facts about a failed call, collected by the pipeline.
#[derive(Debug)]
pub(crate) struct CallInfo {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) attempts: u32,
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) gave_up: Option<GaveUp>,
    /// Set when an attempt may have been applied. Never set for a read.
    pub(crate) may_be_applied: bool,
}

impl Error {
    pub(crate) fn of_call(kind: ErrorKind, call: CallInfo, meta: Option<Meta>) -> Self {
        Self(Box::new(Inner {
            kind,
            call: Some(call),
            meta,
        }))
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the service's error response, if there was one.
    pub fn api(&self) -> Option<&ApiError> {
        match self.kind() {
            ErrorKind::Api(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the path of the field at fault, if named.
    /// For example `items[3].priceCents`, or a query parameter or header.
    pub fn field(&self) -> Option<&str> {
        self.api()?.field.as_deref()
    }

    /// Returns all fields at fault, including the first, at most 20.
    /// Empty when only one field is at fault.
    pub fn details(&self) -> &[FieldError] {
        self.api().map_or(&[], |error| &error.details)
    }

    /// Returns the HTTP status of the response, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.meta().map(|meta| meta.status)
    }

    /// Returns the service's stable code for the error.
    /// `None` without an answer, or with an answer from a proxy or gateway.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api()?.code.as_ref()
    }

    /// Returns whether the service answered `not_found`: no such record.
    ///
    /// An unknown path gives the same answer, for example when the base address has a segment too many
    /// or too few. The message then begins with "there is nothing at" and the path.
    /// [`Client::locations`](crate::Client::locations) fails in the same way, so call it once at the
    /// start to tell a wrong address from a missing record. A 404 from another server has no code, and
    /// does not count.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(&ErrorCode::NotFound)
    }

    /// Returns whether the service answered `conflict`.
    /// The write is in conflict with the present state, or its idempotency key was used for another
    /// request.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(&ErrorCode::Conflict)
    }

    /// Returns the facts in the response's headers, if any.
    pub fn meta(&self) -> Option<&Meta> {
        self.0.meta.as_ref()
    }

    /// Returns the request id, for looking into the service's logs.
    pub fn request_id(&self) -> Option<&str> {
        self.meta()?.request_id.as_deref()
    }

    /// Returns whether the same call may succeed later.
    /// True for 408, 429, 5xx and network faults. Repeat the call with the same idempotency key. The
    /// SDK has already retried within its [`RetryPolicy`](crate::pipeline::RetryPolicy).
    pub fn retryable(&self) -> bool {
        match self.kind() {
            ErrorKind::Api(_) => self.status().is_some_and(retry::is_retryable),
            ErrorKind::Transport(error) => error.fault().may_pass(),
            _ => false,
        }
    }

    /// Returns the wait requested by the service before another attempt.
    pub fn retry_after(&self) -> Option<Duration> {
        self.api()?.retry_after
    }

    /// Returns the reason for ending the retries of a retryable error.
    pub fn gave_up(&self) -> Option<GaveUp> {
        self.0.call.as_ref()?.gave_up
    }

    /// Returns the number of attempts; 0 when none was made.
    pub fn attempts(&self) -> u32 {
        self.0.call.as_ref().map_or(0, |call| call.attempts)
    }

    /// Returns whether the write may have been applied.
    /// This covers all attempts of the call.
    ///
    /// It may have been applied after a timeout, a broken connection or a 5xx, after an answer from a
    /// proxy, and after an answer with an unknown code. A later 409 or 422 from the service proves the
    /// opposite, and so does a refusal [stored](Meta::replayed) under the key. Any other refusal proves
    /// nothing, as the service may give it before looking up the key. Reads are never applied.
    pub fn may_be_applied(&self) -> bool {
        self.0.call.as_ref().is_some_and(|call| call.may_be_applied)
    }

    /// Returns the idempotency key of the write.
    /// If the write [may have been applied](Self::may_be_applied), repeat the call with this key. The
    /// service then returns the stored answer of an applied write.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.0.call.as_ref()?.key.as_ref()
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Self(Box::new(Inner {
            kind: kind.into(),
            call: None,
            meta: None,
        }))
    }
}
