//! Files of every type, good and bad.

use connect_core::{
    environment::{ImageFailure, Images as _},
    wire::ImageErrorCode::{self, Corrupt, TooLarge, UnsupportedType},
};
use connect_server::{images::scaled_copy, networks::Networks};
use image::{DynamicImage, GenericImageView as _, ImageFormat, Rgba};
use proptest::{prelude::*, test_runner::TestRunner};

use super::{
    PATIENCE,
    bombs::{crc32, zeros},
    copy_of,
    pictures::{self, claiming, colours, file, glass},
    service,
};
use crate::host::{Host, Script};

/// The copy that is made of a file, and the end of its name.
async fn copy(file: Vec<u8>) -> (DynamicImage, String) {
    let (bytes, extension) = copy_of(file).await.unwrap();
    let format = image::guess_format(&bytes).unwrap();
    let expected = ImageFormat::from_extension(&extension);
    assert_eq!(Some(format), expected);
    (image::load_from_memory(&bytes).unwrap(), extension)
}

fn code(file: &[u8]) -> ImageErrorCode {
    let failure: ImageFailure = scaled_copy(file).unwrap_err();
    assert!(!failure.may_pass);
    failure.code
}

/// Returns whether two colours look the same, as a JPEG is not exact.
fn is_like(pixel: Rgba<u8>, expected: [u8; 4]) -> bool {
    let pairs = pixel.0.into_iter().zip(expected);
    pairs.into_iter().all(|(a, b)| a.abs_diff(b) < 16)
}

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

#[tokio::test]
async fn every_type_is_scaled_to_800_pixels() {
    for (original, extension) in [
        (pictures::jpeg(1000, 100), "jpg"),
        (pictures::webp(1000, 100), "jpg"),
        (pictures::png(1000, 100), "png"),
        (pictures::gif(1000, 100), "png"),
    ] {
        let (copy, is) = copy(original).await;
        assert_eq!((copy.dimensions(), &is[..]), ((800, 80), extension));
        assert!(is_like(copy.get_pixel(20, 20), RED));
        assert!(is_like(copy.get_pixel(780, 70), BLUE));
        assert!(!copy.color().has_alpha());
    }
}

#[tokio::test]
async fn nothing_is_enlarged_or_lost_on_the_way() {
    for (width, height, expected) in [
        (1, 1, (1, 1)),
        (800, 3, (800, 3)),
        (3, 801, (3, 800)),
        (4000, 1, (800, 1)),
        (900, 90, (800, 80)),
    ] {
        let (copy, _) = copy(pictures::png(width, height)).await;
        assert_eq!(copy.dimensions(), expected);
    }
}

#[tokio::test]
async fn transparency_stays() {
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        for width in [1000, 100] {
            let (copy, extension) = copy(file(glass(width, 100), format)).await;
            assert_eq!(extension, "png");
            assert!(is_like(copy.get_pixel(10, 10), RED));
            let (x, y) = (copy.width() - 10, copy.height() - 10);
            assert!(is_like(copy.get_pixel(x, y), [0, 0, 255, 128]));
        }
    }
}

#[tokio::test]
async fn all_depths_of_colour_are_taken() {
    let picture = DynamicImage::from(colours(820, 41));
    let glass = DynamicImage::from(glass(820, 41));
    for (original, channels) in [
        (DynamicImage::from(picture.to_luma8()), 1),
        (picture.to_luma16().into(), 1),
        (glass.to_luma_alpha16().into(), 2),
        (picture.to_rgb16().into(), 3),
        (glass.to_rgba16().into(), 4),
    ] {
        let (copy, _) = copy(file(original, ImageFormat::Png)).await;
        assert_eq!(copy.dimensions(), (800, 40));
        assert_eq!(copy.color().bytes_per_pixel(), channels);
    }
    let grey = file(picture.to_luma8(), ImageFormat::Jpeg);
    assert_eq!(copy(grey).await.0.color().channel_count(), 1);
}

#[tokio::test]
async fn metadata_is_applied_and_dropped() {
    let (bytes, _) = copy_of(pictures::turned(&pictures::jpeg(1000, 100)))
        .await
        .unwrap();
    let copy = image::load_from_memory(&bytes).unwrap();
    assert_eq!(copy.dimensions(), (80, 800));
    // The upper left corner is on the right now.
    assert!(is_like(copy.get_pixel(70, 20), RED));
    assert!(is_like(copy.get_pixel(20, 20), BLUE));
    for name in [&b"Exif"[..], b"ICC", b"http", b"\xff\xe1"] {
        assert!(!bytes.windows(name.len()).any(|part| part == name));
    }
}

#[test]
fn a_file_that_is_cut_short_is_damaged() {
    for whole in [
        pictures::jpeg(60, 40),
        pictures::webp(60, 40),
        pictures::png(60, 40),
        pictures::gif(60, 40),
    ] {
        assert!(scaled_copy(&whole).is_ok());
        // The last frame of the animation is not needed.
        let end = if whole.starts_with(b"GIF") {
            whole.len() / 2
        } else {
            whole.len() - 20
        };
        for length in [20, 40, end / 2, end] {
            assert_eq!(
                code(&whole[..length]),
                Corrupt,
                "{length} of {:?}",
                &whole[..12]
            );
        }
    }
}

#[test]
fn claims_of_size_are_checked_before_memory_is_taken() {
    let jpeg = pictures::jpeg(16, 16);
    let gif = |width: u16, height: u16| {
        let mut file = pictures::gif(4, 4);
        file[6..8].copy_from_slice(&width.to_le_bytes());
        file[8..10].copy_from_slice(&height.to_le_bytes());
        file
    };
    // A lossless WebP begins with 14 bits for each side.
    let webp = |width: u32, height: u32, alpha: u32| {
        let mut file = pictures::webp(4, 4);
        let bits = (width - 1) | (height - 1) << 14 | alpha << 28;
        let start = file.windows(4).position(|name| name == b"VP8L").unwrap() + 9;
        file[start..start + 4].copy_from_slice(&bits.to_le_bytes());
        file
    };
    // An animation with a frame of 4 x 4 pixels on its canvas.
    let animation = |width: u32, height: u32| {
        let chunk = |name: &[u8], content: &[u8]| {
            let length = u32::try_from(content.len()).unwrap().to_le_bytes();
            [name, &length, content].concat()
        };
        let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
        let canvas = [vec![0b10, 0, 0, 0], side(width), side(height)].concat();
        let frame = [
            &[0; 6],
            &*side(4),
            &side(4),
            &[0; 4],
            &pictures::webp(4, 4)[12..],
        ]
        .concat();
        let chunks = [
            b"WEBP".to_vec(),
            chunk(b"VP8X", &canvas),
            chunk(b"ANIM", &[0; 6]),
            chunk(b"ANMF", &frame),
        ];
        chunk(b"RIFF", &chunks.concat())
    };
    let png = |width: u32, height: u32, depth: u8, colour: u8| {
        let mut file = pictures::png(4, 4);
        file[16..20].copy_from_slice(&width.to_be_bytes());
        file[20..24].copy_from_slice(&height.to_be_bytes());
        file[24..26].copy_from_slice(&[depth, colour]);
        let sum = crc32(&file[12..29]);
        file[29..33].copy_from_slice(&sum.to_be_bytes());
        file
    };
    for large in [
        claiming(&jpeg, 10_001, 8, 0xc0),
        claiming(&jpeg, 8, 65_500, 0xc0),
        claiming(&jpeg, 65_500, 65_500, 0xc0),
        claiming(&jpeg, 7_000, 7_000, 0xc0),
        // As a plain file it would fit.
        claiming(&jpeg, 5_000, 4_000, 0xc2),
        gif(60_000, 60_000),
        gif(10_001, 1),
        gif(5_000, 5_000),
        webp(16_383, 16_383, 0),
        webp(10_001, 1, 0),
        webp(5_000, 5_000, 0),
        webp(5_000, 4_000, 1),
        animation(4_000, 4_000),
        png(50_000, 50_000, 8, 6),
        png(10_001, 1, 8, 2),
        png(10_000, 10_000, 8, 2),
        png(5_000, 5_000, 8, 6),
        png(4_000, 3_000, 16, 6),
    ] {
        assert_eq!(
            code(&large),
            TooLarge,
            "{:x?}",
            &large[..32.min(large.len())]
        );
    }
    assert!(scaled_copy(&animation(1_000, 1_000)).is_ok());
    // Others are decoded, in vain.
    for (small, expected) in [
        (claiming(&jpeg, 2_000, 1_000, 0xc3), UnsupportedType),
        (claiming(&jpeg, 0, 0, 0xc0), Corrupt),
        (gif(0, 0), Corrupt),
        (webp(4_000, 4_000, 0), Corrupt),
        (png(0, 0, 8, 2), Corrupt),
        (png(2_000, 1_000, 8, 2), Corrupt),
    ] {
        assert_eq!(
            code(&small),
            expected,
            "{:x?}",
            &small[..32.min(small.len())]
        );
    }
}

/// A colour profile that would unfold to 26 MB is left unread.
#[test]
fn a_colour_profile_takes_no_memory() {
    let png = pictures::png(5, 5);
    let profile = [b"iCCPname\0\0", &zeros(100_000)[..]].concat();
    let length = u32::try_from(profile.len() - 4).unwrap().to_be_bytes();
    let sum = crc32(&profile).to_be_bytes();
    let bomb = [&png[..33], &length, &profile, &sum, &png[33..]].concat();
    assert_eq!(scaled_copy(&bomb), scaled_copy(&png));
}

/// Taking a damaged file over ends, and the next file is taken over all the same.
#[test]
fn damaged_files_bring_nothing_down() {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    let originals = [
        pictures::jpeg(40, 30),
        pictures::turned(&pictures::jpeg(20, 20)),
        claiming(&pictures::jpeg(40, 30), 40, 30, 0xc2),
        pictures::webp(40, 30),
        file(glass(20, 20), ImageFormat::WebP),
        pictures::png(40, 30),
        pictures::gif(40, 30),
    ];
    let change = (any::<prop::sample::Index>(), any::<u8>());
    let changed = (
        prop::sample::select(originals.to_vec()),
        prop::collection::vec(change, 1..8),
    );
    let service = service(Networks::loopback(), PATIENCE);
    let mut runner = TestRunner::default();
    let ran = runner.run(&changed, |(mut file, changes)| {
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        runtime.block_on(async {
            let host = Host::start(move |_| Script::ok(&file)).await;
            if let Err(failed) = service.take_over(&host.link("/")).await {
                let of_the_file = [Corrupt, TooLarge, UnsupportedType];
                prop_assert!(of_the_file.contains(&failed.code), "{failed}");
            }
            Ok(())
        })
    });
    ran.unwrap();
    let fine = runtime.block_on(copy_of(originals[0].clone()));
    assert!(fine.is_ok());
}
