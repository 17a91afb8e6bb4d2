//! Compression of long values for storage.
//! A batch answer, for example, is kept for a day and repeats much the same text five hundred times.
//!
//! The first byte is the format:
//!
//! | byte | rest |
//! |---|---|
//! | 0 | the uncompressed bytes |
//! | 1 | their number, four bytes, big-endian; then the bytes in zlib's format, as former versions wrote them |
//! | 2 | the same in gzip's format: its CRC-32 sees changes in digits which zlib's sums miss |

use std::borrow::Cow;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

const PLAIN: u8 = 0;
const ZLIB: u8 = 1;
const GZIP: u8 = 2;

/// The fewest bytes to compress: saving a kilobyte is not worth the time.
const WORTH_PACKING: usize = 1024;
/// The window of gzip's format, as a power of two.
const WINDOW: u8 = 15;
/// The compression level with the best ratio of size to time.
/// Measured on an answer to a batch of 500 (49 463 bytes, release build): level 1 leaves 12 215 bytes and
/// takes 41 us, 2 leaves 8 514 and takes 74, 3 leaves 8 374 and takes 116.
const LEVEL: u32 = 2;

/// The reason a packed value cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damaged {
    /// It is damaged, or was never packed.
    #[error("the packed value is damaged")]
    Bytes,
    /// Its announced length exceeds the reader's limit.
    #[error("the packed value has {claimed} bytes, {most} at most are accepted")]
    TooLong {
        /// The announced number of bytes.
        claimed: usize,
        /// The most bytes accepted.
        most: usize,
    },
}

/// Packs `bytes`, compressed if smaller.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    compressed(bytes).unwrap_or_else(|| {
        let mut plain = Vec::with_capacity(1 + bytes.len());
        plain.push(PLAIN);
        plain.extend_from_slice(bytes);
        plain
    })
}

fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < WORTH_PACKING {
        return None;
    }
    // The capacity is less than the plain bytes: a longer result is not worth keeping.
    let mut packed = Vec::with_capacity(bytes.len());
    packed.push(GZIP);
    packed.extend_from_slice(&u32::try_from(bytes.len()).ok()?.to_be_bytes());
    let end = Compress::new_gzip(Compression::new(LEVEL), WINDOW)
        .compress_vec(bytes, &mut packed, FlushCompress::Finish)
        .ok()?;
    if end != Status::StreamEnd {
        return None;
    }
    packed.shrink_to_fit();
    Some(packed)
}

/// Unpacks a value.
///
/// # Errors
/// [`Damaged`], also for more than `most` bytes; the allocation never exceeds `most`.
pub(crate) fn unpack(packed: &[u8], most: usize) -> Result<Cow<'_, [u8]>, Damaged> {
    let accept = |claimed: usize| {
        if claimed > most {
            return Err(Damaged::TooLong { claimed, most });
        }
        Ok(claimed)
    };
    match packed.split_first().ok_or(Damaged::Bytes)? {
        (&PLAIN, bytes) => accept(bytes.len()).map(|_| Cow::Borrowed(bytes)),
        (&format @ (ZLIB | GZIP), rest) => {
            let (length, compressed) = rest.split_first_chunk().ok_or(Damaged::Bytes)?;
            let length = accept(u32::from_be_bytes(*length) as usize)?;
            let reader = match format {
                ZLIB => Decompress::new(true),
                _ => Decompress::new_gzip(WINDOW),
            };
            decompressed(reader, compressed, length).map(Cow::Owned)
        }
        _ => Err(Damaged::Bytes),
    }
}

fn decompressed(
    mut reader: Decompress,
    compressed: &[u8],
    length: usize,
) -> Result<Vec<u8>, Damaged> {
    let mut bytes = Vec::with_capacity(length);
    // The vector never grows.
    let end = reader
        .decompress_vec(compressed, &mut bytes, FlushDecompress::Finish)
        .map_err(|_| Damaged::Bytes)?;
    let all_read = reader.total_in() == compressed.len() as u64;
    if end == Status::StreamEnd && all_read && bytes.len() == length {
        Ok(bytes)
    } else {
        Err(Damaged::Bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 100_000;

    fn answer(results: usize) -> Vec<u8> {
        let results: Vec<String> = (0..results)
            .map(|index| {
                let id = uuid::Uuid::now_v7();
                format!(r#"{{"index":{index},"status":"updated","id":"{id}","externalId":"BB-{index:03}"}}"#)
            })
            .collect();
        format!(r#"{{"data":{{"results":[{}]}}}}"#, results.join(",")).into_bytes()
    }

    /// Makes incompressible bytes.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .take(length)
        .collect()
    }

    #[test]
    fn what_was_packed_comes_back() {
        for bytes in [
            Vec::new(),
            b"{}".to_vec(),
            vec![b'x'; WORTH_PACKING - 1],
            vec![b'x'; WORTH_PACKING],
            noise(50_000),
            answer(500),
        ] {
            let packed = pack(&bytes);
            assert!(packed.len() <= bytes.len() + 1);
            assert_eq!(*unpack(&packed, MOST).unwrap(), bytes);
            assert_eq!(*unpack(&packed, bytes.len()).unwrap(), bytes);
        }
    }

    #[test]
    fn an_answer_to_a_batch_takes_a_quarter_or_less() {
        let bytes = answer(500);
        assert!(pack(&bytes).len() * 4 < bytes.len());
        assert_eq!(pack(&bytes)[0], GZIP);
        assert_eq!(pack(&answer(1))[0], PLAIN);
        assert_eq!(pack(&noise(5000))[0], PLAIN);
        let formats = [1, 0].map(|less| pack(&vec![b'x'; WORTH_PACKING - less])[0]);
        assert_eq!(formats, [PLAIN, GZIP]);
    }

    #[test]
    fn more_than_is_accepted_is_refused_before_it_is_unpacked() {
        for bytes in [vec![0; MOST + 1], noise(MOST + 1)] {
            let refused = Err(Damaged::TooLong {
                claimed: MOST + 1,
                most: MOST,
            });
            assert_eq!(unpack(&pack(&bytes), MOST), refused);
        }
        // A decompression bomb: a megabyte of zeros, announced as ten bytes.
        let mut bomb = pack(&vec![0; 1_000_000]);
        bomb[1..5].copy_from_slice(&10_u32.to_be_bytes());
        assert_eq!(unpack(&bomb, MOST), Err(Damaged::Bytes));
    }

    #[test]
    fn damage_never_yields_other_bytes() {
        let bytes = answer(20);
        let packed = pack(&bytes);
        assert_eq!(packed[0], GZIP);
        for at in 0..packed.len() {
            assert!(unpack(&packed[..at], MOST).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = packed.clone();
                damaged[at] ^= 1 << bit;
                // One flipped bit makes the marker of plain bytes. Some bits between the data and the
                // checksum are unused.
                if damaged[0] != PLAIN
                    && let Ok(unpacked) = unpack(&damaged, MOST)
                {
                    assert_eq!(*unpacked, bytes, "bit {bit} of byte {at}");
                }
            }
        }
        let longer = [packed.as_slice(), b"x"].concat();
        assert_eq!(unpack(&longer, MOST), Err(Damaged::Bytes));
    }

    /// The sums at the end of zlib's format are the same for these two.
    #[test]
    fn changed_digits_are_noticed() {
        let bytes = ["151", "313"].map(|digits| ["x".repeat(2000), digits.into()].concat());
        let [mut one, other] = bytes.each_ref().map(|bytes| pack(bytes.as_bytes()));
        let sums = one.len() - 8;
        one[sums..].copy_from_slice(&other[other.len() - 8..]);
        assert_eq!(unpack(&one, MOST), Err(Damaged::Bytes));

        let mut former = Vec::with_capacity(3000);
        former.push(ZLIB);
        former.extend_from_slice(&2003_u32.to_be_bytes());
        Compress::new(Compression::new(LEVEL), true)
            .compress_vec(bytes[0].as_bytes(), &mut former, FlushCompress::Finish)
            .unwrap();
        assert_eq!(*unpack(&former, MOST).unwrap(), *bytes[0].as_bytes());
    }

    proptest! {
        #[test]
        fn no_input_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60), marker in 0..4_u8) {
            let packed = [&[marker], bytes.as_slice()].concat();
            if let Ok(unpacked) = unpack(&packed, MOST) {
                prop_assert!(unpacked.len() <= MOST);
            }
        }
    }
}
