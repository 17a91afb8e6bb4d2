//! Everything that can go wrong, in one type.

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

/// A call failed: why, at which request, and what to do about it.
///
/// Its texts name the request, the status, the code, the service's message and the request id,
/// and never the token. `{:?}` reads like `{}`, as that is what a `main` that fails prints; `{:#?}` has
/// every part.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    call: Option<CallInfo>,
    meta: Option<Meta>,
}

/// The pipeline's knowledge of a call that failed.
#[derive(Debug)]
pub(crate) struct CallInfo {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) attempts: u32,
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) gave_up: Option<GaveUp>,
    /// An attempt may have been applied. Never set for a read.
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

    /// The error that the service answered with, if it did.
    pub fn api(&self) -> Option<&ApiError> {
        match self.kind() {
            ErrorKind::Api(error) => Some(error),
            _ => None,
        }
    }

    /// The path of the field at fault, where the service names one: `items[3].priceCents`, or a
    /// query parameter or header.
    pub fn field(&self) -> Option<&str> {
        self.api()?.field.as_deref()
    }

    /// Returns all fields at fault, the first one included, at most 20; empty unless there are
    /// several.
    pub fn details(&self) -> &[FieldError] {
        self.api().map_or(&[], |error| &error.details)
    }

    /// The HTTP status of the response, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.meta().map(|meta| meta.status)
    }

    /// The service's stable code for the error. `None` without an answer, or when something on
    /// the way answered in the service's place.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api()?.code.as_ref()
    }

    /// Returns whether the service answered `not_found`: there is no such record at the location.
    ///
    /// It answers the same for a path that it does not have, as when the base address has a part too
    /// many or too few. The message then begins with "there is nothing at" and the path.
    /// [`Client::locations`](crate::Client::locations) fails in the same way, so a program that
    /// calls it once at the start takes no wrong address for a missing record. A 404 of something
    /// else at that address has no code, and is none of these.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(&ErrorCode::NotFound)
    }

    /// Returns whether the write is in conflict with the present state, or its idempotency key was used
    /// for another request.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(&ErrorCode::Conflict)
    }

    /// Returns the facts in the response's headers, if there was one.
    pub fn meta(&self) -> Option<&Meta> {
        self.0.meta.as_ref()
    }

    /// The service's name for the request: give it to whoever looks into its logs.
    pub fn request_id(&self) -> Option<&str> {
        self.meta()?.request_id.as_deref()
    }

    /// Returns whether the same call, with the same idempotency key, may succeed later: 408, 429,
    /// 5xx and faults of the network. The SDK has tried as its [`RetryPolicy`](crate::pipeline::RetryPolicy)
    /// allows.
    pub fn retryable(&self) -> bool {
        match self.kind() {
            ErrorKind::Api(_) => self.status().is_some_and(retry::is_retryable),
            ErrorKind::Transport(error) => error.fault().may_pass(),
            _ => false,
        }
    }

    /// Returns the time that the service asks to wait before trying again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.api()?.retry_after
    }

    /// Returns the reason why the SDK did not try again, of an error that may pass.
    pub fn gave_up(&self) -> Option<GaveUp> {
        self.0.call.as_ref()?.gave_up
    }

    /// Returns the number of times that the request was sent; 0 when it never was.
    pub fn attempts(&self) -> u32 {
        self.0.call.as_ref().map_or(0, |call| call.attempts)
    }

    /// Returns whether a write may have been applied, by this attempt or an earlier one of the
    /// call.
    ///
    /// It may have been after a timeout, a broken connection or a 5xx, after an answer that is not the
    /// service's, and after one with a code that this version does not know. A 409 or 422 of the service
    /// then settles that it was not, and so does a refusal that the service
    /// [has stored](Meta::replayed) under the key. Any other refusal does not, as it may be given
    /// without looking at what was done before. Reads are never applied.
    pub fn may_be_applied(&self) -> bool {
        self.0.call.as_ref().is_some_and(|call| call.may_be_applied)
    }

    /// The key that a write was sent with. Repeat the call with it when the write
    /// [may have been applied](Self::may_be_applied): if it was, the service answers as it would
    /// have.
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
