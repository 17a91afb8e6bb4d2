//! Refusals of requests, and the responses to them.

use core::fmt;
use std::{boxed::Box, error::Error};

use ::http::StatusCode;

use crate::error::VerifyError;

/// The reason for refusing a request.
///
/// The client gets [`status`](Self::status) and [`code`](Self::code) as plain text. The text of
/// the error, with its hints, is for the receiver's own log.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The signature is invalid. 400 or 401.
    Signature(VerifyError),
    /// The body is larger than the limit. 413.
    TooLarge {
        /// The largest accepted body, in bytes.
        limit: usize,
    },
    /// The body ended early or could not be read. 400.
    Unread(Box<dyn Error + Send + Sync>),
    /// The signature is valid, but the JSON is unexpected. 400.
    Json(serde_json::Error),
}

impl Refusal {
    pub(super) fn unread(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Unread(Box::new(error))
    }

    /// The status to answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Signature(error) => {
                StatusCode::from_u16(error.status()).unwrap_or(StatusCode::UNAUTHORIZED)
            }
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unread(_) | Self::Json(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// A stable name for the refusal: the body of the answer.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Signature(error) => error.code(),
            Self::TooLarge { .. } => "too_large",
            Self::Unread(_) => "unread_body",
            Self::Json(_) => "unexpected_json",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signature(error) => error.fmt(f),
            Self::TooLarge { limit } => write!(f, "the body is larger than {limit} bytes"),
            Self::Unread(error) => write!(f, "the body could not be read: {error}"),
            Self::Json(error) => write!(f, "the signed body is not the expected JSON: {error}"),
        }
    }
}

impl Error for Refusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Signature(error) => Some(error),
            Self::TooLarge { .. } => None,
            Self::Unread(error) => Some(error.as_ref()),
            Self::Json(error) => Some(error),
        }
    }
}
