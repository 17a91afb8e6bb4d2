//! Checking against a header map (feature `http`).

use ::http::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    error::VerifyError,
    header::SIGNATURE_HEADER,
    secret::Secret,
    sign::SignedHeader,
    verify::{Verified, Verifier, system_time},
};

/// `Service-Signature`, to look up or to set.
pub const SIGNATURE: HeaderName = HeaderName::from_static(SIGNATURE_HEADER);

impl<S: AsRef<[Secret]>> Verifier<S> {
    /// Checks a delivery with the headers of its request.
    /// `now` is in seconds since 1970.
    ///
    /// Several lines of the header count as one joined with commas, as in HTTP: `t` may be in one line
    /// and a `v1` in the next, and a `t` in each of two lines is a repeated one.
    ///
    /// ```
    /// # use connect_webhook_verify::{Secret, Verifier, http::SIGNATURE, sign};
    /// let secret = Secret::new("whsec_test_secret")?;
    /// let mut headers = http::HeaderMap::new();
    /// headers.insert(SIGNATURE, sign(&secret, 1_700_000_000, "{}").into());
    ///
    /// assert!(Verifier::new(secret).verify_headers(&headers, "{}", 1_700_000_000).is_ok());
    /// # Ok::<(), connect_webhook_verify::SecretError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`verify`](Self::verify).
    pub fn verify_headers(
        &self,
        headers: &HeaderMap,
        body: impl AsRef<[u8]>,
        now: u64,
    ) -> Result<Verified, VerifyError> {
        let lines = || {
            headers
                .get_all(SIGNATURE)
                .into_iter()
                .map(HeaderValue::as_bytes)
        };
        self.verify_lines(lines, body.as_ref(), now)
    }

    /// Checks a delivery with its headers, by the system clock.
    ///
    /// # Errors
    ///
    /// As [`verify`](Self::verify).
    pub fn verify_headers_now(
        &self,
        headers: &HeaderMap,
        body: impl AsRef<[u8]>,
    ) -> Result<Verified, VerifyError> {
        self.verify_headers(headers, body, system_time())
    }
}

impl From<SignedHeader<'_>> for HeaderValue {
    fn from(header: SignedHeader<'_>) -> Self {
        // Digits, letters, `=` and `,` make a header value: the other branch is never taken.
        Self::try_from(std::format!("{header}")).unwrap_or(Self::from_static(""))
    }
}
