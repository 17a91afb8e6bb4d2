//! The webhook secret, ready for use and never shown.

use core::{fmt, str::FromStr};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::signature::Signature;

/// The beginning of every secret of the service. It is part of the key.
const PREFIX: &[u8] = b"whsec_";

/// A webhook secret, ready to sign and to check with.
///
/// The whole text is the key, including its `whsec_`: nothing is stripped or decoded. The text is
/// not kept, only the state derived from it by HMAC-SHA256: each check starts with the key already
/// processed. The feature `zeroize` wipes the state on drop.
///
/// `Debug` shows nothing of the key, and no error or panic of this crate mentions it.
///
/// ```
/// # use connect_webhook_verify::Secret;
/// let secret = Secret::new("whsec_test_secret")?;
/// assert_eq!(format!("{secret:?}"), "Secret(..)");
/// # Ok::<(), connect_webhook_verify::SecretError>(())
/// ```
#[derive(Clone)]
pub struct Secret {
    keyed: Hmac<Sha256>,
    prefixed: bool,
}

impl Secret {
    /// Takes a secret of any length, with its prefix, as in the dashboard.
    ///
    /// # Errors
    ///
    /// - [`SecretError::Empty`] for an empty text: anyone could sign with it.
    /// - [`SecretError::Whitespace`] if the text begins or ends with ASCII white space, most often the
    ///   line feed at the end of a file. Real secrets have none, so every delivery would be refused
    ///   later for no visible reason.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, SecretError> {
        Self::from_bytes(secret.as_ref())
    }

    fn from_bytes(secret: &[u8]) -> Result<Self, SecretError> {
        if secret.is_empty() {
            return Err(SecretError::Empty);
        }
        if secret.trim_ascii().len() != secret.len() {
            return Err(SecretError::Whitespace);
        }
        // HMAC takes a key of any length. Should that ever change, nothing is signed with half a
        // key: the error is passed on.
        let keyed = Hmac::new_from_slice(secret).map_err(|_| SecretError::Empty)?;
        Ok(Self {
            keyed,
            prefixed: secret.starts_with(PREFIX),
        })
    }

    /// Signs `timestamp`, a dot and `body`.
    ///
    /// `timestamp` is in whole seconds since 1970, as everywhere in this crate. Timestamps later than
    /// [`MAX_TIMESTAMP`](crate::MAX_TIMESTAMP) are signed too, but no verifier accepts them.
    ///
    /// ```
    /// # use connect_webhook_verify::Secret;
    /// let signature = Secret::new("whsec_test_secret")?.sign(1_700_000_000, r#"{"id":"evt_1"}"#);
    /// assert_eq!(
    ///     signature.as_str(),
    ///     "248a374f50f943a28b0f6ab50faf9a7e7e29b710fa26df9fb1618b9bf8ea9c9a"
    /// );
    /// # Ok::<(), connect_webhook_verify::SecretError>(())
    /// ```
    #[must_use]
    pub fn sign(&self, timestamp: u64, body: impl AsRef<[u8]>) -> Signature {
        let mut digits = [0; 20];
        self.sign_text(decimal(timestamp, &mut digits), body.as_ref())
    }

    /// Signs a timestamp in its header form, and a body.
    #[inline]
    pub(crate) fn sign_text(&self, timestamp: &[u8], body: &[u8]) -> Signature {
        let mut mac = self.keyed.clone();
        mac.update(timestamp);
        mac.update(b".");
        mac.update(body);
        Signature::from_digest(&mac.finalize().into_bytes().into())
    }

    /// Returns whether the text began with `whsec_`.
    pub(crate) fn is_prefixed(&self) -> bool {
        self.prefixed
    }
}

/// Writes `number` in decimal at the end of `digits`, and returns it.
fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    for (place, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        start = place;
        if number == 0 {
            break;
        }
    }
    digits.get(start..).unwrap_or_default()
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl FromStr for Secret {
    type Err = SecretError;

    fn from_str(secret: &str) -> Result<Self, Self::Err> {
        Self::new(secret)
    }
}

/// A single secret, as a slice of one.
impl AsRef<[Secret]> for Secret {
    fn as_ref(&self) -> &[Secret] {
        core::slice::from_ref(self)
    }
}

/// The reason for refusing a secret. Holds no part of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretError {
    /// The text is empty.
    Empty,
    /// The text begins or ends with white space.
    Whitespace,
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the webhook secret is empty",
            Self::Whitespace => {
                "the webhook secret begins or ends with white space: was it read with a line feed?"
            }
        })
    }
}

impl core::error::Error for SecretError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_a_leading_zero() {
        let text = |n| std::string::String::from_utf8(decimal(n, &mut [0; 20]).to_vec()).unwrap();
        for number in [0, 1, 9, 10, 99, 100, 1_700_000_000, u64::MAX - 1, u64::MAX] {
            assert_eq!(text(number), std::format!("{number}"));
        }
    }
}
