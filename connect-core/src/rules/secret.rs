//! Secrets: their creation and their protection.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::transaction::environment::Randomness;

/// The prefix of the tokens of shops.
pub(crate) const LIVE_TOKEN: &str = "ck_live_";
/// The prefix of the tokens of sandboxes.
pub(crate) const SANDBOX_TOKEN: &str = "ck_test_";
/// The prefix of the keys of screens.
pub(crate) const SCREEN_KEY: &str = "dk_";
/// The prefixes of all tokens and keys.
pub(crate) const PREFIXES: &[&str] = &[LIVE_TOKEN, SANDBOX_TOKEN, SCREEN_KEY];

/// The number of random characters in a secret.
const CHARACTERS: usize = 43;

/// A secret to be shown once.
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret itself, for its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Makes a secret of `prefix` and 43 random base62 characters (256 bits).
    pub(crate) fn new(prefix: &str, randomness: &dyn Randomness) -> Self {
        const ALPHABET: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut secret = prefix.to_owned();
        let mut left = CHARACTERS;
        let mut bytes = [0; 64];
        while left > 0 {
            randomness.fill(&mut bytes);
            // 248 is four times 62: larger bytes would make some characters likelier.
            for byte in bytes.iter().filter(|byte| **byte < 248).take(left) {
                secret.push(ALPHABET[usize::from(byte % 62)] as char);
                left -= 1;
            }
        }
        Self(secret)
    }

    /// The prefix, with four random characters to tell secrets apart.
    /// They give nothing away.
    pub(crate) fn beginning(&self, prefix: &str) -> String {
        self.0.chars().take(prefix.len() + 4).collect()
    }

    /// The digest of the secret, for storage.
    pub(crate) fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Returns true if a text looks like a secret with these prefixes.
pub(crate) fn has_form(text: &str, prefixes: &[&str]) -> bool {
    let mut random = prefixes
        .iter()
        .filter_map(|prefix| text.strip_prefix(prefix));
    random.any(|random| {
        random.len() == CHARACTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The digest of a presented secret.
/// The secrets have 256 random bits, so a plain digest is enough: they cannot be guessed.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::environment::SystemRandomness;

    #[test]
    fn secrets_have_their_form_and_stay_hidden() {
        let secret = Secret::new("ck_test_", &SystemRandomness);
        let random = secret.expose().strip_prefix("ck_test_").unwrap();
        assert_eq!(random.len(), 43);
        assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_ne!(Secret::new("ck_test_", &SystemRandomness), secret);
    }

    #[test]
    fn a_secret_has_a_prefix_and_43_characters() {
        let random = "a".repeat(43);
        let of = |prefix: &str, random: &str| format!("{prefix}{random}");
        for (text, is_one) in [
            (of("ck_test_", &random), true),
            (of("ck_live_", &random), true),
            (of("dk_", &random), false),
            (of("", &random), false),
            (of("ck_test_", &random[1..]), false),
            (of("ck_test_", &format!("{random}a")), false),
            (of("ck_test_", &format!("{}-", &random[1..])), false),
            (of("ck_test_", &format!("{}é", &random[2..])), false),
        ] {
            assert_eq!(has_form(&text, &["ck_live_", "ck_test_"]), is_one, "{text}");
        }
    }
}
