//! The header set by a sender, made with the verifier's code.

use core::fmt;

use crate::secret::Secret;

/// Makes the value of the `Service-Signature` header.
/// It has one `v1` for each secret, in order.
///
/// `timestamp` is in seconds since 1970, at most [`MAX_TIMESTAMP`](crate::MAX_TIMESTAMP): no verifier
/// accepts a later one. The signatures are computed while the value is written, so nothing is allocated
/// here.
///
/// ```
/// use connect_webhook_verify::{Secret, Verifier, sign};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let [new, old] = [Secret::new("whsec_new")?, Secret::new("whsec_old")?];
/// let body = br#"{"id":"evt_1"}"#;
///
/// // For a day after a roll, the sender signs with both.
/// let header = sign(&[new.clone(), old.clone()], 1_700_000_000, body).to_string();
///
/// // A receiver that knows only one of them takes it.
/// assert!(Verifier::new(old).verify(&header, body, 1_700_000_000).is_ok());
/// assert!(Verifier::new(new).verify(&header, body, 1_700_000_000).is_ok());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn sign<'a, S, B>(secrets: &'a S, timestamp: u64, body: &'a B) -> SignedHeader<'a>
where
    S: AsRef<[Secret]> + ?Sized,
    B: AsRef<[u8]> + ?Sized,
{
    SignedHeader {
        secrets: secrets.as_ref(),
        timestamp,
        body: body.as_ref(),
    }
}

/// The value of a signature header, written by `Display`. Made by [`sign`].
#[derive(Clone, Copy)]
pub struct SignedHeader<'a> {
    secrets: &'a [Secret],
    timestamp: u64,
    body: &'a [u8],
}

impl fmt::Display for SignedHeader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={}", self.timestamp)?;
        for secret in self.secrets {
            write!(f, ",v1={}", secret.sign(self.timestamp, self.body))?;
        }
        Ok(())
    }
}

impl fmt::Debug for SignedHeader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SignedHeader")
            .field(&format_args!("{self}"))
            .finish()
    }
}
