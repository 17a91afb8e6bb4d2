//! Passwords of owners: the form they must have, and how they are kept.

use std::sync::LazyLock;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};

use super::secret::Secret;
use crate::{
    environment::{Randomness, SystemRandomness},
    record::{Fault, PasswordHash},
    wire::read::Invalid,
};

/// The fewest characters of a password.
pub const MIN_PASSWORD: usize = 10;
/// The most characters of a password.
pub const MAX_PASSWORD: usize = 200;

/// Hashes a password by Argon2id with a salt of its own. Takes some 30 ms and 19 MiB of memory.
pub(crate) fn hash(password: &str, randomness: &dyn Randomness) -> Result<PasswordHash, Fault> {
    let mut salt = [0; 16];
    randomness.fill(&mut salt);
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
    let hash = hash.map_err(|error| Fault::Hashing(error.to_string()))?;
    Ok(PasswordHash(hash.to_string()))
}

/// Returns whether this is the hash of a password. Costs what [`hash`] does.
pub(crate) fn is_hash_of(hash: &PasswordHash, password: &str) -> bool {
    let verified = Argon2::default().verify_password(password.as_bytes(), &*hash.0);
    verified.is_ok()
}

/// Returns the hash of a password that nobody knows. Who signs in with an address that has none waits
/// for the refusal as long as somebody with a wrong password, so the time tells nothing.
pub(crate) fn of_nobody() -> PasswordHash {
    static NOBODY: LazyLock<PasswordHash> = LazyLock::new(|| {
        let random = Secret::new("", &SystemRandomness);
        let hash = hash(random.expose(), &SystemRandomness);
        hash.unwrap_or_else(|_| PasswordHash(String::new()))
    });
    NOBODY.clone()
}

/// Checks a password that somebody chose. Its characters are free: length is what makes a password
/// hard to guess.
pub(crate) fn check(password: &str, email: &str) -> Result<(), Invalid> {
    let characters = password.chars().count();
    let problem = if characters < MIN_PASSWORD {
        format!("must have at least {MIN_PASSWORD} characters")
    } else if characters > MAX_PASSWORD {
        format!("must have at most {MAX_PASSWORD} characters")
    } else if password.eq_ignore_ascii_case(email) {
        "must not be the e-mail address".to_owned()
    } else if password
        .chars()
        .skip(1)
        .eq(password.chars().take(characters - 1))
    {
        "must not be one character repeated".to_owned()
    } else {
        return Ok(());
    };
    Err(Invalid::new("password", problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_of_one_password_and_shows_nothing() {
        let stored = hash("correct horse", &SystemRandomness).unwrap();
        assert!(is_hash_of(&stored, "correct horse"));
        for other in ["correct horse ", "Correct horse", ""] {
            assert!(!is_hash_of(&stored, other), "{other:?}");
        }
        assert_eq!(format!("{stored:?}"), "PasswordHash(..)");
        assert!(stored.0.starts_with("$argon2id$"), "{}", stored.0);
        let again = hash("correct horse", &SystemRandomness).unwrap();
        assert_ne!(stored, again, "each has a salt of its own");
    }

    #[test]
    fn nobody_has_a_hash_like_everybody() {
        assert!(of_nobody().0.starts_with("$argon2id$"));
        assert!(!is_hash_of(&of_nobody(), ""));
    }

    #[test]
    fn passwords_are_long_enough() {
        let longest = "ab".repeat(100);
        let too_long = format!("{longest}c");
        for (password, problem) in [
            ("", Some("at least 10")),
            ("123456789", Some("at least 10")),
            ("1234567890", None),
            ("ééééééééée", None),
            ("éééééééééé", Some("repeated")),
            (&longest, None),
            (&too_long, Some("at most 200")),
            ("Noor@Rye.example", Some("e-mail address")),
            ("noor@rye.example2", None),
        ] {
            let found = check(password, "noor@rye.example").err();
            let found = found.map(|invalid| invalid.problem);
            match (problem, found) {
                (None, None) => {}
                (Some(problem), Some(found)) => assert!(found.contains(problem), "{found}"),
                other => panic!("{password}: {other:?}"),
            }
        }
    }
}
