//! Decoding a file into pixels, within limits that are checked before memory is taken.

use std::io::Cursor;

use connect_core::{environment::ImageFailure, wire::ImageErrorCode};
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, metadata::Orientation,
};

use super::jpeg::{self, Unreadable};

/// The longest side of an image that is decoded, in pixels.
const MAX_SIDE: u32 = 10_000;

/// The memory that decoding an image may take, in bytes. A JPEG of 44 megapixels fits in, one
/// that is progressive or in several scans of 14 to 22, and an image with transparency of 16.
const MAX_MEMORY: u64 = 128 * 1024 * 1024;

/// The memory for the metadata of a PNG, in bytes. A colour profile of a few kilobytes can unfold to
/// more, and is left unread then.
const MAX_METADATA: u64 = 16 * 1024 * 1024;

/// Decodes a file of this kind; of an animation the first frame. Returns the image as it is
/// stored, and how it has to be turned.
///
/// A decoder may panic on a hostile file.
pub(super) fn decode(
    file: &[u8],
    kind: ImageFormat,
) -> Result<(DynamicImage, Orientation), ImageFailure> {
    let coefficients = match kind {
        ImageFormat::Jpeg => jpeg::walk(file).map_err(unreadable)?.coefficients,
        _ => 0,
    };
    let mut reader = ImageReader::with_format(Cursor::new(file), kind);
    // The decoder of PNG takes these for what it reads besides the pixels.
    reader.limits(limits(MAX_METADATA));
    let mut decoder = reader.into_decoder().map_err(failure)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let working = match kind {
        ImageFormat::Jpeg => coefficients,
        // The canvas, and a frame of an animation on it.
        ImageFormat::WebP if is_animated_webp(file) => 8 * pixels,
        ImageFormat::WebP => 4 * pixels,
        _ => 0,
    };
    // Scaling needs the colours multiplied with their transparency, in a copy.
    let scaling = if decoder.color_type().has_alpha() {
        decoder.total_bytes()
    } else {
        0
    };
    let all = decoder.total_bytes().saturating_add(working.max(scaling));
    let mut limits = limits(MAX_MEMORY);
    limits.reserve(all).map_err(failure)?;
    limits.free(working.max(scaling));
    decoder.set_limits(limits).map_err(failure)?;

    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(failure)?;
    Ok((image, orientation))
}

fn limits(memory: u64) -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(memory);
    limits
}

/// The extended header of a WebP has a flag for it.
fn is_animated_webp(file: &[u8]) -> bool {
    file.get(12..16) == Some(b"VP8X") && file.get(20).is_some_and(|flags| flags & 0b10 != 0)
}

fn unreadable(unreadable: Unreadable) -> ImageFailure {
    match unreadable {
        Unreadable::Damaged => damaged(),
        Unreadable::Uncommon => uncommon(),
    }
}

fn failure(error: ImageError) -> ImageFailure {
    match error {
        ImageError::Limits(_) => ImageFailure::lasting(
            ImageErrorCode::TooLarge,
            "The image has too many pixels. One of 2000 x 2000 is always fine.",
        ),
        ImageError::Unsupported(_) => uncommon(),
        _ => damaged(),
    }
}

/// The failure of a file that its decoder cannot make sense of.
pub(super) fn damaged() -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::Corrupt,
        "The file is damaged or was cut short. Save the image anew.",
    )
}

fn uncommon() -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::UnsupportedType,
        "The file is of an uncommon form of its type. Save the image anew, as a JPEG or PNG.",
    )
}
