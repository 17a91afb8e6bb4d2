//! The copy of a photo beside the same libraries alone: `cargo bench -p connect-server --bench
//! images`. Downloading and storing are left out.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    dead_code
)]

#[path = "../../connect-core/benches/measure.rs"]
mod measure;

use std::hint::black_box;

use connect_server::images::scaled_copy;
use fast_image_resize::Resizer;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, codecs::jpeg::JpegEncoder};
use measure::Reach;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 11;
const EACH: usize = 5;

fn main() {
    let photo = photo();
    measure::head();
    measure::compare(
        "copy of a 4000 x 3000 JPEG; floor: decode, resize, encode",
        Reach::Wall(0.9),
        ROUNDS,
        || repeat(|| libraries_alone(&photo)),
        || repeat(|| scaled_copy(&photo).unwrap().bytes),
    );
}

fn repeat(run: impl Fn() -> Vec<u8>) -> measure::Cost {
    measure::timed(EACH, || {
        for _ in 0..EACH {
            black_box(run());
        }
    })
}

fn libraries_alone(file: &[u8]) -> Vec<u8> {
    let image = image::load_from_memory_with_format(file, ImageFormat::Jpeg).unwrap();
    let mut copy = DynamicImage::new(800, 600, image.color());
    Resizer::new().resize(&image, &mut copy, None).unwrap();
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, 85);
    copy.write_with_encoder(encoder).unwrap();
    bytes
}

/// Slow waves with a little noise, about as large as a photo of that size.
fn photo() -> Vec<u8> {
    let mut noise = 1_u32;
    let photo = RgbImage::from_fn(4000, 3000, |x, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let wave = |x: u32, length: f32| (x as f32 / length).sin() * 60.0;
        let shade = 128.0 + wave(x, 90.0) + wave(y, 70.0);
        let grain = (noise >> 28) as f32;
        Rgb([shade, shade * 0.8, 255.0 - shade].map(|colour| (colour + grain) as u8))
    });
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, 85);
    photo.write_with_encoder(encoder).unwrap();
    file
}
