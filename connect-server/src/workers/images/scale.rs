//! From a file to its stored copy: decoded, scaled, turned, encoded.

use connect_core::{environment::ImageFailure, wire::limits::MAX_IMAGE_COPY_SIDE};
use fast_image_resize::Resizer;
use image::DynamicImage;

use super::{
    decode::{Decoded, decode},
    encode::{ScaledCopy, encode},
    failure::damaged,
    kind::kind_of,
};

/// Makes the copy of an image.
/// The copy has at most 800 pixels on the longer side, is never enlarged, is turned as its metadata
/// says, and has no metadata. Computes, so it does not belong on a task.
///
/// # Errors
/// The file is not an accepted image, or damaged, or too large.
///
/// # Panics
/// A decoder may panic on a hostile file.
pub fn scaled_copy(file: &[u8]) -> Result<ScaledCopy, ImageFailure> {
    let kind = kind_of(file)?;
    let Decoded {
        image,
        size,
        orientation,
    } = decode(file, kind)?;
    // Turning is cheaper once the image is small.
    let mut image = scale(image, size)?;
    image.apply_orientation(orientation);
    encode(image, kind)
}

/// Scales an image with this original size.
fn scale(image: DynamicImage, (width, height): (u32, u32)) -> Result<DynamicImage, ImageFailure> {
    let longer = width.max(height);
    if longer <= MAX_IMAGE_COPY_SIDE {
        return Ok(image);
    }
    let scaled = |side: u32| {
        let side = f64::from(side) * f64::from(MAX_IMAGE_COPY_SIDE) / f64::from(longer);
        (side.round() as u32).max(1)
    };
    let mut copy = DynamicImage::new(scaled(width), scaled(height), image.color());
    // All pixel types of the decoders can be scaled, so this does not fail.
    Resizer::new()
        .resize(&image, &mut copy, None)
        .map_err(|_| damaged())?;
    Ok(copy)
}
