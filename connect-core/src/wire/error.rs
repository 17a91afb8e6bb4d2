//! The error body and its codes (specification: Errors).

use serde::{Deserialize, Serialize};

use super::open_enum::open_enum;

open_enum! {
    /// The stable, machine-readable reason of an error.
    ErrorCode {
        /// 400 for a malformed request, 415 for a body in another encoding than gzip, 422 for a field
        /// that is missing or invalid.
        ValidationFailed = "validation_failed",
        /// 401: the token is missing, unknown, expired or revoked.
        Unauthorized = "unauthorized",
        /// 403: the token lacks the scope that the request needs at this location.
        ForbiddenScope = "forbidden_scope",
        /// 403: the token has no access to the location, or the location does not exist.
        ForbiddenLocation = "forbidden_location",
        /// 403: the account has no POS, order kiosk or Scan & Order screen.
        ApiNotAvailable = "api_not_available",
        /// 404: no such resource in this location.
        NotFound = "not_found",
        /// 405: the path exists, the method does not; `Allow` lists those that do.
        MethodNotAllowed = "method_not_allowed",
        /// 409: in conflict with the current state, or an idempotency key used for another request.
        Conflict = "conflict",
        /// 422: the location has as many records, or the account as many bytes, as it may store. Nothing was
        /// saved; delete what is not needed, or ask the operator of the server for more.
        LimitReached = "limit_reached",
        /// 413: the body is larger than 2 MB (2 000 000 bytes).
        PayloadTooLarge = "payload_too_large",
        /// 429: too many requests; `Retry-After` gives the seconds to wait.
        RateLimited = "rate_limited",
        /// 500: the server failed; the request may be repeated with the same idempotency key.
        ServerError = "server_error",
    }
}

/// The body of every error response: `{ "error": { "code", "message", "field" } }`.
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
    /// For people; names the field by its path and says what is allowed. May change.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub message: String,
    /// The path of the field at fault, such as `items[3].priceCents`, or the query parameter or
    /// header; in an item of a batch it starts at the item. Left out when no field is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// All fields at fault, the first one included, at most 20; left out unless there are several.
    /// The items of one answer list 1000 together; an item beyond them leaves its own out.
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
    /// For people; names the field by its path and says what is allowed. May change.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub message: String,
}

impl From<ErrorDetail> for ErrorBody {
    fn from(error: ErrorDetail) -> Self {
        Self { error }
    }
}

impl ErrorDetail {
    /// An error that is about no field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            details: Vec::new(),
        }
    }
}
