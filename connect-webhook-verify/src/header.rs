//! The parser of the signature header: strict and without allocation.

use crate::{error::VerifyError, signature::HEX_LEN};

/// Name of the signature header, in lower case as in HTTP/2.
pub const SIGNATURE_HEADER: &str = "service-signature";

/// The last timestamp accepted by a verifier: fifteen digits.
/// It is in seconds since 1970.
///
/// The bound lies 31 million years ahead. It lets every language read the number exactly, without
/// overflow.
pub const MAX_TIMESTAMP: u64 = 999_999_999_999_999;

/// Digits in [`MAX_TIMESTAMP`].
const MAX_DIGITS: usize = 15;

/// Number of signatures kept from the first pass over the header.
/// Any further ones are read again.
const KEPT: usize = 16;

/// A `v1` value of the right length. Any other length cannot match.
pub(crate) type Candidate = [u8; HEX_LEN];

/// The content of a header.
pub(crate) struct Header<'a> {
    /// The timestamp as written, and as signed.
    pub(crate) text: &'a [u8],
    /// The timestamp in seconds since 1970.
    pub(crate) seconds: u64,
    kept: [&'a Candidate; KEPT],
    count: usize,
}

impl<'a> Header<'a> {
    /// Reads the header from its lines, of any number.
    pub(crate) fn parse(lines: impl Iterator<Item = &'a [u8]>) -> Result<Self, VerifyError> {
        let mut timestamp = None;
        let mut repeated = false;
        let mut present = false;
        let mut signed = false;
        let mut kept = [&[0; HEX_LEN]; KEPT];
        let mut count = 0;

        for line in lines {
            present |= !line.is_empty();
            for part in line.split(|&byte| byte == b',') {
                if let Some(value) = part.strip_prefix(b"v1=") {
                    signed = true;
                    if let Ok(candidate) = value.try_into() {
                        if let Some(place) = kept.get_mut(count) {
                            *place = candidate;
                        }
                        count += 1;
                    }
                } else if let Some(value) = part.strip_prefix(b"t=") {
                    repeated |= timestamp.is_some();
                    timestamp = Some(value);
                }
            }
        }

        if !present {
            return Err(VerifyError::MissingHeader);
        }
        if repeated {
            return Err(VerifyError::RepeatedTimestamp);
        }
        let text = timestamp.ok_or(VerifyError::MissingTimestamp)?;
        let seconds = seconds(text).ok_or(VerifyError::InvalidTimestamp)?;
        if !signed {
            return Err(VerifyError::MissingSignature);
        }
        Ok(Self {
            text,
            seconds,
            kept,
            count,
        })
    }

    /// The signatures kept by the first pass.
    pub(crate) fn kept(&self) -> &[&'a Candidate] {
        self.kept.get(..self.count).unwrap_or(&self.kept)
    }

    /// The signatures beyond the kept ones, read from the lines again.
    pub(crate) fn rest(
        &self,
        lines: impl Iterator<Item = &'a [u8]>,
    ) -> impl Iterator<Item = &'a Candidate> {
        // Most headers have none, and then the lines need not be looked at.
        let wanted = self.count.saturating_sub(KEPT);
        lines
            .take(if wanted == 0 { 0 } else { usize::MAX })
            .flat_map(|line| line.split(|&byte| byte == b','))
            .filter_map(|part| part.strip_prefix(b"v1=")?.try_into().ok())
            .skip(KEPT)
    }
}

/// Reads a timestamp of 1 to 15 ASCII digits.
/// It has no leading zero, so each value has one spelling.
fn seconds(text: &[u8]) -> Option<u64> {
    if text.len() > MAX_DIGITS || (text.len() > 1 && text.first() == Some(&b'0')) {
        return None;
    }
    let mut digits = text.iter();
    let add = |sum: u64, byte: &u8| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u64::from(byte - b'0'))
    };
    let first = add(0, digits.next()?)?;
    digits.try_fold(first, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_one_spelling() {
        assert_eq!(seconds(b"0"), Some(0));
        assert_eq!(seconds(b"1700000000"), Some(1_700_000_000));
        assert_eq!(seconds(b"999999999999999"), Some(MAX_TIMESTAMP));
        for text in [
            "", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1_0",
        ] {
            assert_eq!(seconds(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(seconds(b"1000000000000000"), None);
        assert_eq!(seconds("\u{0661}".as_bytes()), None);
    }

    #[test]
    fn no_signature_is_lost_past_those_kept() {
        for count in [1, KEPT - 1, KEPT, KEPT + 1, 3 * KEPT] {
            let line = std::format!(
                "t=1{}",
                std::format!(",v1={}", "a".repeat(64)).repeat(count)
            );
            let lines = || core::iter::once(line.as_bytes());
            let header = Header::parse(lines()).unwrap();
            assert_eq!(header.kept().len() + header.rest(lines()).count(), count);
        }
    }
}
