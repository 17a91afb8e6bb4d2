//! A write as passed to the core: its body and its idempotency key.

use crate::{
    rules::idempotency::Fingerprint,
    transaction::Error,
    wire::{
        BatchInput, IdempotencyKey, WriteInput,
        read::{self, BatchRequest, CountsRequest, Faults, ReadError},
    },
};

/// The idempotency key and the fingerprint of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The client's key.
    pub key: IdempotencyKey,
    /// The fingerprint of the request.
    pub fingerprint: Fingerprint,
}

/// The input of a write: as received, or as a value made in code.
#[derive(Clone, Debug)]
pub enum Input<T> {
    /// JSON to be parsed.
    Json(Vec<u8>),
    /// A value.
    Value(T),
    /// Refused before it reached the core.
    /// The refusal is stored under the idempotency key like every other answer.
    Refused(Error),
}

/// A write: its body and its optional idempotency key.
#[derive(Clone, Debug)]
pub struct Request<T> {
    /// The body.
    pub input: Input<T>,
    /// The key.
    pub idempotency: Option<Idempotency>,
}

impl<T> Request<T> {
    /// Makes a request with JSON as received.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self {
            input: Input::Json(body.into()),
            idempotency: None,
        }
    }

    /// Converts the body of a request.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Request<U> {
        let input = match self.input {
            Input::Json(json) => Input::Json(json),
            Input::Value(value) => Input::Value(change(value)),
            Input::Refused(failure) => Input::Refused(failure),
        };
        Request {
            input,
            idempotency: self.idempotency,
        }
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn with_idempotency(mut self, idempotency: Option<Idempotency>) -> Self {
        self.idempotency = idempotency;
        self
    }
}

/// A request made in code, without an idempotency key.
impl<T> From<T> for Request<T> {
    fn from(value: T) -> Self {
        Self {
            input: Input::Value(value),
            idempotency: None,
        }
    }
}

/// A body to be parsed from JSON.
pub trait FromJson: Sized {
    /// Parses it.
    ///
    /// # Errors
    /// The text is malformed, or a field is unknown, missing or of another type.
    fn from_json(json: &[u8]) -> Result<Self, ReadError>;

    /// Returns true if the body requests a dry run.
    fn is_dry_run(&self) -> bool {
        false
    }

    /// Returns true if an unparsable text requests a dry run.
    fn asks_for_dry_run(_json: &[u8]) -> bool {
        false
    }

    /// Returns all field errors of a refused text.
    fn faults(_json: &[u8]) -> Faults {
        Faults::default()
    }
}

impl<T: WriteInput> FromJson for T {
    fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        read::input(json)
    }

    fn faults(json: &[u8]) -> Faults {
        Faults::of_body::<Self>(json, Self::REQUIRED)
    }
}

/// The body of a change to a record, without required fields.
pub(crate) struct Patch<T>(pub(crate) T);

impl<T: WriteInput> FromJson for Patch<T> {
    fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        read::input(json).map(Self)
    }

    fn faults(json: &[u8]) -> Faults {
        Faults::of_body::<T>(json, &[])
    }
}

impl<T: BatchInput> FromJson for BatchRequest<T> {
    fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        Self::from_json(json)
    }

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    fn asks_for_dry_run(json: &[u8]) -> bool {
        Self::asks_for_dry_run(json)
    }

    fn faults(json: &[u8]) -> Faults {
        Self::faults(json)
    }
}

impl FromJson for CountsRequest {
    fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        Self::from_json(json)
    }

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    fn asks_for_dry_run(json: &[u8]) -> bool {
        Self::asks_for_dry_run(json)
    }

    fn faults(json: &[u8]) -> Faults {
        Self::faults(json)
    }
}

/// A request without a body.
impl FromJson for () {
    fn from_json(_: &[u8]) -> Result<Self, ReadError> {
        Ok(())
    }
}
