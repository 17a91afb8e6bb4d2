//! Images that are made for the tests.

use std::io::Cursor;

use image::{
    DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage,
    codecs::{gif::GifEncoder, jpeg::JpegEncoder},
};

/// A picture with a red upper left quarter; the rest is blue.
pub(super) fn colours(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        if x < width / 2 && y < height / 2 {
            Rgb([255, 0, 0])
        } else {
            Rgb([0, 0, 255])
        }
    })
}

/// The same, half transparent where it is blue.
pub(super) fn glass(width: u32, height: u32) -> RgbaImage {
    let mut glass = DynamicImage::from(colours(width, height)).into_rgba8();
    for pixel in glass.pixels_mut().filter(|pixel| pixel.0[2] == 255) {
        *pixel = Rgba([0, 0, 255, 128]);
    }
    glass
}

/// Encodes a picture.
pub(super) fn file(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.into().write_to(&mut file, format).unwrap();
    file.into_inner()
}

pub(super) fn png(width: u32, height: u32) -> Vec<u8> {
    file(colours(width, height), ImageFormat::Png)
}

pub(super) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, 95);
    colours(width, height).write_with_encoder(encoder).unwrap();
    file
}

/// A JPEG of a middle grey.
pub(super) fn grey_jpeg(width: u32, height: u32) -> Vec<u8> {
    let grey = RgbImage::from_pixel(width, height, Rgb([128; 3]));
    file(grey, ImageFormat::Jpeg)
}

pub(super) fn webp(width: u32, height: u32) -> Vec<u8> {
    file(colours(width, height), ImageFormat::WebP)
}

/// An animation of two frames: the colours, and nothing but black.
pub(super) fn gif(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = GifEncoder::new(&mut file);
    let black = RgbaImage::from_pixel(width, height, Rgba([0, 0, 0, 255]));
    for picture in [
        DynamicImage::from(colours(width, height)).into_rgba8(),
        black,
    ] {
        encoder.encode_frame(image::Frame::new(picture)).unwrap();
    }
    drop(encoder);
    file
}

/// Puts metadata in front of a JPEG, according to which it is to be turned a quarter to the right.
pub(super) fn turned(jpeg: &[u8]) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08".to_vec();
    // One entry: the orientation, a short number, 6.
    exif.extend(b"\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0");
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], b"\xff\xe1", &length, &exif, &jpeg[2..]].concat()
}

/// Changes the size that a JPEG claims to have, and perhaps the kind of its frame.
pub(super) fn claiming(jpeg: &[u8], width: u16, height: u16, frame: u8) -> Vec<u8> {
    let mut file = jpeg.to_vec();
    let start = file
        .windows(2)
        .position(|bytes| bytes == b"\xff\xc0")
        .unwrap();
    file[start + 1] = frame;
    file[start + 5..start + 7].copy_from_slice(&height.to_be_bytes());
    file[start + 7..start + 9].copy_from_slice(&width.to_be_bytes());
    file
}
