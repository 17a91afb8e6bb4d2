//! Refusals of deliveries.

use core::fmt;

use crate::hint::Hint;

/// The reason for refusing a delivery, with the status to answer.
///
/// 400 means an unreadable header, 401 a readable header with a failed check. The text is for the
/// receiver's log. It never holds a secret, the right signature, or the place of a near match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no signature header, or it is empty. 400.
    MissingHeader,
    /// The header has no `t=`. 400.
    MissingTimestamp,
    /// The header has more than one `t=`, so the signed one is unclear. 400.
    RepeatedTimestamp,
    /// `t` has an invalid form. 400.
    /// It must be 1 to 15 digits without a sign, a space or a leading zero.
    InvalidTimestamp,
    /// The header has no `v1=`. 400.
    MissingSignature,
    /// The verifier has no secret, so nothing can match. 401.
    NoSecret,
    /// The delivery was signed too long ago. 401.
    /// It was delayed or replayed, or the receiver's clock is ahead.
    TooOld {
        /// Distance to the receiver's clock in seconds.
        seconds: u64,
    },
    /// The delivery was signed in the future. 401.
    /// The receiver's clock is behind.
    TooNew {
        /// Distance to the receiver's clock in seconds.
        seconds: u64,
    },
    /// No `v1` matches this body and time under any secret. 401.
    NoMatch {
        /// The probable mistake on the receiver's side, if the body reveals it.
        hint: Option<Hint>,
    },
}

impl VerifyError {
    /// The HTTP status to answer: 400 or 401.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::MissingHeader
            | Self::MissingTimestamp
            | Self::RepeatedTimestamp
            | Self::InvalidTimestamp
            | Self::MissingSignature => 400,
            Self::NoSecret | Self::TooOld { .. } | Self::TooNew { .. } | Self::NoMatch { .. } => {
                401
            }
        }
    }

    /// A stable name for the error, safe to send to the client.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingHeader => "missing_header",
            Self::MissingTimestamp => "missing_timestamp",
            Self::RepeatedTimestamp => "repeated_timestamp",
            Self::InvalidTimestamp => "invalid_timestamp",
            Self::MissingSignature => "missing_signature",
            Self::NoSecret => "no_secret",
            Self::TooOld { .. } => "too_old",
            Self::TooNew { .. } => "too_new",
            Self::NoMatch { .. } => "no_match",
        }
    }

    /// Returns the probable mistake on the receiver's side.
    #[must_use]
    pub const fn hint(&self) -> Option<Hint> {
        match self {
            Self::NoMatch { hint } => *hint,
            _ => None,
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingHeader => f.write_str("the Service-Signature header is missing or empty"),
            Self::MissingTimestamp => f.write_str("the signature header has no t="),
            Self::RepeatedTimestamp => f.write_str("the signature header has more than one t="),
            Self::InvalidTimestamp => f.write_str(
                "t in the signature header is not 1 to 15 digits \
                 without sign, space or leading zero",
            ),
            Self::MissingSignature => f.write_str("the signature header has no v1="),
            Self::NoSecret => f.write_str("no secret is configured, so no signature can match"),
            Self::TooOld { seconds } => write!(
                f,
                "signed {seconds} s before the receiver's clock: sent late or again, \
                 or the clock is ahead"
            ),
            Self::TooNew { seconds } => {
                write!(
                    f,
                    "signed {seconds} s after the receiver's clock: the clock is behind"
                )
            }
            Self::NoMatch { hint } => {
                f.write_str("no v1 matches this body, time and secret")?;
                hint.map_or(Ok(()), |hint| write!(f, "; {hint}"))
            }
        }
    }
}

impl core::error::Error for VerifyError {}
