//! Passwords of owners: their rules and their hashing.

use std::sync::LazyLock;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use zxcvbn::{Score, zxcvbn};

use super::secret::Secret;
use crate::{
    transaction::{
        Account, Fault, PasswordHash,
        environment::{Randomness, SystemRandomness},
    },
    wire::read::Invalid,
};

/// The fewest characters of a password.
pub const MIN_PASSWORD: usize = 10;
/// The most characters of a password.
pub const MAX_PASSWORD: usize = 200;

/// The number of leading characters to judge for strength.
/// `zxcvbn` tries all combinations of letters for signs such as `4` and `@`. This takes a quarter of a
/// second for 40 characters at worst, and one and a half for 100. Three or four words have fewer characters.
const JUDGED: usize = 40;

/// Hashes a password by Argon2id with a salt of its own.
/// Takes some 30 ms and 19 MiB of memory.
pub(crate) fn hash(password: &str, randomness: &dyn Randomness) -> Result<PasswordHash, Fault> {
    let mut salt = [0; 16];
    randomness.fill(&mut salt);
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
    let hash = hash.map_err(|error| Fault::Hashing(error.to_string()))?;
    Ok(PasswordHash(hash.to_string()))
}

/// Returns true if this is the hash of a password.
/// Costs as much as [`hash`].
pub(crate) fn is_hash_of(hash: &PasswordHash, password: &str) -> bool {
    let verified = Argon2::default().verify_password(password.as_bytes(), &*hash.0);
    verified.is_ok()
}

/// Hashes a password again, if new hashes have other parameters.
/// They rise over the years.
pub(crate) fn rehashed(
    hash: &PasswordHash,
    password: &str,
    randomness: &dyn Randomness,
) -> Option<PasswordHash> {
    let is_current = parameters(hash) == parameters(&of_nobody());
    let again = || self::hash(password, randomness).ok();
    (!is_current).then(again).flatten()
}

/// The algorithm, version and parameters of a hash: `argon2id$v=19$m=19456,t=2,p=1`.
fn parameters(hash: &PasswordHash) -> Vec<&str> {
    hash.0.split('$').take(4).collect()
}

/// Returns the hash of an unknown password.
/// A sign-in with an unknown e-mail address takes as long as one with a wrong password, so the time reveals
/// nothing.
pub(crate) fn of_nobody() -> PasswordHash {
    static DUMMY_HASH: LazyLock<PasswordHash> = LazyLock::new(|| {
        let random = Secret::new("", &SystemRandomness);
        let hash = hash(random.expose(), &SystemRandomness);
        hash.unwrap_or_else(|_| PasswordHash(String::new()))
    });
    DUMMY_HASH.clone()
}

/// Checks the length and the strength of an owner's password.
/// All characters are allowed. The strength is the number of guesses to find it, beginning with common
/// passwords, words, dates, rows of keys, and the names of the shop.
///
/// The refusal names only the kind of successful guess, nothing else of the password. May take half a second.
pub(crate) fn check(password: &str, account: &Account) -> Result<(), Invalid> {
    let characters = password.chars().count();
    let problem = if characters < MIN_PASSWORD {
        format!("must have at least {MIN_PASSWORD} characters")
    } else if characters > MAX_PASSWORD {
        format!("must have at most {MAX_PASSWORD} characters")
    } else if is_weak(password, &[]) {
        "is easy to guess: a common password, or a word, a date or a row of keys with little \
         around it; choose three or four unrelated words"
            .to_owned()
    } else if is_made_of(password, &names(account)) {
        "is easy to guess from the names of your business, its locations or its people; \
         choose three or four words unrelated to them"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(Invalid::new("password", problem))
}

/// Returns whether 100 million guesses find a password's judged part.
/// `names` are tried among the first guesses.
fn is_weak(password: &str, names: &[String]) -> bool {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    zxcvbn(judged(password), &names).score() < Score::Three
}

/// Returns the judged part of a password.
fn judged(password: &str) -> &str {
    let end = password.char_indices().nth(JUDGED);
    end.map_or(password, |(end, _)| &password[..end])
}

/// Returns true if a password is easy to guess from these names.
fn is_made_of(password: &str, names: &[String]) -> bool {
    let mut rest = password.to_lowercase();
    for name in names {
        rest = rest.replace(&**name, "");
    }
    let left = rest.chars().filter(|c| c.is_alphanumeric()).count();
    left < 4 || is_weak(password, names)
}

/// The names of an account: each unchanged, in one word, and its parts.
fn names(account: &Account) -> Vec<String> {
    let locations = account.locations.iter().map(|location| &location.name);
    let people = account
        .users
        .iter()
        .flat_map(|user| [&user.name, &user.email]);
    let all = locations.chain([&account.name]).chain(people);
    let mut names = Vec::new();
    for name in all {
        let name = name.to_lowercase();
        let parts: Vec<_> = name.split(|c: char| !c.is_alphanumeric()).collect();
        names.push(parts.concat());
        names.extend(parts.into_iter().map(str::to_owned));
        names.extend(name.split('@').map(str::to_owned));
        names.push(name);
    }
    // Shorter ones are in many passwords.
    names.retain(|name| name.len() > 2);
    names
}

#[cfg(test)]
mod tests {
    use argon2::{Algorithm, Params, Version};
    use uuid::Uuid;

    use super::*;
    use crate::{
        transaction::{AccountLocation, User},
        wire::VatRate,
    };

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
    fn a_hash_with_lower_parameters_is_made_again() {
        let params = Params::new(8, 1, 1, None).unwrap();
        let low = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let low = low.hash_password_with_salt(b"correct horse", &[7; 16]);
        let low = PasswordHash(low.unwrap().to_string());
        assert!(is_hash_of(&low, "correct horse"));
        let again = rehashed(&low, "correct horse", &SystemRandomness).unwrap();
        assert!(is_hash_of(&again, "correct horse"));
        assert_eq!(rehashed(&again, "correct horse", &SystemRandomness), None);
    }

    #[test]
    fn nobody_has_a_hash_like_everybody() {
        assert!(of_nobody().0.starts_with("$argon2id$"));
        assert!(!is_hash_of(&of_nobody(), ""));
    }

    fn shop() -> Account {
        let location = |name: &str| AccountLocation {
            id: Uuid::nil().into(),
            name: name.to_owned(),
            currency: "EUR".to_owned(),
            default_vat_rate: VatRate::percent(9),
        };
        Account {
            id: Uuid::nil().into(),
            name: "De Korenbloem".to_owned(),
            sandbox: false,
            locations: vec![location("Korenbloem Market Square"), location("IJmuiden")],
            screens: Vec::new(),
            users: vec![User::owner(
                Uuid::nil().into(),
                "Noor.Verhage@rye-and-co.example".to_owned(),
            )],
            requires_second_factor: false,
            erasures: Vec::new(),
            retention: crate::transaction::Retention::default(),
        }
    }

    /// Once, a password of 200 characters took 1.5 seconds.
    #[test]
    fn only_the_beginning_is_judged() {
        for (password, judged_part) in [
            ("é".repeat(MAX_PASSWORD), "é".repeat(JUDGED)),
            ("a".repeat(JUDGED), "a".repeat(JUDGED)),
            ("rye".to_owned(), "rye".to_owned()),
        ] {
            assert_eq!(judged(&password), judged_part);
        }
    }

    #[test]
    fn passwords_are_refused_that_are_guessed_soon() {
        let longest = "oats millet ".repeat(16) + "rye oats";
        let weak_at_first = "a".repeat(JUDGED) + "x7Gh2kLq9a";
        let too_long = format!("{longest}!");
        let shop = shop();
        for (password, problem) in [
            ("", Some("at least 10")),
            ("123456789", Some("at least 10")),
            (&too_long, Some("at most 200")),
            ("1234567890", Some("common")),
            ("qwertyuiop", Some("common")),
            ("Password123!", Some("common")),
            ("P@ssw0rd123", Some("common")),
            ("administrator", Some("common")),
            ("iloveyou12", Some("common")),
            ("Welcome2024!", Some("common")),
            ("1q2w3e4r5t", Some("common")),
            ("abcabcabca", Some("common")),
            ("summerholiday", Some("common")),
            (&weak_at_first, Some("common")),
            ("éééééééééé", Some("common")),
            ("De Korenbloem", Some("names of your business")),
            ("dekorenbloem", Some("names of your business")),
            ("K0renbloem2026!", Some("names of your business")),
            ("korenbloem-ijmuiden", Some("names of your business")),
            ("noor.verhage", Some("names of your business")),
            ("noorverhage1", Some("names of your business")),
            ("rye-and-co.example", Some("names of your business")),
            (
                "korenbloemijmuidenmarketx7G",
                Some("names of your business"),
            ),
            ("korenbloemijmuidenmarketx7Gh", None),
            ("co!de?co7Gq.de", None),
            (
                "NOOR.VERHAGE@rye-and-co.example",
                Some("names of your business"),
            ),
            ("x7Gh2kLq9a", None),
            ("correct horse", None),
            ("rye and spelt", None),
            ("drie vier brood maan", None),
            ("ñandú über œuvre", None),
            (&longest, None),
        ] {
            let found = check(password, &shop).err();
            let found = found.map(|invalid| invalid.problem);
            match (problem, found) {
                (None, None) => {}
                (Some(problem), Some(found)) => {
                    assert!(found.contains(problem), "{password}: {found}");
                    let says = password.len() > 2 && found.contains(password);
                    assert!(!says, "{found}");
                }
                other => panic!("{password}: {other:?}"),
            }
        }
    }
}
