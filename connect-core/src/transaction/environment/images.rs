//! The ports to what takes over the image of a product. [`ImageLinks`] says which links a write
//! takes. [`Images`] downloads the image, makes a copy of it that is fit to be shown, and stores that
//! copy where everybody can get it.

use async_trait::async_trait;

use crate::wire::ImageErrorCode;

/// Takes over images from links that shops give.
#[async_trait]
pub trait Images: Send + Sync + 'static {
    /// Downloads the image behind `link`, stores a copy of it, and returns the public link of the
    /// copy. Once that is returned, the copy survives a crash. The same image makes the same copy,
    /// so it does no harm to take an image over twice.
    ///
    /// Ends within a time limit of the implementation's own. When the future is dropped, nothing
    /// but a copy that nobody asks for may remain.
    ///
    /// # Errors
    /// The image could not be taken over.
    async fn take_over(&self, link: &str) -> Result<String, ImageFailure>;
}

/// Says which links to images a write takes.
///
/// A link that would be refused by [`Images`] in any case is better refused here, where whoever
/// sends it reads why. The link that a product has already is not asked about.
pub trait ImageLinks: Send + Sync + 'static {
    /// Judges a link from its text alone: nothing is looked up. The link starts with `http://` or
    /// `https://`, and has a host but no user name or password.
    ///
    /// # Errors
    /// The link is not taken. The text says what is allowed, and follows the name of the field:
    /// "must start with https://".
    fn check(&self, link: &str) -> Result<(), String>;
}

/// Takes every link over HTTPS.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpsLinks;

impl ImageLinks for HttpsLinks {
    fn check(&self, link: &str) -> Result<(), String> {
        let scheme = link.split_once("://").map(|(scheme, _)| scheme);
        if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")) {
            return Ok(());
        }
        Err("must start with https://".to_owned())
    }
}

/// The reason for which an image could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ImageFailure {
    /// Stable and machine-readable.
    pub code: ImageErrorCode,
    /// Names the cause in words that a shop owner understands, in whole sentences.
    pub message: String,
    /// Set for a fault that may be gone later: trying again makes sense.
    pub may_pass: bool,
}

impl ImageFailure {
    /// A fault that stays as long as the link leads to the same file.
    pub fn lasting(code: ImageErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            may_pass: false,
        }
    }

    /// A fault that may be gone later.
    pub fn passing(code: ImageErrorCode, message: impl Into<String>) -> Self {
        Self {
            may_pass: true,
            ..Self::lasting(code, message)
        }
    }
}
