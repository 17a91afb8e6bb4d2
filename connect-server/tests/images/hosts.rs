//! Hosts that are slow, endless, wrong about lengths, or lead astray: each download ends with the
//! code that names the cause, and within its deadline.

use std::time::Duration;

use connect_core::{
    environment::Images as _,
    wire::ImageErrorCode::{
        self, BadStatus, Corrupt, ForbiddenAddress, Timeout, TooLarge, Unreachable, UnsupportedType,
    },
};
use connect_server::{images::ImageService, networks::Networks};
use futures_util::future::join_all;
use tokio::{io::AsyncWriteExt as _, net::TcpListener, time::timeout};

use super::{PATIENCE, copy_of, pictures, service};
use crate::host::{Host, Script};

/// The code of an image's failure, the sense of another try, and the message.
async fn failure(service: &ImageService, link: &str) -> (ImageErrorCode, bool, String) {
    let taken = timeout(PATIENCE * 2, service.take_over(link)).await;
    let failed = taken.expect("it ends by itself").expect_err("it fails");
    (failed.code, failed.may_pass, failed.message)
}

/// Checks that hosts with these scripts fail so, with these words.
async fn all_fail(rows: Vec<(Script, ImageErrorCode, bool, &str)>, deadline: Duration) {
    let row = async |(script, code, may_pass, words): (Script, _, _, &str)| {
        let answer = script.clone();
        let host = Host::start(move |_| answer.clone()).await;
        let service = service(Networks::loopback(), deadline);
        let (found, passes, message) = failure(&service, &host.link("/a.jpg")).await;
        assert_eq!((found, passes), (code, may_pass), "{script:?}: {message}");
        assert!(message.contains(words), "{script:?}: {message}");
    };
    join_all(rows.into_iter().map(row)).await;
}

const CHUNKED: &str = "200 OK\r\nTransfer-Encoding: chunked";

/// The head of an answer of this length.
fn of_length(length: impl std::fmt::Display) -> String {
    format!("200 OK\r\nContent-Length: {length}")
}

#[tokio::test]
async fn a_slow_host_runs_into_the_deadline_at_any_point() {
    const SOON: Duration = Duration::from_millis(50);
    let head = of_length(100_000);
    let slow = [
        Script::raw("").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\nContent-").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(b"A: b\r\n", SOON),
        Script::response(&head, b"").then_hang(),
        Script::response(&head, b"\xff\xd8\xff").then_repeat(b"x", SOON),
        Script::response("200 OK", b"").then_repeat(b"x", SOON),
        Script::response(CHUNKED, b"").then_repeat(b"1\r\nx\r\n", SOON),
    ];
    let rows = slow.map(|script| (script, Timeout, true, "within 1 seconds"));
    all_fail(rows.into(), Duration::from_secs(1)).await;

    // The deadline covers redirects too, each of which is quick enough by itself.
    let host = Host::start(|_| {
        std::thread::sleep(Duration::from_millis(400));
        Script::to("/again")
    })
    .await;
    let service = service(Networks::loopback(), Duration::from_secs(1));
    assert_eq!(failure(&service, &host.link("/")).await.0, Timeout);
}

#[tokio::test]
async fn a_bad_answer_fails_with_the_code_that_names_the_cause() {
    let chunk = [b"f4240\r\n", &[b'x'; 1_000_000][..], b"\r\n"].concat();
    let png = pictures::png(20, 20);
    let cut = [b"1000\r\n", &png[..]].concat();
    let endless = format!("A: {}\r\n", "b".repeat(10_000));
    let gzip = of_length(2) + "\r\nContent-Encoding: gzip";
    let page = b"<!doctype html><p>Not here.";
    let jpeg = of_length(page.len()) + "\r\nContent-Type: image/jpeg";
    let now = Duration::ZERO;
    let whole = |head: &str, body: &[u8]| Script::response(head, body);
    let mut rows = vec![
        // More than 5 MB, however it is sent; one of exactly that size is read.
        (
            whole(&of_length(5_000_001), b"").then_hang(),
            TooLarge,
            false,
            "",
        ),
        (
            whole(&of_length(99_999_999_999_999_u64), b"").then_hang(),
            TooLarge,
            false,
            "",
        ),
        (
            whole("200 OK", b"").then_repeat(&[b'x'; 100_000], now),
            TooLarge,
            false,
            "",
        ),
        (
            whole(CHUNKED, b"").then_repeat(&chunk, now),
            TooLarge,
            false,
            "",
        ),
        (Script::ok(&[b'x'; 5_000_000]), UnsupportedType, false, ""),
        // Wrong lengths.
        (
            whole(&of_length(png.len() + 1), &png),
            Unreachable,
            true,
            "",
        ),
        (whole(&of_length(png.len() / 2), &png), Corrupt, false, ""),
        (whole(CHUNKED, &cut), Unreachable, true, ""),
        (whole(CHUNKED, b"zz\r\n"), Unreachable, true, ""),
        // What is not HTTP.
        (Script::raw(""), Unreachable, true, ""),
        (
            Script::raw("SSH-2.0-OpenSSH_9.2\r\n"),
            Unreachable,
            true,
            "",
        ),
        (
            Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(endless.as_bytes(), now),
            Unreachable,
            true,
            "",
        ),
        // Compressed and foreign content.
        (
            whole(&gzip, b"\x1f\x8b"),
            UnsupportedType,
            false,
            "a compressed form",
        ),
        (whole(&jpeg, page), UnsupportedType, false, "a web page"),
        (Script::ok(b""), Corrupt, false, ""),
    ];
    let lasting = "201 204 206 304 401 403 404 410 418";
    for (statuses, may_pass) in [(lasting, false), ("408 429 500 503", true)] {
        for status in statuses.split(' ') {
            let head = format!("{status} Some words\r\nContent-Length: 0");
            rows.push((Script::response(&head, b""), BadStatus, may_pass, status));
        }
    }
    all_fail(rows, PATIENCE).await;
    // The header is not believed the other way round either.
    assert!(copy_of(pictures::png(3, 3)).await.is_ok());
}

#[tokio::test]
async fn what_is_not_there_is_told_from_what_is_not_http() {
    let service = service(Networks::loopback(), PATIENCE);
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let link = format!("https://{}/a.jpg", plain.local_addr().unwrap());
    let speaks_first = async {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"220 this is no TLS\r\n").await.unwrap();
        stream
    };
    let (failed, _stream) = tokio::join!(failure(&service, &link), speaks_first);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/a.jpg", closed.local_addr().unwrap());
    drop(closed);
    let nobody = failure(&service, &nobody).await;
    for ((code, may_pass, message), words) in [(failed, "secure"), (nobody, "not found")] {
        assert_eq!((code, may_pass), (Unreachable, true));
        assert!(message.contains(words), "{message}");
    }
}

#[tokio::test]
async fn three_redirects_are_followed_and_no_more() {
    let host = Host::start(|path| match path {
        "/4" => Script::to("3"),
        "/3" => Script::to("/2"),
        "/2" => Script::response("308 Permanent\r\nContent-Length: 0\r\nLocation: ?1", b""),
        "/2?1" => Script::ok(&pictures::png(5, 5)),
        "/loop" => Script::to("/loop"),
        "/nowhere" => Script::response("301 Moved\r\nContent-Length: 0", b""),
        "/nonsense" => Script::to("http://[nonsense"),
        path => panic!("{path}"),
    })
    .await;
    let service = service(Networks::loopback(), PATIENCE);
    assert!(service.take_over(&host.link("/3")).await.is_ok());
    assert!(service.take_over(&host.link("/4")).await.is_ok());
    for path in ["/loop", "/nowhere", "/nonsense"] {
        let (code, may_pass, message) = failure(&service, &host.link(path)).await;
        assert_eq!((code, may_pass), (BadStatus, false), "{path}");
        assert!(message.contains("redirects"), "{message}");
    }
}

#[tokio::test]
async fn no_redirect_leads_into_a_private_network() {
    let inner = Host::start(|_| Script::ok(&pictures::png(5, 5))).await;
    let port = inner.address.port();
    let locations = format!(
        "http://127.0.0.1:{port}/ http://127.1:{port}/ http://2130706433:{port}/ \
         http://[::ffff:127.0.0.1]:{port}/ http://localhost:{port}/ https://localhost:{port}/ \
         //localhost:{port}/ https://localhost/ https://10.0.0.1/ \
         https://169.254.169.254/latest/meta-data/ https://[fd00:ec2::254]/ http://8.8.8.8/ \
         ftp://127.0.0.2/ file:///etc/passwd"
    );
    for location in locations.split(' ') {
        let to = location.to_owned();
        let host = Host::start_on("127.0.0.2", move |_| Script::to(&to)).await;
        let service = service("127.0.0.2".parse().unwrap(), PATIENCE);
        let (code, may_pass, message) = failure(&service, &host.link("/")).await;
        assert_eq!(
            (code, may_pass),
            (ForbiddenAddress, false),
            "{location}: {message}"
        );
        let words = "The link redirects to another one, which ";
        assert!(message.starts_with(words), "{location}: {message}");
    }
    assert_eq!(inner.requests(), 0);
}

#[tokio::test]
async fn without_allowed_networks_nothing_near_is_reached() {
    let inner = Host::start(|_| Script::ok(&pictures::png(5, 5))).await;
    let service = service(Networks::default(), PATIENCE);
    let port = inner.address.port();
    let links = format!(
        "{} http://localhost:{port}/ https://localhost:{port}/ https://localhost/ \
         https://LOCALHOST/ https://127.0.0.1/ https://[::1]/",
        inner.link("/")
    );
    for link in links.split(' ') {
        let (code, _, message) = failure(&service, link).await;
        assert_eq!(code, ForbiddenAddress, "{link}: {message}");
        assert!(message.starts_with("The link "), "{message}");
    }
    assert_eq!(inner.requests(), 0);
    // It would have answered.
    let open = super::service(Networks::loopback(), PATIENCE);
    assert!(open.take_over(&inner.link("/")).await.is_ok());
    assert_eq!(inner.requests(), 1);
    let by_name = format!("http://localhost:{port}/");
    assert!(open.take_over(&by_name).await.is_ok());
}

/// The environment is that of a process, so this test runs another one.
#[test]
fn proxies_of_the_environment_are_not_asked() {
    // Nobody listens on that port, so a request that is proxied fails.
    let proxy = "http://127.0.0.1:1";
    let test = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "images::hosts::three_redirects_are_followed_and_no_more",
        ])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, proxy)))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&test.stdout);
    assert!(said.contains("1 passed"), "{said}");
}
