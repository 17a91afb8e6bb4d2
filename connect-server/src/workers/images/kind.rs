//! The accepted kinds of images, recognized by their first bytes.
//! The file's name and the `Content-Type` are ignored.

use connect_core::{environment::ImageFailure, wire::ImageErrorCode};
use image::ImageFormat;

/// Returns the kind of a file.
pub(super) fn kind_of(file: &[u8]) -> Result<ImageFormat, ImageFailure> {
    if file.is_empty() {
        return Err(ImageFailure::lasting(
            ImageErrorCode::Corrupt,
            "The file is empty.",
        ));
    }
    match image::guess_format(file) {
        Ok(
            kind @ (ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP | ImageFormat::Gif),
        ) => Ok(kind),
        other => {
            let is = match other {
                Ok(kind) => format!("an image of the type {}", name(kind)),
                Err(_) => look_alike(file).to_owned(),
            };
            Err(ImageFailure::lasting(
                ImageErrorCode::UnsupportedType,
                format!("The link leads to {is}. Use a JPEG, PNG, WebP or GIF."),
            ))
        }
    }
}

fn name(kind: ImageFormat) -> String {
    let extension = kind.extensions_str().first();
    extension.map_or_else(String::new, |extension| extension.to_uppercase())
}

/// Describes a file often found behind a link in place of an image.
fn look_alike(file: &[u8]) -> &'static str {
    let start = &file[..file.len().min(512)];
    let start = String::from_utf8_lossy(start).to_lowercase();
    match start.trim_start_matches('\u{feff}').trim_start() {
        html if html.starts_with("<!doctype html") || html.starts_with("<html") => {
            "a web page and not to an image"
        }
        svg if svg.contains("<svg") => "an image of the type SVG",
        _ => "something that is no image of a known type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells() {
        for (file, expected) in [
            (&b"\xff\xd8\xff\xe0"[..], Ok(ImageFormat::Jpeg)),
            (b"\x89PNG\r\n\x1a\n", Ok(ImageFormat::Png)),
            (b"RIFF\x04\0\0\0WEBPVP8 ", Ok(ImageFormat::WebP)),
            (b"GIF89a", Ok(ImageFormat::Gif)),
            (b"", Err("is empty")),
            (b"BM\x36\0\0\0\0\0\0\0", Err("type BMP")),
            (b"II*\0\x08\0\0\0", Err("type TIFF")),
            (b"\0\0\0\x1cftypavif\0\0\0\0", Err("type AVIF")),
            (b" \n<!DOCTYPE html><title>", Err("a web page")),
            (b"\xef\xbb\xbf<HTML>", Err("a web page")),
            (b"<?xml version='1.0'?><svg>", Err("type SVG")),
            (b"%PDF-1.7", Err("no image")),
            (b"\xff\xd8", Err("no image")),
        ] {
            match (kind_of(file), expected) {
                (Ok(kind), Ok(expected)) => assert_eq!(kind, expected),
                (Err(failure), Err(words)) => {
                    assert!(failure.message.contains(words), "{failure}");
                }
                (kind, expected) => panic!("{kind:?} instead of {expected:?}"),
            }
        }
    }
}
