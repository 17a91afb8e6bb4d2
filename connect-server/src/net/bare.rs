//! The answers that hyper writes itself when it cannot read a head: empty, and without a way to
//! change them. They are recognised on their way out and replaced by the app's.

use super::{Limits, NetFailure};

/// Returns the failure behind these bytes, if they, written at once, are such an answer.
///
/// Ours are told apart by their `x-request-id`. Nothing that an app sends as a body can be
/// mistaken for one unless it is exactly such a head and happens to start a write of its own.
pub(super) fn recognise(bytes: &[u8], limits: &Limits) -> Option<NetFailure> {
    // The longest is about 140 bytes; answers of the app's that start alike are longer.
    if bytes.len() > 200 || !bytes.starts_with(b"HTTP/1.1 4") {
        return None;
    }
    let head = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let failure = match lines.next()?.get(9..12)? {
        "400" => NetFailure::Malformed,
        "414" => NetFailure::UriTooLong(limits.uri_bytes),
        "431" => NetFailure::HeadersTooLarge(limits.header_bytes),
        _ => return None,
    };
    let ours = |line: &str| {
        !["connection: close", "content-length: 0"].contains(&line) && !line.starts_with("date: ")
    };
    if lines.any(ours) { None } else { Some(failure) }
}
