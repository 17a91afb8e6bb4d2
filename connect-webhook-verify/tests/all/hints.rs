//! Guesses at why an honest delivery did not match.

use connect_webhook_verify::{Hint, Secret, Verifier, sign};

use super::support::{NOW, secret};

const SENT: &str = r#"{"id":"evt_1","type":"ping","createdAt":"2026-11-21T09:00:00Z"}"#;

fn hint(body: &str) -> Option<Hint> {
    let header = sign(&secret(), NOW, SENT).to_string();
    Verifier::new(secret())
        .verify(header, body, NOW)
        .unwrap_err()
        .hint()
}

#[test]
fn a_body_that_was_parsed_and_printed_again_is_recognised() {
    let value: serde_json::Value = serde_json::from_str(SENT).unwrap();
    for body in [
        // Python's json.dumps, with and without indent; a map that sorts its keys.
        r#"{"id": "evt_1", "type": "ping", "createdAt": "2026-11-21T09:00:00Z"}"#,
        "{\n    \"id\": \"evt_1\"}",
        "{\r\n\"id\":\"evt_1\"}",
        "{ \"id\":\"evt_1\"}",
        &serde_json::to_string_pretty(&value).unwrap(),
        r#"{"createdAt":"2026-11-21T09:00:00Z","id":"evt_1","type":"ping"}"#,
    ] {
        assert_eq!(hint(body), Some(Hint::PrintedAgain), "{body}");
    }
}

#[test]
fn a_body_that_is_a_printed_object_is_recognised() {
    let quoted = serde_json::to_string(SENT).unwrap();
    for body in ["[object Object]", "{'id': 'evt_1'}", "Array\n(\n", &quoted] {
        assert_eq!(hint(body), Some(Hint::PrintedObject), "{body}");
    }
}

#[test]
fn a_body_that_was_read_before_is_recognised() {
    assert_eq!(hint(""), Some(Hint::EmptyBody));
}

#[test]
fn a_body_as_the_service_prints_it_gives_no_hint() {
    assert_eq!(hint(&SENT.replace("evt_1", "evt_2")), None);
    assert_eq!(hint("{}"), None);
    assert_eq!(hint("[]"), None);
}

#[test]
fn a_secret_without_its_prefix_is_recognised() {
    let header = sign(&secret(), NOW, SENT).to_string();
    let bare = Secret::new("test_secret").unwrap();
    let error = Verifier::new([secret(), bare.clone()])
        .verify(&header, "{}", NOW)
        .unwrap_err();
    assert_eq!(error.hint(), Some(Hint::NoPrefix));
    assert!(
        Verifier::new([secret(), bare])
            .verify(&header, SENT, NOW)
            .is_ok()
    );
}

#[test]
fn the_text_of_the_error_holds_the_hint() {
    let header = sign(&secret(), NOW, SENT).to_string();
    let error = Verifier::new(secret())
        .verify(header, "{ }", NOW)
        .unwrap_err();
    assert!(
        error.to_string().contains("parsed and printed again"),
        "{error}"
    );
}
