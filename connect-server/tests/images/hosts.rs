//! Hosts that are slow, endless, wrong about lengths, or lead astray: each download ends with the
//! code that names the cause, and within its deadline.

use std::time::Duration;

use connect_core::{
    environment::{ImageFailure, Images as _},
    wire::ImageErrorCode::{
        self, BadStatus, Corrupt, ForbiddenAddress, Timeout, TooLarge, Unreachable, UnsupportedType,
    },
};
use connect_server::networks::Networks;
use tokio::{io::AsyncWriteExt as _, net::TcpListener, time::timeout};

use super::{PATIENCE, copy_of, pictures, service};
use crate::host::{Host, Script};

/// Takes an image over from a host that answers every request with this script.
async fn failure(script: Script, deadline: Duration) -> ImageFailure {
    let host = Host::start(move |_| script.clone()).await;
    let service = service(Networks::loopback(), deadline);
    let link = host.link("/a.jpg");
    let taken = timeout(PATIENCE * 2, service.take_over(&link)).await;
    taken.expect("it ends by itself").expect_err("it fails")
}

/// The code that a response fails with, and whether trying again makes sense.
async fn code(script: Script) -> (ImageErrorCode, bool) {
    let failure = failure(script, PATIENCE).await;
    (failure.code, failure.may_pass)
}

#[tokio::test]
async fn a_slow_host_runs_into_the_deadline_at_any_point() {
    const SOON: Duration = Duration::from_millis(50);
    let head = "200 OK\r\nContent-Length: 100000";
    for slow in [
        Script::raw("").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\nContent-").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(b"A: b\r\n", SOON),
        Script::response(head, b"").then_hang(),
        Script::response(head, b"\xff\xd8\xff").then_repeat(b"x", SOON),
        Script::response("200 OK", b"").then_repeat(b"x", SOON),
        Script::response("200 OK\r\nTransfer-Encoding: chunked", b"")
            .then_repeat(b"1\r\nx\r\n", SOON),
    ] {
        let failed = failure(slow.clone(), Duration::from_secs(1)).await;
        assert_eq!(failed.code, Timeout, "{slow:?}: {failed}");
        assert!(failed.may_pass);
        assert!(failed.message.contains("within 1 seconds"), "{failed}");
    }
}

#[tokio::test]
async fn the_deadline_covers_redirects_too() {
    // Each of them is quick enough by itself.
    let host = Host::start(|_| {
        std::thread::sleep(Duration::from_millis(400));
        Script::to("/again")
    })
    .await;
    let service = service(Networks::loopback(), Duration::from_secs(1));
    let failed = service.take_over(&host.link("/")).await.unwrap_err();
    assert_eq!(failed.code, Timeout, "{failed}");
}

#[tokio::test]
async fn a_file_of_more_than_5_mb_is_refused_however_it_is_sent() {
    let chunk = [b"f4240\r\n", &[b'x'; 1_000_000][..], b"\r\n"].concat();
    for large in [
        Script::response("200 OK\r\nContent-Length: 5000001", b"").then_hang(),
        Script::response("200 OK\r\nContent-Length: 99999999999999", b"").then_hang(),
        Script::response("200 OK", b"").then_repeat(&[b'x'; 100_000], Duration::ZERO),
        Script::response("200 OK\r\nTransfer-Encoding: chunked", b"")
            .then_repeat(&chunk, Duration::ZERO),
    ] {
        assert_eq!(code(large).await, (TooLarge, false));
    }
    // One of exactly that size is read.
    let most = Script::ok(&[b'x'; 5_000_000]);
    assert_eq!(code(most).await, (UnsupportedType, false));
}

#[tokio::test]
async fn wrong_lengths_are_noticed() {
    let png = pictures::png(20, 20);
    let length = png.len();
    let more = format!("200 OK\r\nContent-Length: {}", length + 1);
    assert_eq!(
        code(Script::response(&more, &png)).await,
        (Unreachable, true)
    );
    let less = format!("200 OK\r\nContent-Length: {}", length / 2);
    assert_eq!(code(Script::response(&less, &png)).await, (Corrupt, false));
    let chunked = "200 OK\r\nTransfer-Encoding: chunked";
    let cut = [b"1000\r\n", &png[..]].concat();
    assert_eq!(
        code(Script::response(chunked, &cut)).await,
        (Unreachable, true)
    );
    assert_eq!(
        code(Script::response(chunked, b"zz\r\n")).await,
        (Unreachable, true)
    );
}

#[tokio::test]
async fn what_is_not_http_is_told_from_what_is_not_there() {
    for broken in [Script::raw(""), Script::raw("SSH-2.0-OpenSSH_9.2\r\n")] {
        assert_eq!(code(broken).await, (Unreachable, true));
    }
    let line = format!("A: {}\r\n", "b".repeat(10_000));
    let endless = Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(line.as_bytes(), Duration::ZERO);
    assert_eq!(code(endless).await, (Unreachable, true));

    let service = service(Networks::loopback(), PATIENCE);
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let link = format!("https://{}/a.jpg", plain.local_addr().unwrap());
    let speaks_first = async {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"220 this is no TLS\r\n").await.unwrap();
        stream
    };
    let (failed, _stream) = tokio::join!(service.take_over(&link), speaks_first);
    let failed = failed.unwrap_err();
    assert_eq!((failed.code, failed.may_pass), (Unreachable, true));
    assert!(failed.message.contains("secure"), "{}", failed.message);

    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/a.jpg", closed.local_addr().unwrap());
    drop(closed);
    let failed = service.take_over(&nobody).await.unwrap_err();
    assert_eq!((failed.code, failed.may_pass), (Unreachable, true));
    assert!(failed.message.contains("not found"), "{}", failed.message);
}

#[tokio::test]
async fn statuses_say_whether_trying_again_makes_sense() {
    for (status, may_pass) in [
        (201, false),
        (204, false),
        (206, false),
        (304, false),
        (401, false),
        (403, false),
        (404, false),
        (410, false),
        (418, false),
        (408, true),
        (429, true),
        (500, true),
        (503, true),
    ] {
        let head = format!("{status} Some words\r\nContent-Length: 0");
        let failed = failure(Script::response(&head, b""), PATIENCE).await;
        assert_eq!(
            (failed.code, failed.may_pass),
            (BadStatus, may_pass),
            "{status}"
        );
        assert!(
            failed.message.contains(&status.to_string()),
            "{}",
            failed.message
        );
    }
}

#[tokio::test]
async fn compressed_and_foreign_content_is_not_taken() {
    let gzip = Script::response(
        "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2",
        b"\x1f\x8b",
    );
    assert_eq!(code(gzip).await, (UnsupportedType, false));
    let page = "200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 27";
    let page = failure(
        Script::response(page, b"<!doctype html><p>Not here."),
        PATIENCE,
    )
    .await;
    assert_eq!(page.code, UnsupportedType);
    assert!(page.message.contains("a web page"), "{}", page.message);
    assert_eq!(code(Script::ok(b"")).await, (Corrupt, false));
    // The header is not believed the other way round either.
    assert!(copy_of(pictures::png(3, 3)).await.is_ok());
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
        let failed = service.take_over(&host.link(path)).await.unwrap_err();
        assert_eq!((failed.code, failed.may_pass), (BadStatus, false), "{path}");
        assert!(failed.message.contains("redirects"), "{}", failed.message);
    }
}

#[tokio::test]
async fn no_redirect_leads_into_a_private_network() {
    let inner = Host::start(|_| Script::ok(&pictures::png(5, 5))).await;
    let port = inner.address.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost:{port}/"),
        format!("https://localhost:{port}/"),
        format!("//localhost:{port}/"),
        "https://localhost/".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://[fd00:ec2::254]/".to_owned(),
        "http://8.8.8.8/".to_owned(),
        "ftp://127.0.0.2/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let to = location.clone();
        let host = Host::start_on("127.0.0.2", move |_| Script::to(&to)).await;
        let service = service("127.0.0.2".parse().unwrap(), PATIENCE);
        let failed = service.take_over(&host.link("/")).await.unwrap_err();
        assert_eq!(failed.code, ForbiddenAddress, "{location}: {failed}");
        assert!(!failed.may_pass);
        assert!(
            failed
                .message
                .starts_with("The link redirects to another one, which ")
        );
    }
    assert_eq!(inner.requests(), 0);
}

#[tokio::test]
async fn without_allowed_networks_nothing_near_is_reached() {
    let inner = Host::start(|_| Script::ok(&pictures::png(5, 5))).await;
    let service = service(Networks::default(), PATIENCE);
    for link in [
        inner.link("/"),
        format!("http://localhost:{}/", inner.address.port()),
        format!("https://localhost:{}/", inner.address.port()),
        "https://localhost/".to_owned(),
        "https://LOCALHOST/".to_owned(),
        "https://127.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
    ] {
        let failed = service.take_over(&link).await.unwrap_err();
        assert_eq!(failed.code, ForbiddenAddress, "{link}: {failed}");
        assert!(
            failed.message.starts_with("The link "),
            "{}",
            failed.message
        );
    }
    assert_eq!(inner.requests(), 0);
    // It would have answered.
    let open = super::service(Networks::loopback(), PATIENCE);
    assert!(open.take_over(&inner.link("/")).await.is_ok());
    assert_eq!(inner.requests(), 1);
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
