//! Refusals of requests, in terms that need no HTTP.

use serde::{Deserialize, Serialize};

use crate::{
    record::Fault,
    wire::{
        ErrorBody, ErrorCode, ErrorDetail,
        read::{Invalid, ReadError},
    },
};

/// The kind of a failure. Each has one status code in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// The request is not well-formed: broken JSON, a bad query parameter (400).
    Malformed,
    /// The token is missing, unknown, expired or revoked (401).
    Unauthorized,
    /// The token lacks the scope at this location (403).
    ForbiddenScope,
    /// The token has no access to the location (403).
    ForbiddenLocation,
    /// The account has no screen that makes the API available (403).
    ApiNotAvailable,
    /// No such resource at this location (404).
    NotFound,
    /// The path has no such method (405).
    MethodNotAllowed,
    /// In conflict with the current state, or an idempotency key used for another request (409).
    Conflict,
    /// The body is larger than 2 MB (413).
    TooLarge,
    /// A field is missing or has a value it cannot have (422).
    Invalid,
    /// Too many requests (429).
    RateLimited,
    /// The server failed; the request may be repeated (500).
    Server,
}

impl FailureKind {
    /// The code that stands in the error body.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::Malformed | Self::Invalid => ErrorCode::ValidationFailed,
            Self::Unauthorized => ErrorCode::Unauthorized,
            Self::ForbiddenScope => ErrorCode::ForbiddenScope,
            Self::ForbiddenLocation => ErrorCode::ForbiddenLocation,
            Self::ApiNotAvailable => ErrorCode::ApiNotAvailable,
            Self::NotFound => ErrorCode::NotFound,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::Conflict => ErrorCode::Conflict,
            Self::TooLarge => ErrorCode::PayloadTooLarge,
            Self::RateLimited => ErrorCode::RateLimited,
            Self::Server => ErrorCode::ServerError,
        }
    }
}

/// A refusal: its kind, and a message for people that says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// For people.
    pub message: String,
    /// Set when this is the stored answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            replayed: false,
        }
    }

    /// A malformed request; the message names the parameter or the header.
    pub fn malformed(invalid: &Invalid) -> Self {
        Self::new(FailureKind::Malformed, invalid.to_string())
    }

    pub(crate) fn not_found(what: &str, id: impl std::fmt::Display) -> Self {
        Self::new(
            FailureKind::NotFound,
            format!("there is no {what} {id} at this location"),
        )
    }

    /// Without a valid token.
    pub(crate) fn unauthorized() -> Self {
        Self::new(
            FailureKind::Unauthorized,
            "Authorization: must be \"Bearer\" and a token that is neither expired nor revoked; \
             tokens are made in the dashboard",
        )
    }

    /// A location that the token has no access to, or that does not exist.
    pub(crate) fn forbidden_location(location: impl std::fmt::Display) -> Self {
        Self::new(
            FailureKind::ForbiddenLocation,
            format!(
                "this token has no access to location {location}; GET /v1/locations lists those \
                 it has"
            ),
        )
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Conflict, message)
    }

    /// The body of the error response.
    pub fn body(&self) -> Vec<u8> {
        let body = ErrorBody {
            error: self.detail(),
        };
        serde_json::to_vec(&body).unwrap_or_default()
    }

    pub(crate) fn detail(&self) -> ErrorDetail {
        ErrorDetail {
            code: self.kind.code(),
            message: self.message.clone(),
        }
    }
}

/// A field that is not as it should be, in a body that is well-formed.
impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self::new(FailureKind::Invalid, invalid.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Malformed(message) => Self::new(FailureKind::Malformed, message),
            ReadError::Invalid(invalid) => invalid.into(),
        }
    }
}

/// The operator reads the reason in the log; the client only learns that it may try again.
impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        tracing::error!(%fault, "a request failed");
        let message = match fault {
            Fault::NotApplied(_) => {
                "the server cannot save anything at the moment, and has saved nothing of this; \
                 repeat the request later with the same Idempotency-Key"
            }
            Fault::Damaged(_) | Fault::Corrupt { .. } => {
                "a record that this request needs is damaged; the operator of the server finds it \
                 with `connect-server check`"
            }
            _ => {
                "the server could not do this now; repeat the request with the same Idempotency-Key"
            }
        };
        Self::new(FailureKind::Server, message)
    }
}
