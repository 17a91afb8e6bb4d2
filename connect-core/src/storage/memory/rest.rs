//! The part of a key that tells it from others of its group.

use std::{borrow::Borrow, cmp::Ordering, ops::Deref};

/// Some bytes, in three words of memory. What is short lies in the tree itself, where a search
/// finds it without following a pointer.
#[derive(Clone)]
pub(super) enum Rest {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<[u8]>),
}

/// As many bytes as three words hold beside the length and the kind.
const SHORT: usize = 22;

impl Rest {
    pub(super) fn of(key: &[u8]) -> Self {
        if key.len() > SHORT {
            return Self::Long(key.into());
        }
        let mut bytes = [0; SHORT];
        bytes[..key.len()].copy_from_slice(key);
        Self::Short {
            length: key.len() as u8,
            bytes,
        }
    }
}

impl Deref for Rest {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

/// A search by plain bytes: both compare as bytes.
impl Borrow<[u8]> for Rest {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Rest {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Rest {}

impl PartialOrd for Rest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rest {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_kept_in_three_words() {
        assert_eq!(size_of::<Rest>(), 3 * size_of::<usize>());
        let text: Vec<u8> = (0..60).collect();
        for length in 0..text.len() {
            assert_eq!(*Rest::of(&text[..length]), text[..length]);
            assert!(Rest::of(&text[..length]) < Rest::of(&text[..length + 1]));
        }
    }
}
