//! One body, each verifier with its own scheme, one after the other in short turns.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`

// The floor and the way of measuring are those of the crate's own benchmark.
#[path = "../../verify/floor.rs"]
mod floor;
#[path = "../../verify/turns.rs"]
mod turns;

use std::{hint::black_box, time::SystemTime};

use connect_webhook_verify::{Secret, Verifier, sign};
use http::{HeaderMap, HeaderValue};
use turns::Contest;

const OURS: &str = "whsec_NewNewNewNewNewNewNewNewNewNewNewNewNewNewNewN";
/// The same scheme of secret for the peers, who decode it from base64.
const PEERS: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

fn main() {
    for size in [100, 1_000, 10_000] {
        compare(size);
    }
}

fn compare(size: usize) {
    // The peers only know the system clock and take five minutes, far more than this takes.
    let now = SystemTime::UNIX_EPOCH
        .elapsed()
        .expect("a clock after 1970")
        .as_secs();
    let mut body = br#"{"id":"evt_1","type":"ping","data":""#.to_vec();
    body.resize(size - 2, b'x');
    body.extend(b"\"}");

    let secret = Secret::new(OURS).expect("a secret");
    let header = sign(&secret, now, &body).to_string();
    let forged = format!("t={now},v1={}", "0".repeat(64));
    let ours = Verifier::new(secret);

    let standard = standardwebhooks::Webhook::new(PEERS).expect("a secret");
    let svix = svix::webhooks::Webhook::new(PEERS).expect("a secret");
    let signature = standard.sign("msg_1", now as i64, &body).expect("UTF-8");
    let headers = headers("webhook", now, &signature);
    let wrong = headers_with(&headers, "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");

    // Each says what it should before it is measured.
    assert!(ours.verify(&header, &body, now).is_ok() && ours.verify(&forged, &body, now).is_err());
    assert!(standard.verify(&body, &headers).is_ok() && standard.verify(&body, &wrong).is_err());
    assert!(svix.verify(&body, &headers).is_ok() && svix.verify(&body, &wrong).is_err());

    println!("\n{size} bytes");
    Contest::new("connect-webhook-verify, clock given", || {
        u8::from(
            ours.verify(black_box(&header), black_box(&body), now)
                .is_ok(),
        )
    })
    .against("connect-webhook-verify, system clock", || {
        u8::from(
            ours.verify_now(black_box(&header), black_box(&body))
                .is_ok(),
        )
    })
    .against("connect-webhook-verify, forged", || {
        u8::from(
            ours.verify_now(black_box(&forged), black_box(&body))
                .is_ok(),
        )
    })
    .against("header and bare HMAC (the floor)", || {
        floor::header_and_hmac(black_box(&header), OURS.as_bytes(), black_box(&body))
    })
    .against("standardwebhooks", || {
        u8::from(
            standard
                .verify(black_box(&body), black_box(&headers))
                .is_ok(),
        )
    })
    .against("standardwebhooks, forged", || {
        u8::from(standard.verify(black_box(&body), black_box(&wrong)).is_ok())
    })
    .against("svix", || {
        u8::from(svix.verify(black_box(&body), black_box(&headers)).is_ok())
    })
    .against("svix, forged", || {
        u8::from(svix.verify(black_box(&body), black_box(&wrong)).is_ok())
    })
    .run();
}

fn headers(prefix: &str, now: u64, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("id", "msg_1"),
        ("timestamp", &now.to_string()),
        ("signature", signature),
    ] {
        let name: http::HeaderName = format!("{prefix}-{name}").parse().expect("a name");
        headers.insert(name, HeaderValue::from_str(value).expect("a value"));
    }
    headers
}

fn headers_with(headers: &HeaderMap, signature: &'static str) -> HeaderMap {
    let mut headers = headers.clone();
    headers.insert("webhook-signature", HeaderValue::from_static(signature));
    headers
}
