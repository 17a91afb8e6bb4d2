//! Endpoints that answer badly, and one that answers well.

use std::time::Duration;

use crate::host::{Host, Script};

/// A host that takes everything.
pub(crate) async fn healthy_host() -> Host {
    // A connection that ends without notice may be used once more.
    let fine = "200 OK\r\nConnection: close\r\nContent-Length: 0";
    Host::start(move |_| Script::response(fine, b"")).await
}

/// The paths of a bad host, each with a part of the reason that the owner of a webhook is told. Those
/// without a reason answer 200.
pub(crate) const PATHS: [(&str, &str); 14] = [
    ("/silent", "did not answer within"),
    ("/head-then-silence", "did not answer within"),
    ("/drip", "did not answer within"),
    ("/drip-head", "did not answer within"),
    ("/many-headers", "too many headers"),
    ("/endless-headers", "too many headers"),
    ("/reset", "broke off"),
    ("/short", "broke off"),
    ("/redirect", "answered 302"),
    ("/gone", "answered 410"),
    ("/slow-down", "answered 429"),
    ("/failing-endlessly", "answered 500"),
    ("/endless", ""),
    ("/bomb", ""),
];

/// A host with one endpoint for each of the [`PATHS`]. `/redirect` leads to `elsewhere`.
pub(crate) async fn bad_host(elsewhere: &str) -> Host {
    const SOON: Duration = Duration::from_millis(20);
    let elsewhere = elsewhere.to_owned();
    let fine = "HTTP/1.1 200 OK\r\n\r\n";
    let header = b"A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n".repeat(1_000);
    let bomb = [&b"\x1f\x8b\x08"[..], &[0; 1_000_000]].concat();
    Host::start(move |path| match path {
        "/silent" => Script::raw("").then_hang(),
        "/head-then-silence" => Script::response("200 OK\r\nContent-Length: 9", b"").then_hang(),
        "/drip" => Script::raw(fine).then_repeat(b"x", SOON),
        "/drip-head" => Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(b"A: b\r\n", SOON),
        "/many-headers" => {
            Script::response(&format!("200 OK\r\n{}", "A: b\r\n".repeat(9_000)), b"")
        }
        "/endless-headers" => {
            Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(&header, Duration::ZERO)
        }
        "/reset" => Script::raw(""),
        "/short" => Script::response("200 OK\r\nContent-Length: 1000", b"few"),
        "/redirect" => Script::to(&elsewhere),
        "/gone" => Script::response("410 Gone", b""),
        "/slow-down" => Script::response("429 Slow\r\nRetry-After: 1e300", b""),
        "/failing-endlessly" => {
            Script::response("500 Oh", b"").then_repeat(&[7; 65_536], Duration::ZERO)
        }
        "/endless" => Script::raw(fine).then_repeat(&[7; 65_536], Duration::ZERO),
        "/bomb" => Script::response("200 OK\r\nContent-Encoding: gzip", &bomb),
        path => panic!("{path}"),
    })
    .await
}
