//! The error body and its codes (specification: Errors).

use serde::{Deserialize, Serialize};

use super::open_enum::open_enum;

open_enum! {
    /// The stable, machine-readable reason of an error.
    ErrorCode {
        /// 400 for a malformed request, 422 for a missing or invalid field.
        /// 415 for a body in another encoding than gzip.
        ValidationFailed = "validation_failed",
        /// 401: the token is missing, unknown, expired or revoked.
        Unauthorized = "unauthorized",
        /// 403: the token lacks the required scope at this location.
        ForbiddenScope = "forbidden_scope",
        /// 403: no access to the location, or no such location.
        ForbiddenLocation = "forbidden_location",
        /// 403: the account has no POS, order kiosk or Scan & Order screen.
        ApiNotAvailable = "api_not_available",
        /// 404: no such resource in this location.
        NotFound = "not_found",
        /// 405: the path exists, but not the method; `Allow` lists its methods.
        MethodNotAllowed = "method_not_allowed",
        /// 409: in conflict with the current state.
        /// Also for an idempotency key used with another request.
        Conflict = "conflict",
        /// 422: a storage limit is reached.
        /// The location has its maximum of records, or the account its maximum of bytes. Nothing
        /// was saved; delete unneeded records, or ask the operator of the server for more.
        LimitReached = "limit_reached",
        /// 413: the body is larger than 2 MB (2 000 000 bytes).
        PayloadTooLarge = "payload_too_large",
        /// 429: too many requests; `Retry-After` gives the seconds to wait.
        RateLimited = "rate_limited",
        /// 500: the server failed; retry with the same idempotency key.
        ServerError = "server_error",
    }
}

/// The body of every error response:
/// `{ "error": { "code", "message", "field" } }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorDetail,
}

/// An error: for a program (`code`) and for a person (`message`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Error"))]
#[non_exhaustive]
pub struct ErrorDetail {
    /// Stable and machine-readable.
    pub code: ErrorCode,
    /// For people: the path of the field and the allowed values.
    /// The text may change.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub message: String,
    /// The path of the field at fault, such as `items[3].priceCents`.
    /// It may also name a query parameter or a header. In an item of a batch, the path starts at
    /// the item. Left out when no field is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// All fields at fault, including the first; at most 20.
    /// Left out unless there are several. The items of one answer list 1000 together; an item
    /// beyond them leaves its own out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 2, max = 20)))]
    pub details: Vec<FieldError>,
}

/// A field at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FieldError {
    /// The path of the field, the query parameter or the header.
    pub field: String,
    /// For people: the path of the field and the allowed values.
    /// The text may change.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub message: String,
}

impl From<ErrorDetail> for ErrorBody {
    fn from(error: ErrorDetail) -> Self {
        Self { error }
    }
}

impl ErrorDetail {
    /// An error without a field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            details: Vec::new(),
        }
    }
}
