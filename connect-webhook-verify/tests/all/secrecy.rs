//! The secret shows up nowhere.

use connect_webhook_verify::{Secret, SecretError, Verifier, sign};

use super::support::NOW;

const TEXT: &str = "whsec_ThisShallNeverBeSeenThisShallNeverBeSeenT";

/// That a text holds no eight characters in a row of the secret, nor its bytes as a debugger or a
/// hexadecimal dump would print them.
fn holds_nothing(text: &str) {
    for piece in TEXT.as_bytes().windows(8) {
        let plain = std::str::from_utf8(piece).unwrap();
        let list = format!("{piece:?}");
        for form in [plain, &hex::encode(piece), list.trim_matches(['[', ']'])] {
            assert!(!text.contains(form), "{form} in {text}");
        }
    }
}

#[test]
fn debug_and_errors_do_not_show_it() {
    let secret = Secret::new(TEXT).unwrap();
    let verifier = Verifier::new([secret.clone(), secret.clone()]);
    holds_nothing(&format!("{secret:?} {secret:#?}"));
    holds_nothing(&format!("{verifier:?} {verifier:#?}"));
    holds_nothing(&format!("{:?}", sign(&secret, NOW, "{}")));
    assert_eq!(format!("{secret:?}"), "Secret(..)");

    let good = sign(&secret, NOW, "{}").to_string();
    for (header, now) in [
        ("", NOW),
        ("t=1,v1=", 1),
        (&good, 0),
        (&good, NOW),
        (TEXT, NOW),
    ] {
        let error = verifier.verify(header, TEXT, now).unwrap_err();
        holds_nothing(&format!("{error} {error:?} {error:#?} {:?}", error.hint()));
    }
}

#[test]
fn an_error_does_not_show_the_signature_that_would_have_been_right() {
    let secret = Secret::new(TEXT).unwrap();
    let right = secret.sign(NOW, "{}").to_string();
    let error = Verifier::new(secret)
        .verify(format!("t={NOW},v1={right}x"), "{}", NOW)
        .unwrap_err();
    assert!(!format!("{error} {error:?}").contains(&right[..4]));
}

#[test]
fn a_text_that_is_no_secret_is_refused_without_repeating_it() {
    assert_eq!(Secret::new("").unwrap_err(), SecretError::Empty);
    for text in [
        format!("{TEXT}\n"),
        format!(" {TEXT}"),
        format!("{TEXT}\r\n"),
        "\t".into(),
    ] {
        let error = Secret::new(&text).unwrap_err();
        assert_eq!(error, SecretError::Whitespace);
        holds_nothing(&format!("{error} {error:?}"));
    }
    assert!(TEXT.parse::<Secret>().is_ok());
}

#[cfg(feature = "receiver")]
#[test]
fn a_receiver_does_not_show_it() {
    use connect_webhook_verify::receiver::Receiver;
    let receiver = Receiver::new(&Verifier::new(Secret::new(TEXT).unwrap()));
    holds_nothing(&format!("{receiver:?} {receiver:#?}"));
}
