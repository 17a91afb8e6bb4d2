//! Compresses texts in memory.

use std::io::Write as _;

use brotli::{BrotliCompress, enc::BrotliEncoderParams};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use tokio::task::spawn_blocking;

use super::Encoding;

/// The least size of an answer to compress, in bytes.
pub(crate) const WORTH_COMPRESSING: usize = 1000;

/// The least size to compress on a separate thread, in bytes.
/// A larger text would delay other requests. A smaller one takes less than half a millisecond.
const LARGE: usize = 64 * 1024;

/// The compression effort for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// For a text sent once.
    /// A page of 200 products (102 757 bytes, release build): gzip leaves 17 766 bytes and takes 0.5 ms, br
    /// leaves 16 681 and takes 0.5 ms.
    Once,
    /// For a text sent often.
    /// The API document (438 376 bytes): gzip leaves 36 887 bytes and takes 4 ms, br leaves 26 568 and takes
    /// 22 ms; one step further it leaves 24 773 and takes 136 ms.
    Often,
}

/// Compresses an answer. `None` leaves it uncompressed.
pub(crate) async fn compress(encoding: Encoding, text: &Bytes) -> Option<Bytes> {
    if text.len() < LARGE {
        return at_once(encoding, Effort::Once, text);
    }
    aside(encoding, Effort::Once, text).await
}

/// Compresses a text on a separate thread.
pub(super) async fn aside(encoding: Encoding, effort: Effort, text: &Bytes) -> Option<Bytes> {
    let text = text.clone();
    let compressed = spawn_blocking(move || at_once(encoding, effort, &text)).await;
    compressed.ok().flatten()
}

/// Compresses a text on this thread. Writing to memory does not fail.
fn at_once(encoding: Encoding, effort: Effort, text: &[u8]) -> Option<Bytes> {
    let compressed = match encoding {
        Encoding::Gzip => gzip(effort, text),
        Encoding::Brotli => brotli(effort, text),
    };
    compressed.ok().map(Bytes::from)
}

fn gzip(effort: Effort, text: &[u8]) -> std::io::Result<Vec<u8>> {
    let level = match effort {
        Effort::Once => 4,
        Effort::Often => 9,
    };
    let room = Vec::with_capacity(text.len() / 4);
    let mut encoder = GzEncoder::new(room, Compression::new(level));
    encoder.write_all(text)?;
    encoder.finish()
}

fn brotli(effort: Effort, text: &[u8]) -> std::io::Result<Vec<u8>> {
    let quality = match effort {
        Effort::Once => 3,
        Effort::Often => 9,
    };
    // A window just large enough for the text: the default is 4 MiB, even for a short text.
    let bits = usize::BITS - text.len().leading_zeros();
    let settings = BrotliEncoderParams {
        quality,
        lgwin: i32::try_from(bits.clamp(10, 22)).unwrap_or(22),
        size_hint: text.len(),
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::with_capacity(text.len() / 4);
    BrotliCompress(&mut &*text, &mut compressed, &settings)?;
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::{super::PrecompressedBody, *};

    fn decompressed(encoding: Encoding, bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        match encoding {
            Encoding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut text),
            Encoding::Brotli => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut text),
        }
        .unwrap();
        text
    }

    #[tokio::test]
    async fn a_text_is_as_it_was_and_shorter() {
        let row = br#"{"name":"Rye","priceCents":450,"currency":"EUR"},"#;
        for bytes in [WORTH_COMPRESSING, LARGE, 1_000_000] {
            let text: Bytes = row.iter().copied().cycle().take(bytes).collect();
            for encoding in [Encoding::Gzip, Encoding::Brotli] {
                let once = compress(encoding, &text).await.unwrap();
                let often = PrecompressedBody::new(text.clone());
                let often = often.compressed(encoding).await.unwrap();
                for compressed in [once, often] {
                    assert!(compressed.len() < bytes / 5, "{encoding:?} of {bytes}");
                    assert_eq!(decompressed(encoding, &compressed), text);
                }
            }
        }
    }
}
