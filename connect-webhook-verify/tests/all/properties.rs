//! What holds for all headers, bodies, times and secrets.

use connect_webhook_verify::{MAX_TIMESTAMP, Secret, Verifier, VerifyError, sign};
use proptest::{collection::vec, prelude::*};

/// Texts that are secrets: not empty, no white space around.
fn secret() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 1..100).prop_filter("white space around", |text| {
        text.trim_ascii().len() == text.len()
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

/// Headers of the characters that matter, so that many come close to a good one.
fn header() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"t=".to_vec()),
        Just(b"v1=".to_vec()),
        Just(b"t=1700000000".to_vec()),
        "v1=[0-9a-f]{63,65}".prop_map(String::into_bytes),
        "[0-9+ -]{0,20}".prop_map(String::into_bytes),
        vec(any::<u8>(), 0..8),
    ];
    let end = prop_oneof![Just(b",".to_vec()), Just(b"=".to_vec()), Just(Vec::new())];
    vec((part, end), 0..10).prop_map(|parts| {
        parts
            .into_iter()
            .flat_map(|(part, end)| [part, end].concat())
            .collect()
    })
}

/// A part that is neither `t` nor `v1`.
const UNKNOWN: &str = "[a-su-z]x[^,=]{0,9}(=[^,]{0,9})?";

fn made(text: &[u8]) -> Secret {
    Secret::new(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(2000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_sign_makes_verify_takes(
        secrets in vec(secret(), 1..4), which in any::<prop::sample::Index>(),
        time in 0..=MAX_TIMESTAMP, off in -300_i64..=300, body in body(),
    ) {
        let secrets: Vec<_> = secrets.iter().map(|text| made(text)).collect();
        let one = which.get(&secrets).clone();
        let header = sign(&secrets, time, &body).to_string();
        let now = time.saturating_add_signed(off);
        let verified = Verifier::new(one).verify(&header, &body, now).unwrap();
        prop_assert_eq!(verified.timestamp, time);
        prop_assert_eq!(Verifier::new(&secrets).verify(&header, &body, now).unwrap().secret, 0);
    }

    #[test]
    fn any_changed_byte_of_the_body_is_refused(
        text in secret(), mut body in vec(any::<u8>(), 1..300), time in 0..=MAX_TIMESTAMP,
        place in any::<prop::sample::Index>(), change in 1..=u8::MAX,
    ) {
        let header = sign(&made(&text), time, &body).to_string();
        *place.get_mut(&mut body) ^= change;
        let refused = Verifier::new(made(&text)).verify(header, &body, time);
        prop_assert!(matches!(refused, Err(VerifyError::NoMatch { .. })), "{refused:?}");
    }

    #[test]
    fn a_body_made_shorter_or_longer_is_refused(
        text in secret(), body in body(), more in vec(any::<u8>(), 1..70),
        time in 0..=MAX_TIMESTAMP,
    ) {
        let long = [&body[..], &more].concat();
        for (signed, sent) in [(&body, &long), (&long, &body)] {
            let header = sign(&made(&text), time, signed).to_string();
            prop_assert!(Verifier::new(made(&text)).verify(header, sent, time).is_err());
        }
    }

    #[test]
    fn any_other_time_is_refused(
        text in secret(), body in body(), time in 300..MAX_TIMESTAMP - 300, off in -300_i64..=300,
    ) {
        prop_assume!(off != 0);
        let signature = made(&text).sign(time, &body);
        let header = format!("t={},v1={signature}", time.saturating_add_signed(off));
        let refused = Verifier::new(made(&text)).verify(header, &body, time);
        prop_assert!(matches!(refused, Err(VerifyError::NoMatch { .. })), "{refused:?}");
    }

    #[test]
    fn any_changed_byte_of_the_secret_is_refused(
        text in secret(), body in body(), time in 0..=MAX_TIMESTAMP,
        place in any::<prop::sample::Index>(), change in 1..=u8::MAX,
    ) {
        let header = sign(&made(&text), time, &body).to_string();
        let mut other = text;
        *place.get_mut(&mut other) ^= change;
        let Ok(other) = Secret::new(&other) else { return Ok(()) };
        let refused = Verifier::new(other).verify(header, &body, time);
        prop_assert!(matches!(refused, Err(VerifyError::NoMatch { .. })), "{refused:?}");
    }

    #[test]
    fn any_changed_byte_of_the_signature_is_refused(
        text in secret(), body in body(), time in 0..=MAX_TIMESTAMP,
        place in 0_usize..64, change in 1..=u8::MAX,
    ) {
        let mut header = sign(&made(&text), time, &body).to_string().into_bytes();
        let start = header.len() - 64;
        header[start + place] ^= change;
        prop_assert!(Verifier::new(made(&text)).verify(header, &body, time).is_err());
    }

    #[test]
    fn nothing_panics_and_nothing_unsigned_is_taken(
        header in header(), text in secret(), body in body(),
        now in prop_oneof![any::<u64>(), Just(1_700_000_000)],
    ) {
        let error = Verifier::new(made(&text)).verify(&header, &body, now).unwrap_err();
        prop_assert!([400, 401].contains(&error.status()));
        prop_assert!(!error.to_string().is_empty());
    }

    #[test]
    fn parts_around_a_good_header_change_nothing(
        before in vec(UNKNOWN, 0..4), after in vec(UNKNOWN, 0..4), body in body(), text in secret(),
    ) {
        let good = sign(&made(&text), 1, &body).to_string();
        let header = [before, vec![good], after].concat().join(",");
        prop_assert!(Verifier::new(made(&text)).verify(header, &body, 1).is_ok());
    }
}
