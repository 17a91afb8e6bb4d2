//! Hashes of entries, and the last entry of a chain.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::{storage::Value, transaction::Fault};

/// The SHA-256 of an entry. Written in hexadecimal.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TrailHash([u8; 32]);

impl TrailHash {
    /// The hash before the first entry: zeros.
    pub const NONE: Self = Self([0; 32]);

    /// The hash of an entry's bytes.
    pub(crate) fn of(entry: &[u8]) -> Self {
        Self(Sha256::digest(entry).into())
    }
}

impl fmt::Display for TrailHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for TrailHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for TrailHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As its `Display`, without an allocation: each entry and each clock row has one.
        let mut text = [0; 64];
        hex::encode_to_slice(self.0, &mut text).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(std::str::from_utf8(&text).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for TrailHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let mut hash = [0; 32];
        hex::decode_to_slice(&*text, &mut hash).map_err(serde::de::Error::custom)?;
        Ok(Self(hash))
    }
}

/// The number and the hash of an entry: the last one, or the last removed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrailHead {
    pub(crate) number: u64,
    pub(crate) hash: TrailHash,
}

impl TrailHead {
    /// Reads the last removed entry from the row of a chain; without a row, none was removed.
    pub(crate) fn read_anchor(key: &[u8], row: Option<&Value>) -> Result<Self, Fault> {
        row.map_or(Ok(Self::default()), |row| {
            serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
        })
    }
}
