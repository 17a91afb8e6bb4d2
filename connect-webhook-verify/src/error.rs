//! Refusals of deliveries.

use core::fmt;

use crate::hint::Hint;

/// The reason why a delivery is refused, with the status to answer.
///
/// 400 means that the header could not be read, 401 that it was read and does not hold. The text
/// is for the receiver's log. It never holds a secret, nor the signature that would have been
/// right, nor which of several came close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no signature header, or it is empty. 400.
    MissingHeader,
    /// The header has no `t=`. 400.
    MissingTimestamp,
    /// The header has more than one `t=`, so it is not clear what was signed. 400.
    RepeatedTimestamp,
    /// `t` is not 1 to 15 digits without a sign, a space or a leading zero. 400.
    InvalidTimestamp,
    /// The header has no `v1=`. 400.
    MissingSignature,
    /// The verifier was made without a secret. 401, as nothing can match.
    NoSecret,
    /// The delivery was signed too long ago: it was delayed or recorded and sent again, or the
    /// receiver's clock is ahead. 401.
    TooOld {
        /// Distance to the receiver's clock in seconds.
        seconds: u64,
    },
    /// The delivery was signed in the future: the receiver's clock is behind. 401.
    TooNew {
        /// Distance to the receiver's clock in seconds.
        seconds: u64,
    },
    /// No `v1` is the signature of this body at this time by any of the secrets. 401.
    NoMatch {
        /// The probable mistake on the receiver's side, if the body gives it away.
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

    /// A name that stays the same from version to version, fit to be sent to the client.
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
