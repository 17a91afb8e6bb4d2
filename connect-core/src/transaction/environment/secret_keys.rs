//! The port of the keys for stored secrets.

use std::{fmt, str::FromStr, sync::Arc};

use sha2::{Digest as _, Sha256};

use super::Randomness;

/// Holds the keys for stored secrets, outside of the store.
pub trait SecretKeys: Send + Sync + 'static {
    /// The present keys.
    /// The core asks before each use, so a change takes effect at once. An implementation answers from memory,
    /// and looks for a change at most.
    fn keys(&self) -> KeyRing;
}

/// Keys for stored secrets: the first one seals, and all open.
/// Without any, no secret can be stored or used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRing(Arc<[SecretKey]>);

impl KeyRing {
    /// A ring of these keys.
    pub fn new(keys: Vec<SecretKey>) -> Self {
        Self(keys.into())
    }

    /// The key for new secrets.
    pub fn first(&self) -> Option<&SecretKey> {
        self.0.first()
    }

    /// All keys.
    pub fn iter(&self) -> impl Iterator<Item = &SecretKey> {
        self.0.iter()
    }
}

/// The same keys at all times.
impl SecretKeys for KeyRing {
    fn keys(&self) -> KeyRing {
        self.clone()
    }
}

/// A key for stored secrets: 256 random bits. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    id: KeyId,
    bytes: [u8; 32],
}

impl SecretKey {
    /// A key of these bytes.
    /// They must be random: a password is no key.
    pub fn new(bytes: [u8; 32]) -> Self {
        // It tells keys apart, and gives nothing of a random key away.
        let digest = Sha256::new_with_prefix(b"connect secret key\0").chain_update(bytes);
        let id = hex::encode(&digest.finalize()[..4]);
        Self {
            id: KeyId(id.into()),
            bytes,
        }
    }

    /// A new key.
    pub fn random(randomness: &dyn Randomness) -> Self {
        let mut bytes = [0; 32];
        randomness.fill(&mut bytes);
        Self::new(bytes)
    }

    /// The id, derived from the bytes.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// The key as text, to be kept apart from the store: 64 hexadecimal digits.
    pub fn expose(&self) -> String {
        hex::encode(self.bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl FromStr for SecretKey {
    type Err = NoSecretKey;

    fn from_str(text: &str) -> Result<Self, NoSecretKey> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NoSecretKey)?;
        Ok(Self::new(bytes))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.id)
    }
}

/// The refusal of a text as a key. It does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key is 64 hexadecimal digits, as `openssl rand -hex 32` prints them")]
pub struct NoSecretKey;

/// The id of a key: eight hexadecimal digits, in clear beside each sealed secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(Arc<str>);

impl KeyId {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
