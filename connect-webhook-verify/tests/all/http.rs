//! Header maps, with several lines.
#![cfg(feature = "http")]

use connect_webhook_verify::{Verifier, VerifyError, http::SIGNATURE, sign};
use http::{HeaderMap, HeaderValue};

use super::support::{NOW, secret};

fn verify(lines: &[&str]) -> Result<usize, VerifyError> {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(SIGNATURE, HeaderValue::from_str(line).unwrap());
    }
    headers.insert("service-event-id", HeaderValue::from_static("evt_1"));
    let verified = Verifier::new(secret()).verify_headers(&headers, "{}", NOW);
    verified.map(|verified| verified.secret)
}

#[test]
fn several_lines_are_one_header() {
    let right = format!("v1={}", secret().sign(NOW, "{}"));
    let wrong = format!("v1={}", "0".repeat(64));
    let time = format!("t={NOW}");

    assert_eq!(verify(&[&time, &right]), Ok(0));
    assert_eq!(verify(&[&right, &time]), Ok(0));
    assert_eq!(verify(&[&time, &wrong, "", "x", &right]), Ok(0));
    assert_eq!(
        verify(&[&time, &wrong]),
        Err(VerifyError::NoMatch { hint: None })
    );
    assert_eq!(
        verify(&[&time, &time, &right]),
        Err(VerifyError::RepeatedTimestamp)
    );
    assert_eq!(verify(&[&time]), Err(VerifyError::MissingSignature));
    assert_eq!(verify(&[&right]), Err(VerifyError::MissingTimestamp));
    assert_eq!(verify(&["", ""]), Err(VerifyError::MissingHeader));
    assert_eq!(verify(&[]), Err(VerifyError::MissingHeader));
}

#[test]
fn a_line_end_parts_as_a_comma_does_and_joins_nothing() {
    let signature = secret().sign(NOW, "{}").to_string();
    let (start, end) = signature.split_at(32);
    let lines = [&format!("t={NOW},v1={start}"), end];
    assert_eq!(verify(&lines), Err(VerifyError::NoMatch { hint: None }));
}

#[test]
fn signatures_beyond_sixteen_count_on_any_line() {
    let right = format!("v1={}", secret().sign(NOW, "{}"));
    let wrong = format!("v1={}", "0".repeat(64));
    let time = format!("t={NOW}");
    for place in 0..40 {
        let mut lines = vec![wrong.as_str(); 40];
        lines[place] = &right;
        lines.insert(place / 2, &time);
        assert_eq!(verify(&lines), Ok(0), "line {place}");
    }
}

#[test]
fn a_signed_header_becomes_a_header_value() {
    let value = HeaderValue::from(sign(&[secret(), secret()], NOW, "{}"));
    assert_eq!(verify(&[value.to_str().unwrap()]), Ok(0));
}

#[test]
fn the_system_clock_serves_where_none_is_given() {
    let now = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_secs();
    let headers = |time| HeaderMap::from_iter([(SIGNATURE, sign(&secret(), time, "{}").into())]);
    let verifier = Verifier::new(secret());
    assert!(verifier.verify_headers_now(&headers(now), "{}").is_ok());
    assert!(
        verifier
            .verify_headers_now(&headers(now - 400), "{}")
            .is_err()
    );
}
