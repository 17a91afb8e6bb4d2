//! What an error says.

use std::time::Duration;

use connect_webhook_verify::{Secret, Verifier, VerifyError, sign};

use super::support::{NOW, secret};

#[test]
fn each_error_tells_a_developer_what_is_wrong() {
    let signed = sign(&secret(), NOW, "{}").to_string();
    let late = NOW + 301;
    for (header, now, status, text) in [
        ("", NOW, 400, "missing or empty"),
        ("v1=00", NOW, 400, "no t="),
        ("t=1,t=1", NOW, 400, "more than one t="),
        ("t=-1", NOW, 400, "1 to 15 digits"),
        ("t=1", NOW, 400, "no v1="),
        (&signed, late, 401, "301 s before the receiver's clock"),
        (&signed, NOW - 301, 401, "301 s after the receiver's clock"),
    ] {
        let error = Verifier::new(secret())
            .verify(header, "{}", now)
            .unwrap_err();
        assert_eq!(error.status(), status, "{header}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let none: [Secret; 0] = [];
    let error = Verifier::new(none).verify(&signed, "{}", NOW).unwrap_err();
    assert_eq!(error, VerifyError::NoSecret);
    assert!(error.to_string().contains("no secret is configured"));
}

#[test]
fn a_forger_learns_nothing_about_how_close_a_guess_came() {
    let right = secret().sign(NOW, "{}").to_string();
    let zero = "0".repeat(64);
    let errors = [
        zero.clone(),
        format!("{}0", &right[..63]),
        right[..63].to_owned(),
        right.to_uppercase(),
        String::new(),
        format!("{zero},v1={}{}", &right[..32], &zero[..32]),
    ]
    .map(|guess| Verifier::new(secret()).verify(format!("t={NOW},v1={guess}"), "{}", NOW));
    for error in errors {
        assert_eq!(error, Err(VerifyError::NoMatch { hint: None }));
    }
}

#[test]
fn the_tolerance_counts_whole_seconds_and_may_be_any_length() {
    let header = sign(&secret(), 0, "{}").to_string();
    let verify = |tolerance, now| {
        Verifier::new(secret())
            .tolerance(tolerance)
            .verify(&header, "{}", now)
            .is_ok()
    };
    assert!(verify(Duration::from_millis(1999), 1));
    assert!(!verify(Duration::from_millis(1999), 2));
    assert!(verify(Duration::MAX, u64::MAX));
    assert!(!verify(Duration::from_secs(u64::MAX - 1), u64::MAX));
}

#[cfg(feature = "std")]
#[test]
fn the_system_clock_serves_where_none_is_given() {
    let now = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_secs();
    let verifier = Verifier::new(secret());
    let header = |time| sign(&secret(), time, "{}").to_string();
    assert!(verifier.verify_now(header(now), "{}").is_ok());
    let old = verifier.verify_now(header(now - 400), "{}").unwrap_err();
    assert!(
        matches!(old, VerifyError::TooOld { seconds: 400..500 }),
        "{old:?}"
    );
    let new = verifier.verify_now(header(now + 400), "{}").unwrap_err();
    assert!(
        matches!(new, VerifyError::TooNew { seconds: 300..=400 }),
        "{new:?}"
    );
}

#[cfg(feature = "json")]
#[test]
fn json_is_read_only_once_the_signature_holds() {
    use connect_webhook_verify::json::JsonError;

    #[derive(serde::Deserialize, Debug)]
    struct Event<'a> {
        id: &'a str,
    }
    let verify =
        |header: String, body| Verifier::new(secret()).verify_json::<Event<'_>>(header, body, NOW);
    let signed = |body: &[u8]| sign(&secret(), NOW, body).to_string();

    let (event, verified) = verify(signed(b"{\"id\":\"evt_1\"}"), b"{\"id\":\"evt_1\"}").unwrap();
    assert_eq!((event.id, verified.secret), ("evt_1", 0));

    let error = verify(signed(b"{"), b"{").unwrap_err();
    assert!(matches!(error, JsonError::Json(_)), "{error:?}");
    assert_eq!(error.status(), 400);

    // Neither signed nor JSON: it is the signature that is reported.
    let error = verify(signed(b"{}"), b"{").unwrap_err();
    assert!(
        matches!(error, JsonError::Verify(VerifyError::NoMatch { .. })),
        "{error:?}"
    );
    assert_eq!(error.status(), 401);
}
