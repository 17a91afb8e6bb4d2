//! Decoding a large PNG row by row, shrinking it meanwhile.
//! It never is in memory as a whole.

use std::io::Cursor;

use connect_core::environment::ImageFailure;
use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};
use png::{ColorType, Decoder, Limits, Reader, Transformations};

use super::failure::damaged;

/// The memory for the metadata of a PNG, in bytes.
/// A colour profile of a few kilobytes can decompress to more, and is left unread then.
pub(super) const MAX_METADATA: u64 = 16 * 1024 * 1024;

/// Decodes a PNG to at least `least` pixels on its longer side.
/// Each pixel is the mean of a square of its pixels. `None` when it has to be decoded as a whole: it is
/// small, interlaced or animated.
pub(super) fn shrunk(file: &[u8], least: u32) -> Option<Result<DynamicImage, ImageFailure>> {
    let limits = Limits {
        bytes: usize::try_from(MAX_METADATA).unwrap_or(usize::MAX),
    };
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), limits);
    // As in the stored copy: colours of eight bits, without a palette.
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let reader = decoder.read_info().ok()?;
    let info = reader.info();
    let factor = info.width.max(info.height) / least;
    if factor < 2 || info.interlaced || info.animation_control().is_some() {
        return None;
    }
    let channels = match reader.output_color_type().0 {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        ColorType::Indexed => return None,
    };
    Some(shrink(reader, factor, channels).ok_or_else(damaged))
}

/// Returns the image, smaller by a factor; `None` for a damaged file.
fn shrink(mut reader: Reader<Cursor<&[u8]>>, factor: u32, channels: usize) -> Option<DynamicImage> {
    let (width, height) = reader.info().size();
    let (small_width, small_height) = (width.div_ceil(factor), height.div_ceil(factor));
    let mut squares = Squares {
        channels,
        side: factor as usize,
        width: width as usize,
        rows: 0,
        sums: vec![0; small_width as usize * channels],
    };
    let mut pixels = Vec::new();
    for row in 1..=height {
        squares.add(reader.next_row().ok()??.data());
        if row % factor == 0 || row == height {
            squares.take(&mut pixels);
        }
    }
    let (width, height) = (small_width, small_height);
    match channels {
        1 => GrayImage::from_raw(width, height, pixels).map(Into::into),
        2 => GrayAlphaImage::from_raw(width, height, pixels).map(Into::into),
        3 => RgbImage::from_raw(width, height, pixels).map(Into::into),
        _ => RgbaImage::from_raw(width, height, pixels).map(Into::into),
    }
}

/// A row of squares, each with a mean for one pixel.
/// Squares at the right and lower edge may be cut.
struct Squares {
    channels: usize,
    side: usize,
    /// The width of an incoming row, in pixels.
    width: usize,
    /// The number of rows added.
    rows: usize,
    /// The sums of each square's channels. Colours are weighted by their opacity.
    sums: Vec<u32>,
}

impl Squares {
    fn has_alpha(&self) -> bool {
        self.channels.is_multiple_of(2)
    }

    /// Adds a row of pixels.
    fn add(&mut self, row: &[u8]) {
        self.rows += 1;
        let (channels, has_alpha) = (self.channels, self.has_alpha());
        let squares = self.sums.chunks_exact_mut(channels);
        for (sums, pixels) in squares.zip(row.chunks(channels * self.side)) {
            for pixel in pixels.chunks_exact(channels) {
                match (sums.split_last_mut(), pixel.split_last()) {
                    (Some((opaque, sums)), Some((alpha, colours))) if has_alpha => {
                        *opaque += u32::from(*alpha);
                        add(sums, colours, u32::from(*alpha));
                    }
                    _ => add(sums, pixel, 1),
                }
            }
        }
    }

    /// Appends the means to pixels, and starts over.
    fn take(&mut self, pixels: &mut Vec<u8>) {
        let has_alpha = self.has_alpha();
        let mut left = self.width;
        for sums in self.sums.chunks_exact_mut(self.channels) {
            let across = left.min(self.side);
            left -= across;
            let count = (across * self.rows) as u32;
            let (weight, colours) = match sums.split_last() {
                Some((alpha, colours)) if has_alpha => (*alpha, colours),
                _ => (count, &*sums),
            };
            let mean = |sum: u32, of: u32| (sum + of / 2).checked_div(of).unwrap_or(0) as u8;
            pixels.extend(colours.iter().map(|sum| mean(*sum, weight)));
            if has_alpha {
                pixels.push(mean(weight, count));
            }
            sums.fill(0);
        }
        self.rows = 0;
    }
}

/// Adds values to sums.
fn add(sums: &mut [u32], values: &[u8], weight: u32) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += u32::from(*value) * weight;
    }
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgba};

    use super::*;

    /// A picture redder downwards, and greener and less blue rightwards.
    /// Its right side is half as opaque.
    fn picture(width: u32, height: u32) -> DynamicImage {
        let part = |at: u32, of: u32| (at * 255 / of) as u8;
        RgbaImage::from_fn(width, height, |x, y| {
            let alpha = if x < width / 2 { 255 } else { 128 };
            Rgba([
                part(y, height),
                part(x, width),
                part(width - x, width),
                alpha,
            ])
        })
        .into()
    }

    fn file(picture: &DynamicImage) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        picture.write_to(&mut file, ImageFormat::Png).unwrap();
        file.into_inner()
    }

    #[test]
    fn the_pixels_of_a_smaller_picture_are_means() {
        // Squares at the right and lower edge are cut.
        let whole = picture(401, 203);
        for whole in [
            whole.clone(),
            whole.to_rgb8().into(),
            whole.to_luma8().into(),
            whole.to_luma_alpha8().into(),
            whole.to_rgba16().into(),
            whole.to_rgb16().into(),
        ] {
            let small = shrunk(&file(&whole), 100).unwrap().unwrap();
            assert_eq!((small.width(), small.height()), (101, 51));
            let has_alpha = whole.color().has_alpha();
            assert_eq!(small.color().has_alpha(), has_alpha);
            let (whole, small) = (whole.into_rgba8(), small.into_rgba8());
            for (x, y, pixel) in small.enumerate_pixels() {
                let among = whole.get_pixel((4 * x + 1).min(400), (4 * y + 1).min(202));
                for (one, other) in pixel.0.iter().zip(among.0) {
                    assert!(one.abs_diff(other) < 6, "{x} {y}: {pixel:?} {among:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_seen_has_no_colour() {
        let mut whole = RgbaImage::from_pixel(40, 40, Rgba([255, 0, 0, 0]));
        whole.put_pixel(0, 0, Rgba([10, 20, 30, 255]));
        let small = shrunk(&file(&whole.into()), 10).unwrap().unwrap();
        let small = small.into_rgba8();
        assert_eq!(small.get_pixel(0, 0).0, [10, 20, 30, 16]);
        assert_eq!(small.get_pixel(1, 1).0, [0, 0, 0, 0]);
    }

    #[test]
    fn others_are_decoded_as_a_whole_and_damaged_ones_not_at_all() {
        let small = file(&picture(100, 50));
        assert!(shrunk(&small, 51).is_none());
        assert!(shrunk(&small, 50).is_some());
        assert!(shrunk(b"no picture", 50).is_none());
        let mut animated = Vec::new();
        let mut encoder = png::Encoder::new(&mut animated, 100, 50);
        encoder.set_animated(1, 0).unwrap();
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0; 100 * 50]).unwrap();
        drop(writer);
        assert!(shrunk(&animated, 50).is_none());
        let cut = &small[..small.len() / 2];
        assert_eq!(shrunk(cut, 50).unwrap().unwrap_err(), damaged());
    }
}
