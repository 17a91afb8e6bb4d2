//! Refusals and faults as values: the problem, the field, a fault's cause.
//! Code never reads or changes the text of a message; the field is available as data.

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

/// The reason for a refusal or a failure.
///
/// [`code`](Self::code) is the code of the API's errors. `Display` is their message, with the next
/// step for the caller. Only [`Internal`](Self::Internal) is not the caller's to fix; its
/// [`source`](std::error::Error::source) is for the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Error {
    /// The request is not well-formed: broken JSON, a bad query parameter.
    Malformed(Reason),
    /// A field is missing or has an invalid value.
    Invalid(Reason),
    /// The token or screen key is missing, unknown, expired or revoked.
    Unauthorized(Reason),
    /// The token lacks the scope at this location.
    ForbiddenScope(Reason),
    /// The location, or the location of the record, is not the caller's.
    ForbiddenLocation(Reason),
    /// The account has no screen, so the API is not available.
    ApiNotAvailable(Reason),
    /// The record does not exist.
    NotFound(Reason),
    /// A conflict with the current state, or another request's idempotency key.
    Conflict(Reason),
    /// The location has too many records, or the account too many bytes.
    LimitReached(Reason),
    /// Too many requests.
    RateLimited(Reason),
    /// The storage failed, or one of its rows is damaged.
    /// The request may be repeated.
    #[serde(skip)]
    Internal(Cause),
}

/// A problem, and its field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The path of the invalid field, such as `items[3].priceCents`, or the parameter.
    /// `None` without such a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// For people: the problem, the allowed values, and the next step.
    /// Does not repeat the field.
    pub problem: String,
    /// All invalid fields, this one first; empty unless there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<FieldError>,
    /// The seconds to wait before a retry, where waiting helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
}

/// The cause of a fault, for the log.
/// It may name keys of rows, but no secrets.
#[derive(Clone, thiserror::Error)]
#[error(transparent)]
pub struct Cause(Arc<Fault>);

/// The seconds before a retry after a temporary fault of the store.
const RETRY_AFTER: i64 = 2;

impl Cause {
    /// Returns the problem for callers, with the next step.
    /// This is `later` when nothing was saved, `again` when the outcome is unknown.
    fn problem(&self, later: &str, again: &str) -> Reason {
        let reason = Reason::new(self.words(later, again));
        if self.is_temporary() {
            return reason.with_retry_after(RETRY_AFTER);
        }
        reason
    }

    /// Returns whether the store is unavailable, full or busy.
    /// Then nothing was saved, and waiting helps.
    fn is_temporary(&self) -> bool {
        matches!(
            *self.0,
            Fault::Storage(_) | Fault::NotApplied(_) | Fault::Busy
        )
    }

    fn words(&self, later: &str, again: &str) -> String {
        match *self.0 {
            Fault::NotApplied(_) => format!(
                "the server cannot save anything at the moment, and this request has saved \
                 nothing; {later}"
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

    /// A problem without a field.
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            field: None,
            problem: problem.into(),
            details: Vec::new(),
            retry_after: None,
        }
    }

    /// The same, with the seconds until a retry.
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
    /// The code in the error body.
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

    /// Returns the problem for the caller.
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

    /// Returns the problem for people.
    /// They have no request to repeat with the same `Idempotency-Key`.
    pub fn problem_for_people(&self) -> Reason {
        match self {
            Self::Internal(cause) => cause.problem(
                "try again later",
                "check whether it was done, and try again if it was not",
            ),
            other => other.problem(),
        }
    }

    /// Returns the text for the log: a fault's cause, or the message.
    pub fn cause(&self) -> String {
        match self {
            Self::Internal(cause) => cause.to_string(),
            _ => self.to_string(),
        }
    }

    /// Returns the fault of a failed write, or of a write with an unknown outcome.
    pub(crate) fn failed_write(&self) -> Option<Fault> {
        match self {
            Self::Internal(Cause(fault))
                if matches!(**fault, Fault::NotApplied(_) | Fault::Unknown(_)) =>
            {
                Some(Fault::clone(fault))
            }
            _ => None,
        }
    }

    /// Returns whether a stored row is damaged or missing, and the store answers.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::NotFound(_) => true,
            Self::Internal(Cause(fault)) => match &**fault {
                Fault::Corrupt { .. } | Fault::Damaged(_) => true,
                Fault::Storage(error) => error.unreadable_keys().is_some(),
                _ => false,
            },
            _ => false,
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

    /// A location beyond the token's access, or an unknown one.
    pub(crate) fn forbidden_location(location: impl fmt::Display) -> Self {
        Self::ForbiddenLocation(Reason::new(format!(
            "this token has no access to location {location}; the list of locations has those it \
             has access to"
        )))
    }

    /// The refusal of a call of a user without the right for it.
    pub fn lacks_right() -> Self {
        Self::ForbiddenScope(Reason::new(
            "your role does not include this; ask an owner of the account",
        ))
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

/// An invalid field in a well-formed body.
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

/// A failure of the storage, or of a file beside it.
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

/// A refused write, and whether the refusal is a replay.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refusal {
    /// The reason.
    #[source]
    pub error: Error,
    /// Set for the stored answer to an earlier request.
    /// The requests have the same idempotency key.
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

/// Drops the note about the replay.
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
        let expected = "the server could not do this now; check whether it was done, and try \
                        again if it was not";
        assert_eq!(failed.problem_for_people().problem, expected);
        let refused = Error::NotFound(Reason::new("there is no such page"));
        assert_eq!(refused.problem_for_people(), refused.problem());
    }

    #[test]
    fn a_failure_has_its_cause_as_source() {
        use std::error::Error as _;
        let failed = Error::from(StorageError::new("the disk does not answer"));
        let cause = failed.source().unwrap().to_string();
        assert!(cause.contains("the disk does not answer"), "{cause}");
        assert!(Error::NotFound(Reason::new("gone")).source().is_none());
    }
}
