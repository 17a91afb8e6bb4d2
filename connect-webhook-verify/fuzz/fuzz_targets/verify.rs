//! Fuzzes the verifier with any header, body and time.
//!
//! Nothing may panic, nothing unsigned may be taken, and text in the header beside a true signature may not
//! change the outcome.
#![no_main]

use std::sync::LazyLock;

use connect_webhook_verify::{MAX_TIMESTAMP, Secret, Verifier, VerifyError, http::SIGNATURE, sign};
use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;

/// A verifier with two secrets unknown to the fuzzer.
static VERIFIER: LazyLock<Verifier<[Secret; 2]>> = LazyLock::new(|| {
    Verifier::new(["whsec_fuzz_new", "whsec_fuzz_old"].map(|text| Secret::new(text).unwrap()))
});
static OLD: LazyLock<Secret> = LazyLock::new(|| Secret::new("whsec_fuzz_old").unwrap());

fuzz_target!(|input: (u64, u16, &[u8], &[u8])| {
    let (clock, small, header, body) = input;
    // Half of the clocks are near 1970, where a fuzzer finds timestamps within the tolerance.
    let now = if clock % 2 == 0 {
        u64::from(small)
    } else {
        clock
    };

    let refused = VERIFIER.verify(header, body, now).unwrap_err();
    assert!(matches!(refused.status(), 400 | 401));
    assert!(!refused.to_string().is_empty());
    assert!(!format!("{refused:?}").contains("whsec_fuzz"));

    // The same header over the lines of a header map comes to the same.
    let mut headers = HeaderMap::new();
    let lines: Result<Vec<_>, _> = header
        .split(|&byte| byte == b',')
        .map(HeaderValue::from_bytes)
        .collect();
    if let Ok(lines) = lines {
        for line in lines {
            headers.append(SIGNATURE, line);
        }
        let by_map = VERIFIER.verify_headers(&headers, body, now);
        // A header of commas alone is not empty, but all of its lines are.
        if by_map != Err(VerifyError::MissingHeader) {
            assert_eq!(by_map, Err(refused));
        }
    }

    // A signed body is taken with any text around its signature, unless the text has a time as well.
    let time = now.min(MAX_TIMESTAMP);
    let mut signed = sign(&*OLD, time, body).to_string().into_bytes();
    signed.push(b',');
    signed.extend(header);
    match VERIFIER.verify(&signed, body, time) {
        Ok(verified) => assert_eq!((verified.secret, verified.timestamp), (1, time)),
        Err(error) => {
            assert_eq!(error, VerifyError::RepeatedTimestamp);
            assert!(
                header
                    .split(|&byte| byte == b',')
                    .any(|part| part.starts_with(b"t="))
            );
        }
    }
});
