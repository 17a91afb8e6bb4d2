//! Headers of writes.

use super::table::{Bad, at_home, write};

pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    for request in [
        "POST products",
        "PATCH products/{product}",
        "POST products/batch",
        "POST categories",
    ] {
        let bare = || at_home(request).body(r#"{"name":"Rye"}"#);
        let name = format!("{request}: no Content-Type");
        table.push(Bad::malformed(&name, bare(), "Content-Type"));
        for kind in [
            "",
            "text/plain",
            "text/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/jsonp",
            "application/json-patch+json",
            "application/vnd.api+json",
            "application",
            "json",
            "*/*",
        ] {
            let name = format!("{request}: Content-Type {kind:?}");
            table.push(Bad::malformed(
                &name,
                bare().header("content-type", kind),
                "Content-Type",
            ));
        }
        let twice = write(request, r#"{"name":"Rye"}"#).header("content-type", "text/plain");
        table.push(Bad::malformed(
            &format!("{request}: two Content-Types"),
            twice,
            "Content-Type",
        ));
        let encoded = |coding: &str| {
            let name = format!("{request}: Content-Encoding {coding}");
            let request = write(request, r#"{"name":"Rye"}"#);
            (name, request.header("content-encoding", coding))
        };
        for coding in ["gzip", "x-gzip", "identity, gzip"] {
            let (name, request) = encoded(coding);
            table.push(Bad::malformed(&name, request, "body"));
        }
        for coding in ["br", "deflate", "gzip, gzip", "x"] {
            let (name, request) = encoded(coding);
            table.push(Bad::unsupported(&name, request));
        }
    }
    for request in [
        "POST products",
        "DELETE products/{product}",
        "PATCH categories/{category}",
    ] {
        let write = || {
            let body = if request.starts_with("DELETE") {
                ""
            } else {
                r#"{"name":"Rye"}"#
            };
            write(request, body)
        };
        for (key, why) in [
            (&b""[..], "empty"),
            (b"a b", "with a blank"),
            (b"a\tb", "with a tab"),
            (b"caf\xc3\xa9", "beyond ASCII"),
            (b"\xff", "not in UTF-8"),
            (&[b'k'; 101], "of 101 characters"),
            (&[b'k'; 4000], "of 4000 characters"),
        ] {
            let name = format!("{request}: an Idempotency-Key {why}");
            let request = write().header("idempotency-key", key);
            table.push(Bad::malformed(&name, request, "Idempotency-Key"));
        }
        let name = format!("{request}: two Idempotency-Keys");
        table.push(Bad::malformed(
            &name,
            write().key("a").key("b"),
            "Idempotency-Key",
        ));
    }
    table
}

#[tokio::test]
async fn wrong_headers_are_refused() {
    super::hold(table()).await;
}
