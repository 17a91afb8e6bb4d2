//! The check of a delivery.

use core::time::Duration;

use subtle::{Choice, ConditionallySelectable};

use crate::{error::VerifyError, header::Header, hint::Hint, secret::Secret};

/// The default tolerance between a timestamp and the receiver's clock.
pub const DEFAULT_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Checks deliveries against one secret or several.
///
/// `S` holds the secrets: one [`Secret`], an array, a slice, a `Vec`.
///
/// ```
/// use connect_webhook_verify::{Secret, Verifier, VerifyError};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let verifier = Verifier::new([Secret::new("whsec_new")?, Secret::new("whsec_test_secret")?]);
/// let header = b"t=1700000000,\
///     v1=248a374f50f943a28b0f6ab50faf9a7e7e29b710fa26df9fb1618b9bf8ea9c9a";
///
/// let verified = verifier.verify(header, br#"{"id":"evt_1"}"#, 1_700_000_042)?;
/// assert_eq!(verified.secret, 1);
///
/// let error = verifier.verify(header, br#"{"id":"evt_2"}"#, 1_700_000_042).unwrap_err();
/// assert_eq!(error.status(), 401);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Verifier<S = Secret> {
    secrets: S,
    tolerance: u64,
}

/// Facts about a delivery with a valid signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Index of the matching secret, in the verifier's order, from 0.
    /// It is the first of them if several match, as during a roll.
    pub secret: usize,
    /// The time of signing, in seconds since 1970.
    pub timestamp: u64,
}

impl<S: AsRef<[Secret]>> Verifier<S> {
    /// A verifier with these secrets and a tolerance of five minutes.
    ///
    /// Without any secret it refuses all, with [`VerifyError::NoSecret`].
    pub const fn new(secrets: S) -> Self {
        Self {
            secrets,
            tolerance: DEFAULT_TOLERANCE.as_secs(),
        }
    }

    /// Sets the largest distance between timestamp and clock, inclusive.
    /// It applies before and after the clock's time.
    ///
    /// Fractions of a second are cut off. `Duration::ZERO` accepts only the very same second. A longer
    /// tolerance lets a recorded delivery be replayed for longer.
    #[must_use]
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance.as_secs();
        self
    }

    /// Checks a delivery at the time `now`, in whole seconds since 1970.
    ///
    /// `header` is the value of `Service-Signature`, `body` the exact bytes of the body as they
    /// arrived: a body parsed and printed again is a different one. Both are bytes and need not be
    /// UTF-8.
    ///
    /// Every `v1` is compared with the signature of every secret, without stopping at a match. The time
    /// depends on the lengths alone. Nothing is allocated.
    ///
    /// # Errors
    ///
    /// The reason, with the status to answer in [`VerifyError::status`]. The header is checked first,
    /// then the time, then the signatures.
    pub fn verify(
        &self,
        header: impl AsRef<[u8]>,
        body: impl AsRef<[u8]>,
        now: u64,
    ) -> Result<Verified, VerifyError> {
        let header = header.as_ref();
        self.verify_lines(|| core::iter::once(header), body.as_ref(), now)
    }

    /// Checks a delivery at the time of the system clock.
    ///
    /// # Errors
    ///
    /// As [`verify`](Self::verify). A clock before 1970 counts as 1970.
    #[cfg(feature = "std")]
    pub fn verify_now(
        &self,
        header: impl AsRef<[u8]>,
        body: impl AsRef<[u8]>,
    ) -> Result<Verified, VerifyError> {
        self.verify(header, body, system_time())
    }

    /// The check over the lines of a header, possibly read twice.
    #[inline]
    pub(crate) fn verify_lines<'a, I: Iterator<Item = &'a [u8]>>(
        &self,
        lines: impl Fn() -> I,
        body: &[u8],
        now: u64,
    ) -> Result<Verified, VerifyError> {
        let secrets = self.secrets.as_ref();
        let header = Header::parse(lines())?;
        if secrets.is_empty() {
            return Err(VerifyError::NoSecret);
        }
        let seconds = now.abs_diff(header.seconds);
        if seconds > self.tolerance {
            return Err(if header.seconds < now {
                VerifyError::TooOld { seconds }
            } else {
                VerifyError::TooNew { seconds }
            });
        }

        let mut found = Choice::from(0);
        let mut which = 0_u64;
        for (place, secret) in (0_u64..).zip(secrets) {
            let expected = secret.sign_text(header.text, body);
            let mut matched = Choice::from(0);
            for candidate in header.kept() {
                matched |= expected.matches(candidate);
            }
            for candidate in header.rest(lines()) {
                matched |= expected.matches(candidate);
            }
            which.conditional_assign(&place, matched & !found);
            found |= matched;
        }

        if found.into() {
            Ok(Verified {
                secret: which as usize,
                timestamp: header.seconds,
            })
        } else {
            Err(VerifyError::NoMatch {
                hint: Hint::of(body, secrets),
            })
        }
    }

    /// A copy with its own secrets.
    #[cfg(feature = "receiver")]
    pub(crate) fn to_owned(&self) -> Verifier<std::vec::Vec<Secret>> {
        Verifier {
            secrets: self.secrets.as_ref().to_vec(),
            tolerance: self.tolerance,
        }
    }
}

/// Whole seconds since 1970 by the system clock.
#[cfg(feature = "std")]
pub(crate) fn system_time() -> u64 {
    std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |elapsed| elapsed.as_secs())
}
