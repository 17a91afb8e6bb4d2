//! Secrets at rest, sealed by a key outside of the store.
//!
//! ```text
//! sealed:1:KEY_ID:BASE64 of a nonce (24 bytes), the ciphertext and its tag (XChaCha20-Poly1305)
//! ```
//!
//! The place of a secret is authenticated with it: a row with a sealed secret of another row does not open. A
//! secret in the rows of an older program, or of a core without keys, is in clear, and is read as it is.

use std::{fmt, sync::Arc};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use chacha20poly1305::{
    Key, KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{
    Error, ReadKey, Reason,
    environment::{Environment, KeyId, KeyRing, Randomness, SecretKey},
    keys::Family,
};

const SEALED: &str = "sealed:1:";
/// The beginning of a secret in clear that begins like a sealed one.
const CLEAR: &str = "clear:";
const NONCE: usize = 24;

const NO_KEYS: &str = "this needs a key for secrets: set `ConnectBuilder::secret_keys`";

/// A secret as stored. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sealed(String);

impl Sealed {
    /// The id of its key; `None` for a secret in clear.
    pub(crate) fn key(&self) -> Option<KeyId> {
        let (id, _) = self.0.strip_prefix(SEALED)?.split_once(':')?;
        Some(KeyId::new(id))
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealed(..)")
    }
}

/// The place of a stored secret. A sealed one opens at its own place only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecretPlace {
    /// The kind of secret, unlike every other.
    pub(crate) kind: &'static str,
    /// The id of its owner, such as a webhook.
    pub(crate) of: Uuid,
}

impl SecretPlace {
    fn authenticated(self) -> Vec<u8> {
        format!("{SEALED}{} of {}", self.kind, self.of).into_bytes()
    }
}

/// A row of an account with secrets. Maintenance seals them by the first key.
pub(crate) trait SealedRow: Serialize + DeserializeOwned {
    /// The family of such rows. An account has few of them.
    const FAMILY: Family;

    /// All secrets of the row, with their places.
    fn secrets(&mut self, at: &ReadKey) -> Vec<(SecretPlace, &mut Sealed)>;
}

/// An open secret. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OpenSecret(String);

impl OpenSecret {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for OpenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenSecret(..)")
    }
}

/// The reason why a stored secret does not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unopened {
    /// Its key is lost, or not here yet.
    #[error("it is sealed by the key {0}, which this server does not have")]
    UnknownKey(KeyId),
    /// It is not as it was sealed, or not at the place for which it was.
    #[error("it is damaged, or it was sealed for another row")]
    Damaged,
}

/// Seals and opens secrets by the present keys.
pub(crate) struct SecretSealer {
    /// `None` for a core without keys: secrets stay in clear.
    keys: Option<KeyRing>,
    randomness: Arc<dyn Randomness>,
}

impl SecretSealer {
    pub(crate) fn of(environment: &Environment) -> Self {
        Self {
            keys: environment.secret_keys.as_ref().map(|keys| keys.keys()),
            randomness: environment.randomness.clone(),
        }
    }

    /// The present keys; `None` for a core without keys.
    pub(crate) fn keys(&self) -> Option<&KeyRing> {
        self.keys.as_ref()
    }

    /// Seals a secret by the first key. Bytes are given as text, such as base64.
    ///
    /// # Errors
    /// [`Error::Conflict`]: the keys are lost.
    pub(crate) fn seal(&self, secret: &str, place: SecretPlace) -> Result<Sealed, Error> {
        let Some(keys) = &self.keys else {
            let begins_so = [SEALED, CLEAR]
                .iter()
                .any(|beginning| secret.starts_with(beginning));
            let mark = if begins_so { CLEAR } else { "" };
            return Ok(Sealed(format!("{mark}{secret}")));
        };
        let no_key = || {
            Error::Conflict(Reason::new(
                "this server has no key to store a secret with; its operator can bring back the file of keys, or \
                 make a new key with `connect-server secrets rotate`",
            ))
        };
        let key = keys.first().ok_or_else(no_key)?;
        let mut nonce = [0; NONCE];
        self.randomness.fill(&mut nonce);
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: &place.authenticated(),
        };
        // It fails for a text of 256 GiB alone.
        let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload);
        let sealed = [&nonce[..], &sealed.map_err(|_| no_key())?].concat();
        let (id, sealed) = (key.id(), BASE64.encode(sealed));
        Ok(Sealed(format!("{SEALED}{id}:{sealed}")))
    }

    /// Opens a secret.
    ///
    /// # Errors
    /// See [`Unopened`].
    pub(crate) fn open(&self, secret: &Sealed, place: SecretPlace) -> Result<OpenSecret, Unopened> {
        let Some(sealed) = secret.0.strip_prefix(SEALED) else {
            let clear = secret.0.strip_prefix(CLEAR).unwrap_or(&secret.0);
            return Ok(OpenSecret(clear.to_owned()));
        };
        let (id, sealed) = sealed.split_once(':').ok_or(Unopened::Damaged)?;
        let keys = self.keys.iter().flat_map(KeyRing::iter);
        let key = keys.into_iter().find(|key| key.id().as_str() == id);
        let key = key.ok_or_else(|| Unopened::UnknownKey(KeyId::new(id)))?;
        let sealed = BASE64.decode(sealed).map_err(|_| Unopened::Damaged)?;
        let (nonce, sealed) = sealed.split_first_chunk().ok_or(Unopened::Damaged)?;
        let payload = Payload {
            msg: sealed,
            aad: &place.authenticated(),
        };
        let opened = cipher(key).decrypt(&XNonce::from(*nonce), payload);
        let opened = opened.map_err(|_| Unopened::Damaged)?;
        let opened = String::from_utf8(opened).map_err(|_| Unopened::Damaged)?;
        Ok(OpenSecret(opened))
    }

    /// Seals a text for a browser to keep and send back.
    ///
    /// # Errors
    /// [`Error::Conflict`]: there are no keys.
    pub(crate) fn seal_for_browser(&self, text: &str, place: SecretPlace) -> Result<String, Error> {
        let sealed = self.seal(text, place)?;
        match sealed.key() {
            Some(_) => Ok(sealed.0),
            None => Err(Error::Conflict(Reason::new(NO_KEYS))),
        }
    }

    /// Opens a text kept by a browser; `None` for any other text.
    pub(crate) fn open_from_browser(&self, sealed: &str, place: SecretPlace) -> Option<OpenSecret> {
        let sealed = Sealed(sealed.to_owned());
        // A text in clear may be of anyone.
        sealed.key()?;
        self.open(&sealed, place).ok()
    }

    /// Seals a secret by the first key, unless it is. Returns whether it was changed.
    /// One that does not open stays as it is.
    pub(crate) fn reseal(&self, secret: &mut Sealed, place: SecretPlace) -> bool {
        let first = self.keys.as_ref().and_then(KeyRing::first);
        if first.is_none_or(|first| secret.key().as_ref() == Some(first.id())) {
            return false;
        }
        let open = self.open(secret, place).ok();
        let sealed = open.and_then(|open| self.seal(open.expose(), place).ok());
        let is_sealed = sealed.is_some();
        *secret = sealed.unwrap_or_else(|| secret.clone());
        is_sealed
    }
}

fn cipher(key: &SecretKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(*key.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_0123456789";
    const HERE: SecretPlace = SecretPlace {
        kind: "secret",
        of: Uuid::nil(),
    };

    fn sealer(keys: Option<&[u8]>) -> SecretSealer {
        let ring = |keys: &[u8]| {
            let keys = keys.iter().map(|key| SecretKey::new([*key; 32]));
            Arc::new(KeyRing::new(keys.collect())) as _
        };
        SecretSealer::of(&Environment {
            secret_keys: keys.map(ring),
            ..Environment::default()
        })
    }

    #[test]
    fn a_secret_opens_by_its_key_at_its_place_alone() {
        let stored = sealer(Some(&[1, 2])).seal(SECRET, HERE).unwrap();
        let id = stored.key().unwrap();
        let unknown = || Err(Unopened::UnknownKey(id.clone()));
        let other_of = SecretPlace {
            of: Uuid::max(),
            ..HERE
        };
        let other_kind = SecretPlace {
            kind: "seed",
            ..HERE
        };
        for (keys, place, expected) in [
            (Some(&[1, 2][..]), HERE, Ok(SECRET)),
            (Some(&[3, 1]), HERE, Ok(SECRET)),
            (Some(&[1]), other_of, Err(Unopened::Damaged)),
            (Some(&[1]), other_kind, Err(Unopened::Damaged)),
            (Some(&[2, 3]), HERE, unknown()),
            (Some(&[]), HERE, unknown()),
            (None, HERE, unknown()),
        ] {
            let opened = sealer(keys).open(&stored, place);
            let opened = opened.map(|open| open.expose().to_owned());
            assert_eq!(opened, expected.map(str::to_owned), "{keys:?}");
        }
        for hidden in [
            format!("{stored:?}"),
            format!("{:?}", sealer(Some(&[1])).keys()),
        ] {
            assert!(
                !hidden.contains(SECRET) && !hidden.contains("0101"),
                "{hidden}"
            );
        }
    }

    #[test]
    fn no_byte_of_a_sealed_secret_can_be_altered_and_no_two_are_equal() {
        let sealer = sealer(Some(&[1]));
        let stored = sealer.seal(SECRET, HERE).unwrap();
        assert_ne!(sealer.seal(SECRET, HERE).unwrap(), stored);
        let begin = SEALED.len();
        for at in begin..stored.0.len() {
            for cut in [false, true] {
                let mut altered = stored.0.clone().into_bytes();
                match cut {
                    true => altered.truncate(at),
                    false => altered[at] = if altered[at] == b'A' { b'B' } else { b'A' },
                }
                let altered = Sealed(String::from_utf8(altered).unwrap());
                assert!(sealer.open(&altered, HERE).is_err(), "{at}, {cut}");
            }
        }
    }

    #[test]
    fn secrets_in_clear_are_read_and_sealed_when_there_is_a_key() {
        for secret in [SECRET, "", "sealed:1:00:", "clear:x"] {
            let mut stored = sealer(None).seal(secret, HERE).unwrap();
            assert_eq!(stored.key(), None);
            for (keys, is_changed) in [
                (None, false),
                (Some(&[][..]), false),
                (Some(&[1]), true),
                (Some(&[1, 2]), false),
                (Some(&[2, 1]), true),
                (Some(&[3]), false),
            ] {
                assert_eq!(
                    sealer(keys).reseal(&mut stored, HERE),
                    is_changed,
                    "{keys:?}"
                );
            }
            let opened = sealer(Some(&[2])).open(&stored, HERE).unwrap();
            assert_eq!(opened.expose(), secret);
        }
        // What an older program has stored, to the letter.
        assert_eq!(sealer(None).seal(SECRET, HERE).unwrap().0, SECRET);
        assert!(sealer(Some(&[])).seal(SECRET, HERE).is_err());
    }
}
