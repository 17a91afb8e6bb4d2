//! The failures answered before a request reaches the app.

use http::StatusCode;

/// The reason why a request was answered without the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetFailure {
    /// The app panicked during its answer.
    Panicked,
    /// The bytes are not HTTP.
    Malformed,
    /// A missing, repeated or invalid `Host` over HTTP/1.1.
    /// Over HTTP/2, a missing authority.
    Host,
    /// The path and query are longer than this many bytes.
    UriTooLong(usize),
    /// The headers together exceed this many bytes, or are too many.
    HeadersTooLarge(usize),
    /// Plain HTTP at an HTTPS-only address.
    HttpsOnly,
}

impl NetFailure {
    /// The status of the answer.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Malformed | Self::Host | Self::HttpsOnly => StatusCode::BAD_REQUEST,
            Self::UriTooLong(_) => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge(_) => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }

    /// Returns the message for the client: the problem and the limit.
    pub fn message(self) -> String {
        match self {
            Self::Panicked => "The server failed while answering this request.".into(),
            Self::Malformed => "The request is not valid HTTP.".into(),
            Self::Host => {
                "The request must name its host, exactly once and as \"name\" or \"name:port\"."
                    .into()
            }
            Self::UriTooLong(limit) => {
                format!("The path with its query is too long: at most {limit} bytes.")
            }
            Self::HeadersTooLarge(limit) => {
                format!("The headers are too large: at most {limit} bytes and 100 lines.")
            }
            Self::HttpsOnly => "Plain HTTP is not served here: use HTTPS.".into(),
        }
    }
}
