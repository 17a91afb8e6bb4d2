//! Parsed keys: the partition, the family, and the parts.

use uuid::Uuid;

use super::{
    key_text,
    keys::{Family, GLOBAL, PartKind, PartitionOwner, time_from},
};
use crate::wire::Timestamp;

/// A part of a parsed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeldPart {
    Time(Timestamp),
    Number(u64),
    Id(Uuid),
    Text(String),
    Digest([u8; 32]),
}

/// A parsed key, in the shape of its family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadKey {
    /// The location, account or token of the row.
    pub(crate) partition: Uuid,
    /// The family of the row.
    pub(crate) family: Family,
    /// The parts after partition and family.
    pub(crate) parts: Vec<HeldPart>,
}

impl ReadKey {
    /// Parses a key. `None` for an invalid key.
    pub(crate) fn of(key: &[u8]) -> Option<Self> {
        let (partition, rest) = key.split_first_chunk::<16>()?;
        let (family, mut rest) = rest.split_first()?;
        let partition = Uuid::from_bytes(*partition);
        let family = Family::of(*family)?;
        let is_global = partition == GLOBAL;
        match family.owner() {
            PartitionOwner::Any => {}
            owner if (owner == PartitionOwner::Global) == is_global => {}
            _ => return None,
        }
        let mut parts = Vec::with_capacity(family.parts().len());
        for kind in family.parts() {
            let (part, behind) = read(*kind, rest)?;
            parts.push(part);
            rest = behind;
        }
        rest.is_empty().then_some(Self {
            partition,
            family,
            parts,
        })
    }

    /// The family byte of a key, if unknown to this program.
    pub(crate) fn unknown_family(key: &[u8]) -> Option<u8> {
        let family = *key.get(16)?;
        Family::of(family).is_none().then_some(family)
    }

    /// The last id in the key.
    pub(crate) fn id(&self) -> Option<Uuid> {
        self.parts.iter().rev().find_map(|part| match part {
            HeldPart::Id(id) => Some(*id),
            _ => None,
        })
    }

    /// The first two ids of a key.
    pub(crate) fn two_ids(&self) -> Option<(Uuid, Uuid)> {
        let mut ids = self.parts.iter().filter_map(|part| match part {
            HeldPart::Id(id) => Some(*id),
            _ => None,
        });
        Some((ids.next()?, ids.next()?))
    }

    /// The time in the key.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.parts.iter().find_map(|part| match part {
            HeldPart::Time(time) => Some(*time),
            _ => None,
        })
    }

    /// The number in the key.
    pub(crate) fn number(&self) -> Option<u64> {
        self.parts.iter().find_map(|part| match part {
            HeldPart::Number(number) => Some(*number),
            _ => None,
        })
    }

    /// The text in the key.
    pub(crate) fn text(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            HeldPart::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The digest in the key.
    pub(crate) fn digest(&self) -> Option<&[u8; 32]> {
        self.parts.iter().find_map(|part| match part {
            HeldPart::Digest(digest) => Some(digest),
            _ => None,
        })
    }
}

fn read(kind: PartKind, bytes: &[u8]) -> Option<(HeldPart, &[u8])> {
    Some(match kind {
        PartKind::Time => {
            let (time, rest) = bytes.split_first_chunk()?;
            (HeldPart::Time(time_from(*time)), rest)
        }
        PartKind::Number => {
            let (number, rest) = bytes.split_first_chunk()?;
            (HeldPart::Number(u64::from_be_bytes(*number)), rest)
        }
        PartKind::Id => {
            let (id, rest) = bytes.split_first_chunk()?;
            (HeldPart::Id(Uuid::from_bytes(*id)), rest)
        }
        PartKind::Text => {
            let (text, rest) = key_text::read(bytes)?;
            (HeldPart::Text(text), rest)
        }
        PartKind::Digest => {
            let (digest, rest) = bytes.split_first_chunk()?;
            (HeldPart::Digest(*digest), rest)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::keys::{KeyPart, key};

    /// A key of the family, and its partition.
    fn example(family: Family) -> (Uuid, Box<[u8]>) {
        let partition = match family.owner() {
            PartitionOwner::Global => GLOBAL,
            _ => Uuid::from_u128(7),
        };
        let part = |kind: &PartKind| match kind {
            PartKind::Time => KeyPart::Time(Timestamp::from_micros(-5)),
            PartKind::Number => KeyPart::Number(9),
            PartKind::Id => KeyPart::Id(Uuid::from_u128(11)),
            PartKind::Text => KeyPart::Text("a\0b"),
            PartKind::Digest => KeyPart::Digest(&[3; 32]),
        };
        let parts: Vec<KeyPart<'_>> = family.parts().iter().map(part).collect();
        (partition, key(partition, family, &parts))
    }

    #[test]
    fn every_family_is_read_as_it_was_written() {
        for family in Family::ALL {
            let (partition, key) = example(*family);
            let read = ReadKey::of(&key);
            let belongs = read.as_ref().map(|read| (read.partition, read.family));
            assert_eq!(belongs, Some((partition, *family)));
            let parts: Vec<_> = read.into_iter().flat_map(|read| read.parts).collect();
            assert_eq!(parts.len(), family.parts().len());
            for part in &parts {
                match part {
                    HeldPart::Time(time) => assert_eq!(time.micros(), -5),
                    HeldPart::Number(number) => assert_eq!(*number, 9),
                    HeldPart::Id(id) => assert_eq!(*id, Uuid::from_u128(11)),
                    HeldPart::Text(text) => assert_eq!(text, "a\0b"),
                    HeldPart::Digest(digest) => assert_eq!(digest, &[3; 32]),
                }
            }
        }
    }

    #[test]
    fn a_key_of_another_shape_is_none() {
        for family in Family::ALL {
            let (_, mut key) = example(*family).clone();
            let longer = [&key[..], b"x"].concat();
            assert_eq!(ReadKey::of(&longer), None, "{}", family.name());
            assert_eq!(
                ReadKey::of(&key[..key.len() - 1]),
                None,
                "{}",
                family.name()
            );
            // In the partition of another owner.
            key[15] ^= 7;
            let moved = ReadKey::of(&key);
            assert_eq!(
                moved.is_none(),
                match family.owner() {
                    PartitionOwner::Any => false,
                    owner => key[15] == 0 || owner == PartitionOwner::Global,
                }
            );
            key[16] = 0x7F;
            assert_eq!(ReadKey::of(&key), None);
        }
    }
}
