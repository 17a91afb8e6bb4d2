//! Keys, paths, methods, headers and bodies as a whole.

use connect_tests::http::Payload;

use super::{Bad, at_device, by};
use crate::bad_requests::{
    bodies::{malformed, no_object, too_large},
    table::anywhere,
};

/// Each endpoint, and a screen that may use it.
const REQUESTS: [(&str, &str); 4] = [
    ("POST transactions", "register"),
    ("POST z-reports", "register"),
    ("POST orders", "kiosk"),
    ("PATCH orders/{order}", "kiosk"),
];

/// `Authorization` headers that present no valid key.
const NOBODY: &[(&str, &str)] = &[
    ("", "empty"),
    ("Bearer", "a scheme alone"),
    ("{register}", "a key without a scheme"),
    ("Basic {register}", "a key under another scheme"),
    ("Bearer {register}x", "a key with a letter too many"),
    ("Bearer {register} {register}", "two keys"),
    (
        "Bearer dk_0000000000000000000000000000000000000000000",
        "an unknown key",
    ),
    ("Bearer {gone key}", "a revoked key"),
    ("Bearer {token}", "a token of the API"),
];

fn callers() -> Vec<Bad> {
    let mut table = Vec::new();
    for (request, _) in REQUESTS {
        for (value, why) in NOBODY {
            let sent = at_device(request).header("authorization", value);
            table.push(Bad::unauthorized(
                &format!("device, {request}: {why}"),
                sent,
            ));
        }
    }
    // Nobody learns which paths there are.
    for target in ["", "orders", "nowhere", "transactions/7"] {
        let name = format!("device, GET {target:?}: no key");
        table.push(Bad::unauthorized(
            &name,
            at_device(&format!("GET {target}")),
        ));
    }
    for (request, screen) in [
        ("POST transactions", "kiosk"),
        ("POST transactions", "phone"),
        ("POST z-reports", "kiosk"),
        ("POST z-reports", "phone"),
        ("POST orders", "register"),
    ] {
        // What is wrong with the body is not looked at.
        let name = format!("device, {request}: by the {screen}");
        let sent = by(screen, request, r#"{"colour":1}"#);
        table.push(Bad::forbidden(&name, sent, "forbidden_scope"));
    }
    table
}

fn paths() -> Vec<Bad> {
    let mut table = Vec::new();
    for path in [
        "",
        "nowhere",
        "transactions/",
        "transactions/{sale}",
        "z-report",
        "Orders",
        "orders/",
        "orders/{order}/",
        "orders/{order}/lines",
        "locations/{here}/transactions",
    ] {
        let sent = by("register", &format!("POST {path}"), "{}");
        table.push(Bad::not_found(&format!("device, POST {path:?}"), sent));
    }
    for target in ["/device", "/device/", "/device/v2/orders"] {
        let sent = anywhere(&format!("GET {target}")).header("x-no-token", "1");
        table.push(Bad::not_found(&format!("device, GET {target}"), sent));
    }
    for (path, methods) in [
        (
            "transactions",
            &["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"][..],
        ),
        ("z-reports", &["GET", "PUT", "DELETE"]),
        ("orders", &["GET", "PUT", "PATCH", "DELETE", "TRACE"]),
        (
            "orders/{order}",
            &["GET", "HEAD", "POST", "PUT", "DELETE", "patch"],
        ),
    ] {
        for method in methods {
            let request = format!("{method} {path}");
            let sent = by("register", &request, "");
            table.push(Bad::no_method(&format!("device, {request}"), sent));
        }
    }
    table
}

fn bodies() -> Vec<Bad> {
    let mut table = Vec::new();
    for (request, screen) in REQUESTS {
        for (why, body) in malformed() {
            let name = format!("device, {request}: a body that is {why}");
            table.push(Bad::malformed(&name, by(screen, request, body), "body"));
        }
        for (why, body) in no_object() {
            let name = format!("device, {request}: a body that is {why}");
            table.push(Bad::invalid(&name, by(screen, request, body), "body"));
        }
        let name = format!("device, {request}: 2 000 001 bytes");
        table.push(Bad::too_large(&name, by(screen, request, too_large())));
        let mut chunked = by(screen, request, "");
        chunked.body = Payload::Chunked(vec![too_large().into()]);
        let name = format!("device, {request}: 2 000 001 bytes without a length");
        table.push(Bad::too_large(&name, chunked));

        let bare = || {
            let key = format!("Bearer {{{screen}}}");
            at_device(request).header("authorization", key).body("{}")
        };
        let mut header = |why: &str, sent, names| {
            let name = format!("device, {request}: {why}");
            table.push(Bad::malformed(&name, sent, names));
        };
        header("no content type", bare(), "Content-Type");
        let text = bare().header("content-type", "text/plain");
        header("a text", text, "Content-Type");
        let packed = by(screen, request, "{}").header("content-encoding", "gzip");
        header("a body that is no gzip", packed, "body");
        for (key, why) in [("", "an empty key"), ("a b", "a key with a blank")] {
            header(why, by(screen, request, "{}").key(key), "Idempotency-Key");
        }
        let long = by(screen, request, "{}").key(&"k".repeat(101));
        header("a key of 101 characters", long, "Idempotency-Key");
        let twice = by(screen, request, "{}").key("a").key("b");
        header("two keys of a request", twice, "Idempotency-Key");
        let query = by(screen, &format!("{request}?dryRun=true"), "{}");
        header("a query", query, "dryRun");
    }
    table
}

pub(super) fn table() -> Vec<Bad> {
    let parts = [callers(), paths(), bodies()];
    parts.into_iter().flatten().collect()
}

#[tokio::test]
async fn wrong_keys_paths_and_bodies_are_refused() {
    super::super::hold(table()).await;
}
