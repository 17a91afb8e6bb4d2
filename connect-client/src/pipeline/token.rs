//! The API token, kept out of every text.

use std::fmt;

use http::HeaderValue;

use crate::error::SettingsError;

/// The replacement for the token in texts.
const REDACTED: &str = "[token]";

/// An API token. Neither `Debug` nor any error shows it.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn new(token: String) -> Self {
        Self(token)
    }

    /// Returns the value of `Authorization`, marked sensitive.
    /// The mark keeps lower layers from printing or compressing it.
    pub(crate) fn header(&self) -> Result<HeaderValue, SettingsError> {
        if self.0.is_empty() || !self.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SettingsError::Token);
        }
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.0))
            .map_err(|_| SettingsError::Token)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Removes the token from a text received from outside.
    /// A proxy's error page, for example, may print the request's headers.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_in_no_text() {
        let token = Token::new("ck_test_abc".to_owned());
        assert_eq!(format!("{token:?}"), "[token]");
        assert!(!format!("{:?}", token.header().unwrap()).contains("ck_test"));
        assert_eq!(
            token.redact("<p>Bearer ck_test_abc</p>"),
            "<p>Bearer [token]</p>"
        );
    }

    #[test]
    fn only_what_fits_a_header_is_a_token() {
        for bad in ["", "a b", "a\nb", "tökèn", "a\u{7f}"] {
            let refused = Token::new(bad.to_owned()).header();
            assert!(matches!(refused, Err(SettingsError::Token)), "{bad:?}");
        }
    }
}
