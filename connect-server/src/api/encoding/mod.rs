//! Content encodings: gzip and br of answers, gzip of requests.
//!
//! Bodies are in memory as a whole, and are compressed as a whole. So an answer keeps its length, and the
//! size of a request is checked during decompression. tower-http's layer would compress pieces on the threads
//! of requests, and leave out the length.
//!
//! No answer of the API contains a secret, so its compressed length reveals none.

mod accepted;
mod compress;
mod decompress;
mod precompressed;

pub(crate) use accepted::accepted;
pub(crate) use compress::{WORTH_COMPRESSING, compress};
pub(crate) use decompress::{NotDecompressed, decompress, is_gzip};
use http::HeaderValue;
pub(crate) use precompressed::PrecompressedBody;

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
