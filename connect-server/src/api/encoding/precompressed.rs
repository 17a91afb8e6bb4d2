//! A text that is sent often: compressed once in each encoding, when that is first asked for.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OnceCell;

use super::{
    Encoding,
    compress::{Effort, aside},
};

/// A text in all its encodings. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Kept(Arc<Texts>);

#[derive(Debug)]
struct Texts {
    plain: Bytes,
    gzip: OnceCell<Option<Bytes>>,
    brotli: OnceCell<Option<Bytes>>,
}

impl Kept {
    /// Keeps a text.
    pub(crate) fn new(plain: Bytes) -> Self {
        Self(Arc::new(Texts {
            plain,
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
        }))
    }

    /// The text as it is.
    pub(crate) fn plain(&self) -> &Bytes {
        &self.0.plain
    }

    /// The text in an encoding. Those who ask for it first wait until it is made, once.
    pub(crate) async fn compressed(&self, encoding: Encoding) -> Option<Bytes> {
        let made = match encoding {
            Encoding::Gzip => &self.0.gzip,
            Encoding::Brotli => &self.0.brotli,
        };
        let make = || aside(encoding, Effort::Often, &self.0.plain);
        made.get_or_init(make).await.clone()
    }
}
