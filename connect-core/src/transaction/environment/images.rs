//! The ports of taking over product images.
//! [`ImageLinks`] checks the links of a write. [`Images`] downloads the image, makes a copy of it
//! for display, and stores the copy at a public address.

use async_trait::async_trait;

use crate::wire::{ImageErrorCode, Timestamp};

/// Takes over images from the links of shops.
#[async_trait]
pub trait Images: Send + Sync + 'static {
    /// Downloads and stores the image behind `link`, and returns a public link.
    /// The link is that of the stored copy. Once it is returned, the copy survives a crash. The
    /// same image makes the same copy, so a repeated call is harmless.
    ///
    /// Ends within a time limit of the implementation. A dropped future may leave at most an unused
    /// copy.
    ///
    /// # Errors
    /// The image could not be taken over.
    async fn take_over(&self, link: &str) -> Result<String, ImageFailure>;
}

/// The stored copies of images, for exports and erasures.
///
/// A copy is named by the end of its public link. A name of no copy is one of a missing copy.
#[async_trait]
pub trait ImageCopies: Send + Sync + 'static {
    /// Returns whether a copy can have this name.
    fn is_name(&self, _name: &str) -> bool {
        true
    }

    /// Reads a copy; `None` if it is missing.
    ///
    /// # Errors
    /// The place of the copies failed, in words for the operator.
    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String>;

    /// Removes a copy, unless it was stored again after `unused_since`.
    /// Returns `true` if it is missing then.
    ///
    /// # Errors
    /// The place of the copies failed, in words for the operator.
    async fn remove(&self, name: &str, unused_since: Timestamp) -> Result<bool, String>;
}

/// Checks the image links of writes.
///
/// A link sure to be refused by [`Images`] is better refused here, where the caller sees the
/// reason. The current link of a product is not checked again.
pub trait ImageLinks: Send + Sync + 'static {
    /// Checks a link by its text alone, without a look-up.
    /// The link starts with `http://` or `https://`, and has a host but no user name or password.
    ///
    /// # Errors
    /// The link is not accepted. The text says the rule, and follows the name of the field: "must
    /// start with https://".
    fn check(&self, link: &str) -> Result<(), String>;
}

/// Accepts every link over HTTPS.
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

/// The reason of a failed takeover of an image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ImageFailure {
    /// Stable and machine-readable.
    pub code: ImageErrorCode,
    /// The cause for a shop owner, in whole sentences.
    pub message: String,
    /// Set for a temporary fault: a retry makes sense.
    pub may_pass: bool,
}

impl ImageFailure {
    /// A permanent fault, as long as the link leads to the file.
    pub fn lasting(code: ImageErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            may_pass: false,
        }
    }

    /// A temporary fault.
    pub fn passing(code: ImageErrorCode, message: impl Into<String>) -> Self {
        Self {
            may_pass: true,
            ..Self::lasting(code, message)
        }
    }
}
