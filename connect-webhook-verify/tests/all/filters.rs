//! The filter for warp and the extractors for axum, over real connections.
#![cfg(all(feature = "warp", feature = "axum"))]

mod client;
mod servers;

use std::sync::{Arc, Mutex};

use connect_webhook_verify::{Secret, Verifier, receiver::Receiver, sign};

use self::{
    client::{Sent, request},
    servers::Servers,
};
use super::support::{NOW, secret};

/// The limit of the servers under test, in bytes.
const LIMIT: usize = 4096;

fn receiver() -> Receiver {
    Receiver::new(&Verifier::new(secret()))
        .limit(LIMIT)
        .clock(|| NOW)
}

fn signed(body: &[u8]) -> Vec<String> {
    vec![sign(&secret(), NOW, body).to_string()]
}

#[tokio::test]
async fn the_raw_body_of_a_signed_delivery_arrives() {
    let servers = Servers::start(receiver()).await;
    let bodies: [&[u8]; 5] = [
        b"",
        b"{\"id\":\"evt_1\"}",
        b"{ \"b\": 1.0,\r\n \"a\" : 2 }",
        b"\xff\xfe\0",
        &[b'x'; LIMIT],
    ];
    for server in servers.all() {
        for body in bodies {
            for chunks in [None, Some(7), Some(5000)] {
                let sent = Sent {
                    lines: signed(body),
                    body,
                    chunks,
                };
                assert_eq!(
                    request(server.address, "/raw", &sent).await,
                    (204, String::new())
                );
                assert_eq!(server.seen(), Some(body.to_vec()), "{}", server.name);
            }
        }
    }
}

#[tokio::test]
async fn each_refusal_has_its_status_and_tells_its_code_alone() {
    let servers = Servers::start(receiver()).await;
    let body = b"{\"id\":\"evt_1\"}".as_slice();
    let late = sign(&secret(), NOW - 301, body).to_string();
    for server in servers.all() {
        for (lines, body, status, code) in [
            (vec![], body, 400, "missing_header"),
            (vec!["".into()], body, 400, "missing_header"),
            (vec!["v1=00".into()], body, 400, "missing_timestamp"),
            (vec!["t=+1,v1=00".into()], body, 400, "invalid_timestamp"),
            (
                vec!["t=1".into(), "t=1,v1=00".into()],
                body,
                400,
                "repeated_timestamp",
            ),
            (vec![format!("t={NOW}")], body, 400, "missing_signature"),
            (vec![late.clone()], body, 401, "too_old"),
            (signed(body), b"{\"id\": \"evt_1\"}", 401, "no_match"),
            (signed(body), b"", 401, "no_match"),
        ] {
            let sent = Sent {
                lines,
                body,
                chunks: None,
            };
            let answer = request(server.address, "/raw", &sent).await;
            assert_eq!(answer, (status, code.into()), "{}", server.name);
            assert_eq!(server.seen(), None, "{}", server.name);
        }
    }
}

#[tokio::test]
async fn one_byte_too_many_is_413_with_a_length_and_in_chunks() {
    let servers = Servers::start(receiver()).await;
    for server in servers.all() {
        for (length, chunks) in [
            (LIMIT + 1, None),
            (LIMIT + 1, Some(100)),
            (LIMIT + 1, Some(LIMIT)),
            (3 * LIMIT, Some(9999)),
        ] {
            let body = vec![b'x'; length];
            let sent = Sent {
                lines: signed(&body),
                body: &body,
                chunks,
            };
            let answer = request(server.address, "/raw", &sent).await;
            assert_eq!(
                answer,
                (413, "too_large".into()),
                "{} {chunks:?}",
                server.name
            );
            assert_eq!(server.seen(), None, "{}", server.name);
        }
    }
}

#[tokio::test]
async fn a_length_that_is_too_large_is_refused_before_the_body_is_there() {
    let servers = Servers::start(receiver()).await;
    for server in servers.all() {
        let answer = client::announce(server.address, LIMIT + 1).await;
        assert!(
            answer.starts_with("HTTP/1.1 413 "),
            "{}: {answer}",
            server.name
        );
    }
}

#[tokio::test]
async fn several_header_lines_are_taken() {
    let servers = Servers::start(receiver()).await;
    let signature = secret().sign(NOW, "{}");
    let lines = vec![
        format!("t={NOW}"),
        "v1=00".into(),
        format!("v1={signature}"),
    ];
    for server in servers.all() {
        let sent = Sent {
            lines: lines.clone(),
            body: b"{}",
            chunks: None,
        };
        assert_eq!(
            request(server.address, "/raw", &sent).await.0,
            204,
            "{}",
            server.name
        );
    }
}

#[tokio::test]
async fn json_is_read_after_the_check() {
    let servers = Servers::start(receiver()).await;
    for server in servers.all() {
        for (body, lines, answer) in [
            (b"{\"id\":\"evt_1\"}".as_slice(), None, (200, "evt_1")),
            (b"{\"id\":1}", None, (400, "unexpected_json")),
            (b"{", None, (400, "unexpected_json")),
            (b"\xff", None, (400, "unexpected_json")),
            (b"{", Some(signed(b"")), (401, "no_match")),
        ] {
            let sent = Sent {
                lines: lines.unwrap_or(signed(body)),
                body,
                chunks: None,
            };
            let (status, text) = request(server.address, "/json", &sent).await;
            assert_eq!((status, text.as_str()), answer, "{}", server.name);
        }
    }
}

#[tokio::test]
async fn a_secret_is_rolled_while_the_server_runs() {
    let receiver = receiver();
    let servers = Servers::start(receiver.clone()).await;
    let [new, old] = [Secret::new("whsec_new").unwrap(), secret()];
    let statuses = async |secrets: &[Secret]| {
        let mut statuses = Vec::new();
        for server in servers.all() {
            let lines = vec![sign(secrets, NOW, "{}").to_string()];
            let sent = Sent {
                lines,
                body: b"{}",
                chunks: None,
            };
            statuses.push(request(server.address, "/raw", &sent).await.0);
        }
        statuses.dedup();
        statuses
    };
    let both = [new.clone(), old.clone()];
    assert_eq!(statuses(&both).await, [204], "before the receiver knows");
    assert_eq!(statuses(std::slice::from_ref(&new)).await, [401]);
    receiver.replace(&Verifier::new(&both));
    assert_eq!(statuses(std::slice::from_ref(&new)).await, [204]);
    assert_eq!(statuses(std::slice::from_ref(&old)).await, [204]);
    receiver.replace(&Verifier::new(new.clone()));
    assert_eq!(statuses(&both).await, [204]);
    assert_eq!(statuses(std::slice::from_ref(&old)).await, [401]);
}

#[tokio::test]
async fn the_receiver_sees_what_the_client_does_not() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = log.clone();
    let watched =
        receiver().on_refusal(move |refusal| kept.lock().unwrap().push(refusal.to_string()));
    let servers = Servers::start(watched).await;
    let sent = Sent {
        lines: signed(b"{\"id\":1}"),
        body: b"{\"id\": 1}",
        chunks: None,
    };
    for server in servers.all() {
        let (_, text) = request(server.address, "/raw", &sent).await;
        assert_eq!(text, "no_match");
    }
    let hints = std::mem::take(&mut *log.lock().unwrap());
    assert_eq!(hints.len(), servers.all().len());
    for hint in hints {
        assert!(hint.contains("parsed and printed again"), "{hint}");
    }

    // JSON that the crate reads is seen as well. In the first server it is the handler that reads.
    for server in servers.all() {
        let sent = Sent {
            lines: signed(b"{"),
            body: b"{",
            chunks: None,
        };
        request(server.address, "/json", &sent).await;
    }
    let errors = log.lock().unwrap();
    assert_eq!(errors.len(), servers.all().len() - 1);
    for error in errors.iter() {
        assert!(error.contains("not the expected JSON"), "{error}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_never_reaches_the_handler() {
    let servers = Servers::start(receiver()).await;
    for server in servers.all() {
        client::break_off(server.address, &signed(b"{}")[0]).await;
        assert_eq!(server.seen(), None, "{}", server.name);
    }
}
