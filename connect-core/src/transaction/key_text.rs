//! Texts within keys: so encoded that keys sort as the texts do, and that no text's encoding is
//! the start of another's.
//!
//! A zero byte is written as `00 FF`, and `00 00` ends the text. Why that is enough:
//!
//! - **Order.** Where two texts differ in a byte, the encodings differ there first, in the same
//!   direction: a zero byte is written with a zero byte first, and any other byte is larger than
//!   that. Where one text ends and the other goes on, the end is `00 00`; the other has a byte above
//!   zero there, or a zero byte as `00 FF`, and both are larger.
//! - **No encoding starts another.** Behind a `00` there is `00` at the end of a text and `FF`
//!   within it, so an end is never taken for something within. With a single `00` at the end, the
//!   encoding of "a" would start that of "a\0", and a scan for the one would find the other.

/// Returns the number of bytes that [`write`] adds.
pub(crate) fn len(text: &str) -> usize {
    text.len() + text.bytes().filter(|byte| *byte == 0).count() + 2
}

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

/// The text that [`write`] put at the start of `bytes`, and the bytes behind it. `None` when
/// there is none.
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

    /// Few characters, so that one text often starts another: the zero byte, its neighbour, a
    /// letter, and the last character of all, whose bytes are the largest.
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

        #[test]
        fn the_length_is_known_before(text in text()) {
            prop_assert_eq!(encoded(&text).len(), len(&text));
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
