//! Copies in a bucket of an S3 that refuses, fails or hangs. A real one is in the end-to-end tests.

use std::time::Duration;

use connect_server::images::{BucketAddress, CopyKind, ScaledCopy};
use tokio::time::Instant;

use super::*;

const KEY: &str = "hunter1hunter1";
const SECRET: &str = "hunter2hunter2";
const SESSION: &str = "hunter3hunter3";

/// Opens a bucket at this address of S3.
async fn open(endpoint: &str) -> Result<Copies, String> {
    let address: BucketAddress = "s3://shop/images".parse().unwrap();
    let variables = [
        ("AWS_ENDPOINT", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", SESSION),
        ("AWS_REGION", "eu-west-1"),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let opened = Copies::in_bucket(&address, variables).await;
    opened.map_err(|error| error.to_string())
}

/// An answer of S3. It repeats the session token, as S3 does for a wrong signature.
fn answer(head: &str, code: &str) -> Script {
    let body = format!(
        "<?xml version=\"1.0\"?><Error><Code>{code}</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId>\
         <CanonicalRequest>x-amz-security-token:{SESSION}</CanonicalRequest></Error>"
    );
    let head = format!("{head}\r\nContent-Length: {}", body.len());
    Script::response(&head, body.as_bytes())
}

fn copy() -> ScaledCopy {
    ScaledCopy {
        bytes: b"bread".to_vec(),
        kind: CopyKind::Png,
    }
}

/// Opens the bucket, stores a copy, and returns the refusal of each.
async fn refusals(endpoint: &str) -> [Option<String>; 2] {
    let opened = open(endpoint).await;
    let stored = match &opened {
        Ok(copies) => copies.put(copy()).await.err(),
        Err(_) => None,
    };
    if let Ok(copies) = &opened {
        let shown = format!("{copies:?}");
        assert!(!shown.contains("hunter"), "{shown}");
    }
    [opened.err(), stored.map(|error| error.to_string())]
}

#[tokio::test]
async fn a_wrong_setting_ends_the_start_with_its_name() {
    for (head, code, told) in [
        (
            "403 Forbidden",
            "InvalidAccessKeyId",
            "set AWS_ACCESS_KEY_ID and",
        ),
        (
            "403 Forbidden",
            "SignatureDoesNotMatch",
            "set AWS_SECRET_ACCESS_KEY",
        ),
        (
            "403 Forbidden",
            "AccessDenied",
            "allow it s3:GetObject, s3:PutObject",
        ),
        ("403 Forbidden", "RequestTimeTooSkewed", "set the clock"),
        ("401 Unauthorized", "", "the key must not use the bucket"),
        ("400 Bad Request", "ExpiredToken", "set AWS_SESSION_TOKEN"),
        ("400 Bad Request", "InvalidToken", "set AWS_SESSION_TOKEN"),
        (
            "400 Bad Request",
            "AuthorizationHeaderMalformed",
            "set AWS_REGION",
        ),
        (
            "301 Moved Permanently",
            "PermanentRedirect",
            "set AWS_REGION",
        ),
        (
            "400 Bad Request",
            "InvalidBucketName",
            "another one with --images",
        ),
        ("404 Not Found", "NoSuchBucket", "there is no such bucket"),
        ("404 Not Found", "", "set AWS_ENDPOINT"),
        (
            "405 Method Not Allowed",
            "NoWay",
            "405 NoWay: look at AWS_ENDPOINT",
        ),
        // A web server of any other kind.
        ("200 OK", "", "set AWS_ENDPOINT"),
    ] {
        let s3 = Host::start(move |_| answer(head, code)).await;
        let [refused, _] = refusals(&s3.link("")).await;
        let refused = refused.unwrap_or_else(|| panic!("{head} {code} is accepted"));
        let begins = "the bucket for images, s3://shop/images, cannot be used: ";
        assert!(refused.starts_with(begins), "{head} {code}: {refused}");
        assert!(refused.contains(told), "{head} {code}: {refused}");
        assert!(
            !refused.contains("hunter") && !refused.contains('<'),
            "{refused}"
        );
        assert!(
            refused.lines().count() == 1 && refused.len() < 300,
            "{refused}"
        );
    }
}

#[tokio::test]
async fn an_s3_that_is_down_keeps_no_server_from_starting() {
    let dead = Host::start(|_| Script::raw("")).await;
    let nowhere = dead.link("");
    drop(dead);
    let busy = Host::start(|_| answer("503 Slow Down", "SlowDown")).await;
    let broken = Host::start(|_| Script::raw("")).await;
    for (endpoint, told) in [
        (nowhere, "Connection refused"),
        (busy.link(""), "503 SlowDown"),
        (broken.link(""), "AWS_ENDPOINT"),
    ] {
        let [refused, stored] = refusals(&endpoint).await;
        assert_eq!(refused, None, "{endpoint}");
        let stored = stored.expect("nothing is stored");
        assert!(stored.contains(told), "{endpoint}: {stored}");
        assert!(!stored.contains("hunter"), "{stored}");
    }
    // Each request was repeated twice, and no more.
    assert_eq!(busy.requests(), 6);
}

#[tokio::test(start_paused = true)]
async fn an_s3_that_hangs_is_given_up() {
    let s3 = Host::start(|_| Script::raw("HTTP/1.1 200 OK\r\n").then_hang()).await;
    let began = Instant::now();
    let copies = open(&s3.link("")).await.unwrap();
    assert!(began.elapsed() <= Duration::from_secs(10), "{began:?}");
    let began = Instant::now();
    copies.put(copy()).await.unwrap_err();
    assert!(began.elapsed() <= Duration::from_secs(7), "{began:?}");
}
