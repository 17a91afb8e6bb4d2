//! Decoding a file into pixels, with limits checked before memory is taken.

use std::io::Cursor;

use connect_core::{
    environment::ImageFailure,
    wire::{ImageErrorCode, limits::MAX_IMAGE_COPY_SIDE},
};
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, metadata::Orientation,
};

use super::{
    failure::{damaged, uncommon},
    jpeg::{self, Unreadable},
    strips::{self, MAX_METADATA},
};

/// The longest side of a decodable image, in pixels.
const MAX_SIDE: u32 = 10_000;

/// The memory for decoding an image, in bytes.
/// Enough for a JPEG of 44 megapixels, or of 14 to 22 if progressive or in several scans, and for an
/// image with transparency of 16.
const MAX_MEMORY: u64 = 128 * 1024 * 1024;

/// The fewest pixels on the longer side after shrinking during decoding.
/// Scaling does the rest. With twice the pixels of the copy the difference is invisible.
const LEAST_SIDE: u32 = 2 * MAX_IMAGE_COPY_SIDE;

/// A decoded image.
pub(super) struct Decoded {
    /// The pixels of the whole image, or of a smaller version.
    pub(super) image: DynamicImage,
    /// Width and height of the whole image.
    pub(super) size: (u32, u32),
    /// The rotation requested by its file.
    pub(super) orientation: Orientation,
}

/// Decodes a file of this kind; of an animation the first frame.
///
/// A decoder may panic on a hostile file.
pub(super) fn decode(file: &[u8], kind: ImageFormat) -> Result<Decoded, ImageFailure> {
    let coefficients = match kind {
        ImageFormat::Jpeg => jpeg::walk(file).map_err(unreadable)?.coefficients,
        _ => 0,
    };
    let mut reader = ImageReader::with_format(Cursor::new(file), kind);
    // The PNG decoder applies these limits to metadata only.
    reader.limits(limits(MAX_METADATA));
    let mut decoder = reader.into_decoder().map_err(failure)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let working = match kind {
        ImageFormat::Jpeg => coefficients,
        // The canvas, and an animation's frame on it.
        ImageFormat::WebP if is_animated_webp(file) => 8 * pixels,
        ImageFormat::WebP => 4 * pixels,
        _ => 0,
    };
    // Scaling multiplies the colours with their transparency, in a copy.
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
    let small = match kind {
        ImageFormat::Png => strips::shrunk(file, LEAST_SIDE),
        _ => None,
    };
    let image = match small {
        Some(small) => small?,
        None => DynamicImage::from_decoder(decoder).map_err(failure)?,
    };
    Ok(Decoded {
        image,
        size: (width, height),
        orientation,
    })
}

fn limits(memory: u64) -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(memory);
    limits
}

/// Returns whether a WebP is animated.
/// The extended header has a flag for it.
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

#[cfg(test)]
mod tests {
    use image::error::{ImageFormatHint, UnsupportedError, UnsupportedErrorKind};

    use super::*;

    #[test]
    fn an_animated_webp_is_known_by_its_flag() {
        let file = |chunk: &[u8; 4], flags: u8| {
            let head = [b"RIFF\0\0\0\0WEBP", &chunk[..], &[10, 0, 0, 0, flags]];
            head.concat()
        };
        for (file, is_animated) in [
            (file(b"VP8X", 0b10), true),
            (file(b"VP8X", 0b1111_1111), true),
            (file(b"VP8X", 0b1111_1101), false),
            (file(b"VP8 ", 0b10), false),
            (file(b"VP8X", 0)[..20].to_vec(), false),
            (Vec::new(), false),
        ] {
            assert_eq!(is_animated_webp(&file), is_animated, "{file:?}");
        }
    }

    #[test]
    fn an_uncommon_file_is_not_called_damaged() {
        let kind = UnsupportedErrorKind::GenericFeature("mirrors".into());
        let error = UnsupportedError::from_format_and_kind(ImageFormatHint::Unknown, kind);
        assert_eq!(failure(ImageError::Unsupported(error)), uncommon());
    }
}
