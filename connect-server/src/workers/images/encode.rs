//! Encoding the copy of an image, without any metadata.

use connect_core::environment::ImageFailure;
use image::{
    DynamicImage, ImageFormat,
    codecs::{jpeg::JpegEncoder, png::PngEncoder},
};

use super::failure::damaged;

/// The quality of a copy hard to tell from its original.
const JPEG_QUALITY: u8 = 85;

/// A copy of an image, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaledCopy {
    /// The file.
    pub bytes: Vec<u8>,
    /// The kind of the file.
    pub kind: CopyKind,
}

/// The kinds of files for copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// For photos.
    Jpeg,
    /// For drawings, and for everything with transparency.
    Png,
}

impl CopyKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Jpeg, Self::Png];

    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
        }
    }

    /// The value of `Content-Type`.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// Encodes an image originally of this kind.
/// A JPEG stays one. A WebP without transparency becomes a JPEG: it mostly is a photo, and far larger as
/// a PNG. PNG and GIF become PNG: they are drawings and logos, and a JPEG would smear them.
pub(super) fn encode(image: DynamicImage, from: ImageFormat) -> Result<ScaledCopy, ImageFailure> {
    let image = eight_bits(without_unused_alpha(image));
    let is_photo = matches!(from, ImageFormat::Jpeg | ImageFormat::WebP);
    let kind = match is_photo && !image.color().has_alpha() {
        true => CopyKind::Jpeg,
        false => CopyKind::Png,
    };
    let mut bytes = Vec::new();
    let encoded = match kind {
        CopyKind::Jpeg => {
            image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))
        }
        CopyKind::Png => image.write_with_encoder(PngEncoder::new(&mut bytes)),
    };
    // Writing to memory, in colours supported by both encoders, does not fail.
    encoded.map_err(|_| damaged())?;
    Ok(ScaledCopy { bytes, kind })
}

/// Removes the transparency channel if every pixel is opaque.
fn without_unused_alpha(image: DynamicImage) -> DynamicImage {
    let is_opaque = match &image {
        DynamicImage::ImageLumaA8(pixels) => pixels.pixels().all(|pixel| pixel.0[1] == u8::MAX),
        DynamicImage::ImageRgba8(pixels) => pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX),
        DynamicImage::ImageLumaA16(pixels) => pixels.pixels().all(|pixel| pixel.0[1] == u16::MAX),
        DynamicImage::ImageRgba16(pixels) => pixels.pixels().all(|pixel| pixel.0[3] == u16::MAX),
        _ => false,
    };
    match (is_opaque, image.color().has_color()) {
        (false, _) => image,
        (true, true) => image.into_rgb8().into(),
        (true, false) => image.into_luma8().into(),
    }
}

/// Reduces 16 bits per colour to 8.
fn eight_bits(image: DynamicImage) -> DynamicImage {
    let color = image.color();
    if color.bytes_per_pixel() == color.channel_count() {
        return image;
    }
    match (color.has_color(), color.has_alpha()) {
        (true, true) => image.into_rgba8().into(),
        (true, false) => image.into_rgb8().into(),
        (false, true) => image.into_luma_alpha8().into(),
        (false, false) => image.into_luma8().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_transparency_that_shows_is_kept() {
        let seen = DynamicImage::new_rgba16(2, 1);
        let mut opaque = seen.to_rgba16();
        opaque.pixels_mut().for_each(|pixel| pixel.0[3] = u16::MAX);
        let opaque = DynamicImage::from(opaque);
        // A part of the pixels counts as well.
        let mut part = opaque.to_rgba16();
        part.get_pixel_mut(1, 0).0[3] = 0;
        for (image, has_alpha) in [(opaque, false), (part.into(), true), (seen, true)] {
            for image in [
                image.clone(),
                image.to_luma_alpha16().into(),
                image.to_rgba8().into(),
                image.to_luma_alpha8().into(),
            ] {
                let color = image.color();
                let kept = without_unused_alpha(image).color();
                assert_eq!(kept.has_alpha(), has_alpha, "{color:?}");
                assert_eq!(kept.has_color(), color.has_color(), "{color:?}");
            }
        }
        let plain = DynamicImage::new_rgb16(1, 1);
        assert_eq!(without_unused_alpha(plain.clone()), plain);
        assert_eq!(eight_bits(plain).color(), image::ColorType::Rgb8);
    }
}
