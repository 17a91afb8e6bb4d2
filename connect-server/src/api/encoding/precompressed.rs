//! A frequently sent text, compressed once per encoding on first use.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OnceCell;

use super::{
    Encoding,
    compress::{Effort, aside},
};

/// A text in all its encodings. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PrecompressedBody(Arc<Texts>);

#[derive(Debug)]
struct Texts {
    plain: Bytes,
    gzip: OnceCell<Option<Bytes>>,
    brotli: OnceCell<Option<Bytes>>,
}

impl PrecompressedBody {
    /// Keeps a text.
    pub(crate) fn new(plain: Bytes) -> Self {
        Self(Arc::new(Texts {
            plain,
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
        }))
    }

    /// The text without compression.
    pub(crate) fn plain(&self) -> &Bytes {
        &self.0.plain
    }

    /// The text in an encoding.
    /// The first requests for it wait for its compression, done once.
    pub(crate) async fn compressed(&self, encoding: Encoding) -> Option<Bytes> {
        let made = match encoding {
            Encoding::Gzip => &self.0.gzip,
            Encoding::Brotli => &self.0.brotli,
        };
        let make = || aside(encoding, Effort::Often, &self.0.plain);
        made.get_or_init(make).await.clone()
    }
}
