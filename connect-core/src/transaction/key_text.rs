//! Texts within keys, in a form with the order of the texts.
//! No text's encoding is a prefix of another's.
//!
//! A zero byte is written as `00 FF`, and `00 00` ends the text. Why this is enough:
//!
//! - **Order.** Where two texts differ in a byte, the encodings differ there first, in the same
//!   direction: a zero byte starts with a zero byte, and any other byte is larger. Where one text
//!   ends and the other goes on, the end is `00 00`. The other has a larger byte there, or a zero
//!   byte as `00 FF`, and both are larger.
//! - **No prefix.** A `00` is followed by `00` at the end of a text and by `FF` within it, so the
//!   two are never confused. With a single `00` at the end, the encoding of "a" would be a prefix
//!   of "a\0", and a scan for the one would find the other.

/// Appends the encoding of `text` to a key.
pub(crate) fn write(text: &str, key: &mut Vec<u8>) {
    if text.as_bytes().contains(&0) {
        for byte in text.bytes() {
            key.push(byte);
            if byte == 0 {
                key.push(0xFF);
            }
        }
    } else {
        key.extend_from_slice(text.as_bytes());
    }
    key.extend_from_slice(&[0, 0]);
}

/// Reads the text put by [`write`] at the start of `bytes`.
/// Returns the bytes behind it too; `None` for anything else.
pub(crate) fn read(bytes: &[u8]) -> Option<(String, &[u8])> {
    let mut text = Vec::new();
    let mut rest = bytes;
    loop {
        match rest {
            [0, 0, behind @ ..] => return Some((String::from_utf8(text).ok()?, behind)),
            [0, 0xFF, behind @ ..] => {
                text.push(0);
                rest = behind;
            }
            [0, ..] | [] => return None,
            [byte, behind @ ..] => {
                text.push(*byte);
                rest = behind;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(text: &str) -> Vec<u8> {
        let mut key = Vec::new();
        write(text, &mut key);
        key
    }

    /// Texts of few characters, often prefixes of each other.
    /// The characters are the zero byte, its neighbour, two letters, and the last character, with
    /// the largest bytes.
    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop::sample::select(vec!['\0', '\u{1}', 'a', 'é', '\u{10FFFF}']),
            0..5,
        )
        .prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn keys_sort_as_texts_do(one in text(), other in text(), rest in any::<(u8, u8)>()) {
            prop_assert_eq!(encoded(&one).cmp(&encoded(&other)), one.cmp(&other));
            // Also when more parts follow: the first text decides before they are looked at.
            if one != other {
                let (mut one_key, mut other_key) = (encoded(&one), encoded(&other));
                one_key.push(rest.0);
                other_key.push(rest.1);
                prop_assert_eq!(one_key.cmp(&other_key), one.cmp(&other));
            }
        }

        #[test]
        fn no_encoding_starts_another(one in text(), other in text()) {
            prop_assert_eq!(encoded(&other).starts_with(&encoded(&one)), one == other);
        }

        #[test]
        fn what_was_written_is_read(text in text(), rest in any::<[u8; 2]>()) {
            let mut key = encoded(&text);
            key.extend_from_slice(&rest);
            let unended = encoded(&text);
            prop_assert_eq!(read(&unended[..unended.len() - 2]), None);
            prop_assert_eq!(read(&key), Some((text, &rest[..])));
        }
    }

    #[test]
    fn a_zero_byte_does_not_end_a_text() {
        assert_eq!(encoded(""), b"\0\0");
        assert_eq!(encoded("a"), b"a\0\0");
        assert_eq!(encoded("a\0b"), b"a\0\xFFb\0\0");
        assert!(!encoded("a\0b").starts_with(&encoded("a")));
    }
}
