//! Codes of a second factor: those of authenticator apps (TOTP, RFC 6238), and recovery codes.

use totp_rs::{Builder, Secret as Seed, Totp};

use super::secret::{self, Secret};
use crate::{transaction::environment::Randomness, wire::Timestamp};

/// The number of recovery codes made at a time.
pub(crate) const RECOVERY_CODES: usize = 10;

/// The characters of a recovery code: 80 random bits.
/// Its digest gives nothing away.
const RECOVERY_LEN: usize = 16;

/// The letters and digits of recovery codes, without look-alikes.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Makes a seed of 160 bits, in base32.
pub(crate) fn new_seed(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 20];
    randomness.fill(&mut bytes);
    Seed::from(bytes).to_base32()
}

/// The time step of a code; `None` for a wrong code.
/// It is one step around `now` at most.
/// Spaces in the code are left out.
pub(crate) fn step_of(seed: &str, code: &str, now: Timestamp) -> Option<u64> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let seconds = u64::try_from(now.micros() / 1_000_000).ok()?;
    of_seed(seed)?.build().ok()?.check(&code, seconds)
}

/// The address with a seed, for the QR code of an app.
pub(crate) fn app_url(seed: &str, business: &str, email: &str) -> Option<String> {
    // A colon separates the two.
    let [business, email] = [business, email].map(|part| part.replace(':', " "));
    let totp: Totp = of_seed(seed)?
        .with_issuer(Some(business))
        .with_account_name(email)
        .build()
        .ok()?;
    totp.to_url().ok()
}

/// Six digits of 30 seconds, valid one step either way.
/// Every app can do it.
fn of_seed(seed: &str) -> Option<Builder> {
    let seed = Seed::try_from_base32(seed).ok()?;
    Some(Builder::new().with_secret(seed))
}

/// Makes recovery codes, such as `abcd-efgh-ijkm-npqr`.
pub(crate) fn recovery_codes(randomness: &dyn Randomness) -> Vec<Secret> {
    let code = |_| {
        let mut bytes = [0; RECOVERY_LEN];
        randomness.fill(&mut bytes);
        let letters = bytes.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        let parts: Vec<String> = letters
            .chunks(4)
            .map(|part| part.iter().collect())
            .collect();
        Secret::from(parts.join("-"))
    };
    (0..RECOVERY_CODES).map(code).collect()
}

/// The digest of a typed recovery code, in hexadecimal.
/// `None` if it has not the form of one.
pub(crate) fn recovery_digest(typed: &str) -> Option<String> {
    let code: String = typed
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    (code.len() == RECOVERY_LEN).then(|| hex::encode(secret::digest(&code)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::environment::SystemRandomness;

    /// The codes of RFC 6238, of six digits.
    #[test]
    fn a_code_is_of_its_step_and_of_one_either_way() {
        let seed = Seed::from(*b"12345678901234567890").to_base32();
        for (seconds, code, step) in [
            (59, "287082", Some(1)),
            (59, "287 082", Some(1)),
            (29, "287082", Some(1)),
            (30, "287082", Some(1)),
            (89, "287082", Some(1)),
            (90, "287082", None),
            (1_111_111_109, "081804", Some(37_037_036)),
            (59, "287083", None),
            (59, "", None),
            (59, "94287082", None),
            (59, "２８７０８２", None),
            (-59, "287082", None),
        ] {
            let now = Timestamp::EPOCH.plus_seconds(seconds);
            assert_eq!(step_of(&seed, code, now), step, "{code} at {seconds}");
        }
        assert_eq!(step_of("not base32!", "287082", Timestamp::EPOCH), None);
    }

    #[test]
    fn an_app_gets_the_seed_with_the_names() {
        let seed = new_seed(&SystemRandomness);
        assert_eq!(seed.len(), 32);
        let url = app_url(&seed, "Rye: & co", "noor@rye.example").unwrap();
        let begin = "otpauth://totp/Rye%20%20%26%20co:noor%40rye.example?";
        assert!(url.starts_with(begin), "{url}");
        assert!(url.contains(&format!("secret={seed}")), "{url}");
    }

    #[test]
    fn a_recovery_code_is_read_however_it_is_typed() {
        let codes = recovery_codes(&SystemRandomness);
        let digests: std::collections::BTreeSet<_> = codes
            .iter()
            .map(|code| recovery_digest(code.expose()).unwrap())
            .collect();
        assert_eq!(digests.len(), RECOVERY_CODES);
        let digest = recovery_digest("abcd-efgh-ijkm-npqr");
        for typed in [
            "ABCD EFGH IJKM NPQR",
            "abcdefghijkmnpqr",
            " abcd-efghijkmnpqr\n",
        ] {
            assert_eq!(recovery_digest(typed), digest, "{typed}");
        }
        for typed in ["", "123456", "abcd-efgh-ijkm-npq", "abcd-efgh-ijkm-npqrs"] {
            assert_eq!(recovery_digest(typed), None, "{typed}");
        }
    }
}
