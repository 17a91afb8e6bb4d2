//! Deserialising checked bodies (feature `json`).

use core::fmt;

use serde::Deserialize;

use crate::{
    error::VerifyError,
    secret::Secret,
    verify::{Verified, Verifier},
};

impl<S: AsRef<[Secret]>> Verifier<S> {
    /// Checks a delivery and then reads its body as JSON.
    /// The check is as in [`verify`](Self::verify).
    ///
    /// `T` may borrow from the body.
    ///
    /// ```
    /// # use connect_webhook_verify::{Secret, Verifier, sign};
    /// #[derive(serde::Deserialize)]
    /// struct Event<'a> { id: &'a str }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let secret = Secret::new("whsec_test_secret")?;
    /// let body = br#"{"id":"evt_1"}"#;
    /// let header = sign(&secret, 1_700_000_000, body).to_string();
    ///
    /// let (event, _) =
    ///     Verifier::new(secret).verify_json::<Event<'_>>(header, body, 1_700_000_000)?;
    /// assert_eq!(event.id, "evt_1");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`JsonError::Verify`] if the check fails, [`JsonError::Json`] if the signature is valid but the
    /// body does not fit `T`.
    pub fn verify_json<'b, T: Deserialize<'b>>(
        &self,
        header: impl AsRef<[u8]>,
        body: &'b [u8],
        now: u64,
    ) -> Result<(T, Verified), JsonError> {
        let verified = self.verify(header, body, now).map_err(JsonError::Verify)?;
        let value = serde_json::from_slice(body).map_err(JsonError::Json)?;
        Ok((value, verified))
    }
}

/// The reason for a refused delivery, or for an unexpected body.
#[derive(Debug)]
#[non_exhaustive]
pub enum JsonError {
    /// The signature is invalid. The body was not read.
    Verify(VerifyError),
    /// The signature is valid, but the JSON is unexpected. 400.
    Json(serde_json::Error),
}

impl JsonError {
    /// The HTTP status to answer: 400 or 401.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Verify(error) => error.status(),
            Self::Json(_) => 400,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verify(error) => error.fmt(f),
            Self::Json(error) => write!(f, "the signed body is not the expected JSON: {error}"),
        }
    }
}

impl core::error::Error for JsonError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Verify(error) => Some(error),
            Self::Json(error) => Some(error),
        }
    }
}
