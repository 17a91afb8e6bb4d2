//! The failures that are answered before a request reaches the app.

use http::StatusCode;

/// The reason why a request was answered without the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetFailure {
    /// The app panicked while it answered.
    Panicked,
    /// Bytes that are not HTTP.
    Malformed,
    /// HTTP/1.1 without a `Host`, with several or an invalid one, or HTTP/2 without an authority.
    Host,
    /// The path and query are longer than this many bytes.
    UriTooLong(usize),
    /// The headers together are longer than this many bytes, or there are too many.
    HeadersTooLarge(usize),
    /// Plain HTTP where only HTTPS is served.
    HttpsOnly,
}

impl NetFailure {
    /// The status to answer with.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Malformed | Self::Host | Self::HttpsOnly => StatusCode::BAD_REQUEST,
            Self::UriTooLong(_) => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge(_) => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }

    /// Returns the message for the client: what is wrong and what is allowed.
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
