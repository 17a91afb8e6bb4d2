//! The failures of a file, in words for its owner.

use connect_core::{environment::ImageFailure, wire::ImageErrorCode};

/// The failure of an undecodable file.
pub(super) fn damaged() -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::Corrupt,
        "The file is damaged or was cut short. Save the image again.",
    )
}

/// The failure of a file in an uncommon form.
pub(super) fn uncommon() -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::UnsupportedType,
        "The file is of an uncommon form of its type. Save the image again, as a JPEG or PNG.",
    )
}
