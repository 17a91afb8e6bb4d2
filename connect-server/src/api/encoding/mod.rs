//! Content encodings: gzip and br of answers, gzip of requests.
//!
//! Bodies are in memory as a whole, so they are compressed as a whole: an answer keeps its length, and
//! the size of a request is judged while it is decompressed. tower-http's layer would compress the pieces
//! on the threads that answer, and leave out the length.
//!
//! No answer of the API has a secret, so its length tells nothing of one.

mod accepted;
mod compress;
mod decompress;
mod precompressed;

pub(crate) use accepted::accepted;
pub(crate) use compress::{WORTH_COMPRESSING, compress};
pub(crate) use decompress::{NotDecompressed, decompress, is_gzip};
use http::HeaderValue;
pub(crate) use precompressed::Kept;

/// An encoding of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Brotli,
}

impl Encoding {
    /// Its name in headers.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Gzip => "gzip",
            Self::Brotli => "br",
        })
    }
}
