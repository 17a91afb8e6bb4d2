//! Heads and bodies that a proxy in front may read otherwise than this server, so that it sees one
//! request where there are two (RFC 9112, 11.2).

use connect_server::net::Limits;

use super::harness::Running;

/// A request that nobody but this server has seen.
const HIDDEN: &str = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

/// Sends a request with these headers and this body, and a hidden one behind it. Returns the statuses
/// of the answers.
async fn statuses(server: &Running, headers: &str, body: &str) -> Vec<String> {
    // What is hidden is the last: the connection ends with it.
    let hidden = HIDDEN.replace("Host", "Connection: close\r\nHost");
    let first = format!("POST /echo HTTP/1.1\r\nHost: x\r\n{headers}\r\n{body}");
    let answers = server.exchange(&format!("{first}{hidden}")).await;
    let after = answers.split("HTTP/1.1 ").skip(1);
    after.map(|answer| answer[..3].to_owned()).collect()
}

#[tokio::test]
async fn nothing_is_hidden_behind_what_can_be_read_in_two_ways() {
    let server = Running::plain(Limits::default()).await;
    for (headers, body) in [
        ("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
        ("Content-Length: 5, 6\r\n", "hello"),
        ("Content-Length: +5\r\n", "hello"),
        ("Content-Length: 0x5\r\n", "hello"),
        ("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding:\u{b}chunked\r\n", "0\r\n\r\n"),
        // A line that goes on in the next.
        ("X: y\r\n Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"),
        // A carriage return alone.
        ("X: y\rTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\r\n", "0\r\n\r\n"),
        // Chunks are read by the letter.
        ("Transfer-Encoding: chunked\r\n", "0\n\n"),
        ("Transfer-Encoding: chunked\r\n", "0;a\nb\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\n", "-0\r\n\r\n"),
    ] {
        let statuses = statuses(&server, headers, body).await;
        assert_eq!(statuses, ["400"], "{headers:?} {body:?}");
    }
    server.stop().await;
}

/// RFC 9112, 6.3: the length does not count, and the connection must end.
#[tokio::test]
async fn a_length_beside_chunks_ends_the_connection() {
    let server = Running::plain(Limits::default()).await;
    for headers in [
        "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
    ] {
        let statuses = statuses(&server, headers, "0\r\n\r\n").await;
        assert_eq!(statuses, ["200"], "{headers:?}");
    }
    server.stop().await;
}

/// These have one meaning only. A line feed alone ends a line of a head: RFC 9112, 2.2 leaves that to
/// the server, and clients written by hand send it.
#[tokio::test]
async fn what_has_one_meaning_is_taken() {
    let server = Running::plain(Limits::default()).await;
    for (headers, body) in [
        ("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
        ("Transfer-Encoding: Chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        ("Content-Length: 5\nX: y\n", "hello"),
    ] {
        let statuses = statuses(&server, headers, body).await;
        assert_eq!(statuses, ["200", "200"], "{headers:?}");
    }
    server.stop().await;
}
