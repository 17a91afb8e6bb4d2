//! Refusals and faults as values: what was wrong, with which field, and for a fault of ours its
//! cause. Nobody reads or changes the text of a message; whoever needs the field has it as data.

use std::{fmt, iter, mem, sync::Arc};

use serde::{Deserialize, Serialize};

use super::Fault;
use crate::{
    storage::StorageError,
    wire::{
        ErrorBody, ErrorCode, ErrorDetail, FieldError,
        read::{Invalid, ReadError},
    },
};

/// The reason why something was not done.
///
/// [`code`](Self::code) is the code of the API's errors, and `Display` their message: it says what
/// to do next. Only [`Internal`](Self::Internal) is not the caller's to mend; its
/// [`source`](std::error::Error::source) is for the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Error {
    /// The request is not well-formed: broken JSON, a bad query parameter.
    Malformed(Reason),
    /// A field is missing or has a value it cannot have.
    Invalid(Reason),
    /// The token is missing, unknown, expired or revoked; or so is the key of a screen.
    Unauthorized(Reason),
    /// The token lacks the scope at this location.
    ForbiddenScope(Reason),
    /// The location, or that of a record that was named, is not the caller's.
    ForbiddenLocation(Reason),
    /// The account has no screen that makes the API available.
    ApiNotAvailable(Reason),
    /// There is no such record.
    NotFound(Reason),
    /// In conflict with the current state, or an idempotency key used for another request.
    Conflict(Reason),
    /// The location has as many records, or the account as many bytes, as it may store.
    LimitReached(Reason),
    /// Too many requests.
    RateLimited(Reason),
    /// The storage failed, or a row in it is damaged. The request may be repeated.
    #[serde(skip)]
    Internal(Cause),
}

/// A problem, and the field that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The path of the field at fault, such as `items[3].priceCents`, or the parameter.
    /// `None` when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// For people: what is wrong, what is allowed, and what to do next. Does not repeat the field.
    pub problem: String,
    /// All fields at fault, this one first; empty unless there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<FieldError>,
    /// The seconds to wait before the next try, where waiting is what helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
}

/// The cause of a fault, for the log: it may name keys of rows, and nothing that is secret.
#[derive(Clone, thiserror::Error)]
#[error(transparent)]
pub struct Cause(Arc<Fault>);

/// The seconds after which to try again what the store could not do.
const RETRY_AFTER: i64 = 2;

impl Cause {
    /// Returns the problem as callers may know it, and the way out: `later` when nothing was saved, `again`
    /// when that is not known.
    fn problem(&self, later: &str, again: &str) -> Reason {
        let reason = Reason::new(self.words(later, again));
        if self.is_temporary() {
            return reason.with_retry_after(RETRY_AFTER);
        }
        reason
    }

    /// Returns whether the store is away, full or busy: nothing was saved, and waiting helps.
    fn is_temporary(&self) -> bool {
        matches!(
            *self.0,
            Fault::Storage(_) | Fault::NotApplied(_) | Fault::Busy
        )
    }

    fn words(&self, later: &str, again: &str) -> String {
        match *self.0 {
            Fault::NotApplied(_) => format!(
                "the server cannot save anything at the moment, and has saved nothing of this; {later}"
            ),
            Fault::Damaged(_) | Fault::Corrupt { .. } => {
                "a record that this request needs is damaged; the operator of the server finds it \
                 with `connect-server check`"
                    .to_owned()
            }
            _ => format!("the server could not do this now; {again}"),
        }
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Reason {
    /// A problem with this field.
    pub fn of(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: Some(field.into()),
            problem: problem.into(),
            details: Vec::new(),
            retry_after: None,
        }
    }

    /// A problem that no field is at fault for.
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            field: None,
            problem: problem.into(),
            details: Vec::new(),
            retry_after: None,
        }
    }

    /// The same, which is over after so many seconds.
    pub(crate) fn with_retry_after(mut self, seconds: i64) -> Self {
        self.retry_after = Some(u32::try_from(seconds).unwrap_or(0));
        self
    }

    /// The error of a response.
    pub fn detail(self, code: ErrorCode) -> ErrorDetail {
        ErrorDetail {
            code,
            message: self.to_string(),
            field: self.field,
            details: self.details,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "{field}: {}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

impl From<Invalid> for Reason {
    fn from(mut invalid: Invalid) -> Self {
        let others = mem::take(&mut invalid.others);
        let details = match &others[..] {
            [] => Vec::new(),
            others => iter::once(&invalid)
                .chain(others)
                .map(field_error)
                .collect(),
        };
        Self {
            details,
            ..Self::of(invalid.field, invalid.problem)
        }
    }
}

fn field_error(invalid: &Invalid) -> FieldError {
    FieldError {
        field: invalid.field.clone(),
        message: invalid.to_string(),
    }
}

impl Error {
    /// The code that stands in the error body.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed(_) | Self::Invalid(_) => ErrorCode::ValidationFailed,
            Self::Unauthorized(_) => ErrorCode::Unauthorized,
            Self::ForbiddenScope(_) => ErrorCode::ForbiddenScope,
            Self::ForbiddenLocation(_) => ErrorCode::ForbiddenLocation,
            Self::ApiNotAvailable(_) => ErrorCode::ApiNotAvailable,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::Conflict(_) => ErrorCode::Conflict,
            Self::LimitReached(_) => ErrorCode::LimitReached,
            Self::RateLimited(_) => ErrorCode::RateLimited,
            Self::Internal(_) => ErrorCode::ServerError,
        }
    }

    /// Returns the HTTP status of the answer.
    ///
    /// ```
    /// # use connect_core::{Error, Reason};
    /// assert_eq!(Error::Conflict(Reason::new("the name is taken")).status(), 409);
    /// ```
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::Unauthorized(_) => 401,
            Self::ForbiddenScope(_) | Self::ForbiddenLocation(_) | Self::ApiNotAvailable(_) => 403,
            Self::NotFound(_) => 404,
            Self::Conflict(_) => 409,
            Self::Invalid(_) | Self::LimitReached(_) => 422,
            Self::RateLimited(_) => 429,
            Self::Internal(cause) if cause.is_temporary() => 503,
            Self::Internal(_) => 500,
        }
    }

    /// Returns the problem, as the caller may know it.
    pub fn problem(&self) -> Reason {
        match self {
            Self::Malformed(problem)
            | Self::Invalid(problem)
            | Self::Unauthorized(problem)
            | Self::ForbiddenScope(problem)
            | Self::ForbiddenLocation(problem)
            | Self::ApiNotAvailable(problem)
            | Self::NotFound(problem)
            | Self::Conflict(problem)
            | Self::LimitReached(problem)
            | Self::RateLimited(problem) => problem.clone(),
            Self::Internal(cause) => cause.problem(
                "repeat the request later with the same Idempotency-Key",
                "repeat the request with the same Idempotency-Key",
            ),
        }
    }

    /// Returns the problem for people, who have no request with a key to repeat.
    pub fn problem_for_people(&self) -> Reason {
        match self {
            Self::Internal(cause) => cause.problem(
                "try again later",
                "look whether it was done, and try again if it was not",
            ),
            other => other.problem(),
        }
    }

    /// Returns the text for the log: the cause of a fault of ours, else the message.
    pub fn cause(&self) -> String {
        match self {
            Self::Internal(cause) => cause.to_string(),
            _ => self.to_string(),
        }
    }

    /// The error of a response, or of an item of a batch.
    pub fn detail(&self) -> ErrorDetail {
        self.problem().detail(self.code())
    }

    /// The body of an error response.
    pub fn body(&self) -> ErrorBody {
        ErrorBody {
            error: self.detail(),
        }
    }

    pub(crate) fn not_found(what: &str, id: impl fmt::Display) -> Self {
        Self::NotFound(Reason::new(format!(
            "there is no {what} {id} at this location"
        )))
    }

    pub(crate) fn bad_token(problem: impl fmt::Display) -> Self {
        let problem = format!("{problem}; ask the owner of the shop for a token");
        Self::Unauthorized(Reason::of("token", problem))
    }

    pub(crate) fn bad_screen_key(problem: impl fmt::Display) -> Self {
        let problem = format!("{problem}; `connect-server screen roll` gives a screen a new key");
        Self::Unauthorized(Reason::of("key", problem))
    }

    /// A location that the token has no access to, or that does not exist.
    pub(crate) fn forbidden_location(location: impl fmt::Display) -> Self {
        Self::ForbiddenLocation(Reason::new(format!(
            "this token has no access to location {location}; the list of locations has those it \
             has access to"
        )))
    }

    pub(crate) fn conflict(field: &str, problem: impl Into<String>) -> Self {
        Self::Conflict(Reason::of(field, problem))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Internal(cause) => Some(cause),
            _ => None,
        }
    }
}

/// A field that is not as it should be, in a body that is well-formed.
impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid.into())
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Malformed(invalid) => Self::Malformed(invalid.into()),
            ReadError::Invalid(invalid) => invalid.into(),
        }
    }
}

/// The storage failed; or so did what a program keeps beside it, such as a file.
impl From<StorageError> for Error {
    fn from(error: StorageError) -> Self {
        Fault::from(error).into()
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Internal(Cause(Arc::new(fault)))
    }
}

/// A write that was refused, and whether it was so before.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refusal {
    /// The reason.
    #[source]
    pub error: Error,
    /// Set when this is the stored answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            error,
            replayed: false,
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Error::from(fault).into()
    }
}

/// For whoever does not care whether it was refused before.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        refusal.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_not_told_to_repeat_a_request_with_its_key() {
        let failed = Error::from(StorageError::new("the disk does not answer"));
        assert!(failed.problem().problem.contains("Idempotency-Key"));
        let expected = "the server could not do this now; look whether it was done, and try again \
                        if it was not";
        assert_eq!(failed.problem_for_people().problem, expected);
        let refused = Error::NotFound(Reason::new("there is no such page"));
        assert_eq!(refused.problem_for_people(), refused.problem());
    }
}
