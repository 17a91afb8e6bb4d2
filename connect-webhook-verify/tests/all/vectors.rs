//! The cases that any verifier has to agree with.

use std::{collections::HashSet, process::Command, time::Duration};

use connect_webhook_verify::{Verified, Verifier, VerifyError};

use super::support::{Case, Expect, here, vectors};

fn outcome(case: &Case, verified: Result<Verified, VerifyError>) -> Expect {
    match verified {
        Ok(verified) => {
            let header = String::from_utf8_lossy(&case.header().unwrap()).into_owned();
            let time = format!("t={}", verified.timestamp);
            assert!(
                header.split(',').any(|part| part == time),
                "{}: {time}",
                case.name
            );
            Expect {
                status: 200,
                code: None,
                secret: Some(verified.secret),
            }
        }
        Err(error) => Expect {
            status: error.status(),
            code: Some(error.code().into()),
            secret: None,
        },
    }
}

#[test]
fn the_verifier_agrees_with_every_case() {
    for case in &vectors().cases {
        let verified = Verifier::new(case.secrets())
            .tolerance(Duration::from_secs(case.tolerance))
            .verify(case.header().unwrap_or_default(), case.body(), case.now);
        assert_eq!(
            outcome(case, verified),
            case.expect,
            "{}: {}",
            case.name,
            case.reason
        );
    }
}

#[cfg(feature = "http")]
#[test]
fn header_maps_agree_with_every_case_that_a_header_can_carry() {
    use connect_webhook_verify::http::SIGNATURE;
    use http::{HeaderMap, HeaderValue};

    let mut left_out = 0;
    for case in &vectors().cases {
        let mut headers = HeaderMap::new();
        if let Some(header) = case.header() {
            let Ok(value) = HeaderValue::from_bytes(&header) else {
                left_out += 1;
                continue;
            };
            headers.insert(SIGNATURE, value);
        }
        let verified = Verifier::new(case.secrets())
            .tolerance(Duration::from_secs(case.tolerance))
            .verify_headers(&headers, case.body(), case.now);
        assert_eq!(
            outcome(case, verified),
            case.expect,
            "{}: {}",
            case.name,
            case.reason
        );
    }
    assert_eq!(
        left_out, 5,
        "only line feeds and NULs are not fit for a header"
    );
}

#[test]
fn there_are_enough_cases_and_each_is_explained() {
    let vectors = vectors();
    assert_eq!(vectors.version, 1);
    assert!(vectors.cases.len() >= 200);
    let names: HashSet<_> = vectors.cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), vectors.cases.len());
    for case in &vectors.cases {
        assert!(
            case.reason.len() > 10 && case.reason.ends_with('.'),
            "{}",
            case.name
        );
    }
    assert!(vectors.cases.iter().any(|case| case.decided));
    for status in [200, 400, 401] {
        assert!(
            vectors
                .cases
                .iter()
                .filter(|case| case.expect.status == status)
                .count()
                > 50
        );
    }
}

#[test]
fn the_file_is_what_its_generator_writes() {
    let check = Command::new("python3")
        .arg(here("vectors/generate.py"))
        .arg("--check")
        .output();
    match check {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Err(error) => println!("left out, there is no python3 here: {error}"),
    }
}
