//! Compressed bodies of requests.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header::CONTENT_ENCODING};

/// The reason for a failed decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDecompressed {
    /// An encoding other than gzip, or several.
    Unsupported,
    /// More bytes than allowed.
    TooLarge,
    /// No room in the server for the decompressed body.
    NoRoom,
    /// Damaged or incomplete gzip.
    Malformed,
}

/// Returns whether a body is compressed with gzip.
pub(crate) fn is_gzip(headers: &HeaderMap) -> Result<bool, NotDecompressed> {
    let values = headers.get_all(CONTENT_ENCODING).into_iter();
    let mut names = values
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"));
    let Some(name) = names.next() else {
        return Ok(false);
    };
    let is_gzip = name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip");
    if !is_gzip || names.next().is_some() {
        return Err(NotDecompressed::Unsupported);
    }
    Ok(true)
}

/// The bytes decompressed between two checks for room.
const PIECE: u64 = 64 * 1024;

/// Decompresses a body of at most `most` decompressed bytes.
/// It stops at most a piece beyond them. `take` takes room for decompressed bytes, and returns whether there was some.
pub(crate) fn decompress(
    gzip: &[u8],
    most: usize,
    take: impl Fn(usize) -> bool,
) -> Result<Bytes, NotDecompressed> {
    let mut text = MultiGzDecoder::new(gzip);
    let mut body = Vec::new();
    loop {
        let piece = text.by_ref().take(PIECE).read_to_end(&mut body);
        let piece = piece.map_err(|_| NotDecompressed::Malformed)?;
        if body.len() > most {
            return Err(NotDecompressed::TooLarge);
        }
        if piece == 0 {
            return Ok(body.into());
        }
        if !take(piece) {
            return Err(NotDecompressed::NoRoom);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, io::Write as _};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    /// Decompresses with unlimited room.
    fn decompress(gzip: &[u8], most: usize) -> Result<Bytes, NotDecompressed> {
        super::decompress(gzip, most, |_| true)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_body_is_as_it_was() {
        let text = b"{\"name\":\"Rye\"}";
        assert_eq!(
            decompress(&gzip(text), text.len()).unwrap(),
            text.as_slice()
        );
        assert_eq!(decompress(&gzip(b""), 0).unwrap(), "");
        // Streams behind each other are one text.
        let two = [gzip(b"{\"name\":"), gzip(b"\"Rye\"}")].concat();
        assert_eq!(decompress(&two, 100).unwrap(), text.as_slice());
    }

    #[test]
    fn a_body_that_grows_too_large_is_given_up() {
        let zeros = vec![0; 10_000_000];
        assert_eq!(
            decompress(&gzip(&zeros), 2_000_000),
            Err(NotDecompressed::TooLarge)
        );
        assert_eq!(decompress(&gzip(b"Rye"), 2), Err(NotDecompressed::TooLarge));
        let many = gzip(&zeros[..1_000_000]).repeat(100);
        assert_eq!(decompress(&many, 2_000_000), Err(NotDecompressed::TooLarge));
    }

    #[test]
    fn what_is_made_has_to_find_room() {
        let text = gzip(&vec![b'x'; 1_000_000]);
        for (room, expected) in [(1_000_000, None), (999_999, Some(NotDecompressed::NoRoom))] {
            let made = Cell::new(0);
            let decompressed = super::decompress(&text, 2_000_000, |bytes| {
                made.set(made.get() + bytes);
                made.get() <= room
            });
            assert_eq!(decompressed.err(), expected);
            assert_eq!(made.get(), 1_000_000);
        }
    }

    #[test]
    fn a_body_that_is_no_gzip_is_told() {
        let good = gzip(&[b'x'; 1000]);
        let mut damaged = good.clone();
        let last = damaged.len() - 5;
        damaged[last] ^= 1;
        for bad in [
            b"",
            b"{}".as_slice(),
            &good[..good.len() - 1],
            &good[..5],
            &damaged,
        ] {
            assert_eq!(
                decompress(bad, 2000),
                Err(NotDecompressed::Malformed),
                "{bad:?}"
            );
        }
        assert!(decompress(&[&good, b"rest".as_slice()].concat(), 2000).is_err());
    }

    #[test]
    fn gzip_alone_is_taken() {
        let of = |names: &[&str]| {
            let value = |name: &&str| (CONTENT_ENCODING, name.parse().unwrap());
            let mut headers = HeaderMap::new();
            for (name, value) in names.iter().map(value) {
                headers.append(name, value);
            }
            is_gzip(&headers)
        };
        for names in [&[][..], &["identity"], &[""]] {
            assert_eq!(of(names), Ok(false), "{names:?}");
        }
        for names in [
            &["gzip"][..],
            &["GZip"],
            &["x-gzip"],
            &["identity", "gzip"],
            &["identity, gzip"],
        ] {
            assert_eq!(of(names), Ok(true), "{names:?}");
        }
        for names in [
            &["br"][..],
            &["deflate"],
            &["gzip, gzip"],
            &["gzip", "gzip"],
            &["gzip", "br"],
        ] {
            assert_eq!(of(names), Err(NotDecompressed::Unsupported), "{names:?}");
        }
    }
}
