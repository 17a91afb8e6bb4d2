//! The state of a product's image (specification: Product image).

use serde::{Deserialize, Serialize};

use super::open_enum::open_enum;

open_enum! {
    /// The state of the download of a product's image.
    ImageStatus {
        /// The download is queued; `imageUrl` is the link as it was sent.
        Pending = "pending",
        /// The copy is stored; `imageUrl` points to it.
        Done = "done",
        /// The download failed; `imageError` has the reason.
        Failed = "failed",
    }
}

open_enum! {
    /// The reasons for not storing an image.
    ImageErrorCode {
        /// Its address could not be reached.
        Unreachable = "unreachable",
        /// The response was no success.
        BadStatus = "bad_status",
        /// It is larger than 5 MB (5 000 000 bytes).
        TooLarge = "too_large",
        /// It is no JPEG, PNG, WebP or GIF.
        UnsupportedType = "unsupported_type",
        /// It is damaged.
        Corrupt = "corrupt",
        /// Its address is not public.
        ForbiddenAddress = "forbidden_address",
        /// The download took too long.
        Timeout = "timeout",
        /// The service itself failed, for example to store the copy.
        ServerError = "server_error",
    }
}

/// The reason why an image was not stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ImageError {
    /// Stable and machine-readable.
    pub code: ImageErrorCode,
    /// For people.
    pub message: String,
}
