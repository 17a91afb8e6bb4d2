//! Error responses of the service.

use std::{fmt, time::Duration};

use super::debug_reads_like_display;
use crate::wire::{ErrorBody, ErrorCode, FieldError};

/// Maximum length of a foreign body's excerpt, in characters.
const CLIP: usize = 300;
/// Maximum number of bytes read for the excerpt.
const LOOK: usize = 64 * 1024;

/// The error in a response.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiError {
    /// The stable code.
    /// `None` when the body is not from the service, such as a proxy's page or an empty body. A code
    /// unknown to this version may come from a gateway or from a later service.
    pub code: Option<ErrorCode>,
    /// The problem, for people.
    /// For a body from elsewhere, the beginning of its text.
    pub message: String,
    /// The path of the field at fault, such as `priceCents`.
    /// It may also name a query parameter or a header.
    pub field: Option<String>,
    /// All fields at fault, including the first, at most 20.
    /// Empty when only one field is at fault.
    pub details: Vec<FieldError>,
    /// The wait requested by the service before another attempt.
    pub retry_after: Option<Duration>,
}

impl ApiError {
    /// Reads the body of an error response.
    /// `redact` removes secrets from every text.
    pub(crate) fn read(
        body: &[u8],
        retry_after: Option<Duration>,
        redact: impl Fn(&str) -> String,
    ) -> Self {
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(ErrorBody { error, .. }) => Self {
                code: Some(match error.code {
                    ErrorCode::Unknown(code) => ErrorCode::Unknown(clip(code.as_bytes(), &redact)),
                    known => known,
                }),
                message: redact(&error.message),
                field: error.field.map(|field| redact(&field)),
                details: redacted(error.details, redact),
                retry_after,
            },
            Err(_) => Self {
                code: None,
                message: clip(body, redact),
                field: None,
                details: Vec::new(),
                retry_after,
            },
        }
    }

    /// Returns whether the response certainly came from the service.
    /// Gateways send errors of the same shape, with codes of their own.
    pub(crate) fn is_of_service(&self) -> bool {
        !matches!(self.code, None | Some(ErrorCode::Unknown(_)))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{code}: {}", self.message),
            None if self.message.is_empty() => f.write_str("without a body"),
            None => write!(
                f,
                "with a body that is not the service's: {:?}",
                self.message
            ),
        }
    }
}

debug_reads_like_display!(struct ApiError {
    code,
    message,
    field,
    details,
    retry_after,
});

impl std::error::Error for ApiError {}

/// The fields at fault, with secrets removed from their texts.
fn redacted(mut details: Vec<FieldError>, redact: impl Fn(&str) -> String) -> Vec<FieldError> {
    for detail in &mut details {
        detail.field = redact(&detail.field);
        detail.message = redact(&detail.message);
    }
    details
}

/// The beginning of a body as text, without control characters.
pub(crate) fn clip(body: &[u8], redact: impl Fn(&str) -> String) -> String {
    // Redacted before it is cut: half a token is one too many.
    let text = redact(&String::from_utf8_lossy(&body[..body.len().min(LOOK)]));
    let mut chars = text.trim().chars().filter(|c| !c.is_control());
    let mut clipped: String = chars.by_ref().take(CLIP).collect();
    if chars.next().is_some() {
        clipped.push('…');
    }
    clipped
}
