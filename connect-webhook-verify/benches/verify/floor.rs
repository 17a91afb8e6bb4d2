//! The least that a check can do: read the header, and one HMAC-SHA256. It compares nothing.

use std::hint::black_box;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub(crate) fn key(secret: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(secret).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Reads the header and works out the HMAC, key and all.
#[inline(never)]
pub(crate) fn header_and_hmac(header: &str, secret: &[u8], body: &[u8]) -> u8 {
    let (time, _, signature) = parse(header);
    black_box(signature);
    hmac(key(secret), time, body)
}

/// The same with the key taken in before, as a verifier that is made once may do.
#[allow(
    dead_code,
    reason = "the comparison with the peers includes this file and does without"
)]
#[inline(never)]
pub(crate) fn header_and_keyed_hmac(header: &str, keyed: &Hmac<Sha256>, body: &[u8]) -> u8 {
    let (time, _, signature) = parse(header);
    black_box(signature);
    hmac(keyed.clone(), time, body)
}

/// Splits on commas and on the first `=`, and keeps the time, also as a number, and a signature.
fn parse(header: &str) -> (&str, u64, &str) {
    let (mut time, mut signature) = ("", "");
    for part in header.split(',') {
        match part.split_once('=') {
            Some(("t", value)) => time = value,
            Some(("v1", value)) => signature = value,
            _ => {}
        }
    }
    (time, black_box(time.parse().unwrap_or(0)), signature)
}

fn hmac(mut mac: Hmac<Sha256>, time: &str, body: &[u8]) -> u8 {
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    black_box(mac.finalize().into_bytes())[0]
}
