//! Small files that unfold to large pictures. All the pixels are there, so that a decoder fills the
//! memory that it takes.

use super::pictures;

/// A JPEG of one grey: after the head of a small one, each block of the three colours is the same
/// 14 bits.
pub(super) fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let small = pictures::grey_jpeg(16, 16);
    let mut file = pictures::claiming(&small, width, height, 0xc0);
    let scan = file.windows(2).position(|bytes| bytes == b"\xff\xda");
    let scan = scan.unwrap();
    let head = usize::from(u16::from_be_bytes([file[scan + 2], file[scan + 3]]));
    file.truncate(scan + 2 + head);
    // No difference to the block before and nothing else, for the brightness and for two colours.
    let block = "00".to_owned() + "1010" + "0000" + "0000";
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    let four = packed(&block.repeat(4), true);
    file.extend(four.repeat(blocks.div_ceil(4)));
    file.extend(b"\xff\xd9");
    file
}

/// A black PNG whose last rows are missing, so that it is decoded in vain.
pub(super) fn png(width: u32, height: u32, rows: u32) -> Vec<u8> {
    let bytes = (1 + 3 * width as usize) * rows as usize;
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [
        (b"IHDR", [&size[..], &[8, 2, 0, 0, 0]].concat()),
        (b"IDAT", zeros(bytes / 258)),
        (b"IEND", Vec::new()),
    ] {
        let length = u32::try_from(content.len()).unwrap();
        let chunk = [&name[..], &content].concat();
        file.extend(length.to_be_bytes());
        file.extend(&chunk);
        file.extend(crc32(&chunk).to_be_bytes());
    }
    file
}

/// A black lossless WebP: as each of its codes has one symbol, its pixels take no bits.
pub(super) fn webp(width: usize, height: usize) -> Vec<u8> {
    let number = |value: usize, bits: usize| -> String {
        let bit = |place| if value >> place & 1 == 1 { '1' } else { '0' };
        (0..bits).map(bit).collect()
    };
    let black = "1000";
    let opaque = "101".to_owned() + &number(255, 8);
    let bits = number(0x2f, 8)
        + &number(width - 1, 14)
        + &number(height - 1, 14)
        + "0000"
        + "000"
        + &black.repeat(3)
        + &opaque
        + black;
    let mut stream = packed(&bits, false);
    stream.resize(stream.len().next_multiple_of(2) + 4, 0);
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    [
        &b"RIFF"[..],
        &length(stream.len() + 12),
        b"WEBPVP8L",
        &length(stream.len()),
        &stream,
    ]
    .concat()
}

/// A GIF of one colour: each code stands for a run that is longer by one pixel.
pub(super) fn gif(width: u16, height: u16) -> Vec<u8> {
    const CLEAR: usize = 4;
    let mut bits = String::new();
    let mut left = usize::from(width) * usize::from(height);
    while left > 0 {
        let mut size = 3;
        write_code(&mut bits, CLEAR, size);
        for run in 1..=4_090 {
            let taken = left.min(run);
            write_code(&mut bits, if taken == 1 { 0 } else { CLEAR + taken }, size);
            left -= taken;
            // The table has the runs up to the next one, except after the first code.
            if run + 5 == 1 << size && size < 12 {
                size += 1;
            }
            if left == 0 {
                write_code(&mut bits, CLEAR + 1, size);
                break;
            }
        }
    }
    let [w, h] = [width, height].map(u16::to_le_bytes);
    let mut file = [&b"GIF89a"[..], &w, &h, &[0x80, 0, 0]].concat();
    file.extend([255, 0, 0, 255, 255, 255]);
    file.extend([&b",\0\0\0\0"[..], &w, &h, &[0, 2]].concat());
    for block in packed(&bits, false).chunks(255) {
        file.push(u8::try_from(block.len()).unwrap());
        file.extend(block);
    }
    file.extend(b"\0;");
    file
}

fn write_code(bits: &mut String, code: usize, size: usize) {
    bits.extend((0..size).map(|place| if code >> place & 1 == 1 { '1' } else { '0' }));
}

/// Bytes of these bits, from the highest one of each byte on or from the lowest.
fn packed(bits: &str, is_highest_first: bool) -> Vec<u8> {
    let byte = |bits: &[u8]| {
        let bit = |(place, bit): (usize, &u8)| {
            let place = if is_highest_first { 7 - place } else { place };
            (bit - b'0') << place
        };
        bits.iter().enumerate().map(bit).sum::<u8>()
    };
    bits.as_bytes().chunks(8).map(byte).collect()
}

/// A zlib stream that unfolds to this many times 258 zeros, and one more.
pub(super) fn zeros(repeats: usize) -> Vec<u8> {
    // The last block, with the fixed code: a zero, copies of it, the end.
    let copies = "1100010100000".repeat(repeats);
    let bits = format!("11000110000{copies}0000000");
    let sum = u32::try_from((repeats * 258 + 1) % 65_521).unwrap() << 16 | 1;
    [&[0x78, 0x01][..], &packed(&bits, false), &sum.to_be_bytes()].concat()
}

/// The checksum of a PNG chunk.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 * (sum & 1))
        })
    })
}
