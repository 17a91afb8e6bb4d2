//! Bodies that are wrong as a whole.

use super::table::{Bad, write};
use bytes::Bytes;
use connect_tests::http::Payload;

/// One byte more than a body may have, in a string so that it is JSON all the same.
pub(super) fn too_large() -> String {
    let frame = r#"{"name":""}"#;
    format!(r#"{{"name":"{}"}}"#, "x".repeat(2_000_001 - frame.len()))
}

fn nested(depth: usize, field: &str) -> String {
    format!(
        r#"{{"name":"Rye","{field}":{}{}}}"#,
        "[".repeat(depth),
        "]".repeat(depth)
    )
}

/// What is no JSON, or not in UTF-8, or has a key twice: 400 wherever it is sent.
pub(super) fn malformed() -> Vec<(&'static str, Bytes)> {
    let text = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    vec![
        ("empty", text("")),
        ("blanks", text("  \n ")),
        ("words", text("name=Rye&priceCents=12")),
        ("XML", text("<product><name>Rye</name></product>")),
        ("cut off", text(r#"{"name":"Ry"#)),
        ("cut off before the brace", text(r#"{"name":"Rye""#)),
        ("a closing brace too many", text(r#"{"name":"Rye"}}"#)),
        ("two objects", text(r#"{"name":"Rye"}{"name":"Rye"}"#)),
        ("words after the object", text(r#"{"name":"Rye"} thanks"#)),
        ("a NUL after the object", text("{\"name\":\"Rye\"}\0")),
        ("a byte order mark", text("\u{feff}{\"name\":\"Rye\"}")),
        (
            "UTF-16",
            Bytes::from_static(b"\xff\xfe{\0\"\0n\0a\0m\0e\0\"\0:\0\"\0R\0\"\0}\0"),
        ),
        ("Latin-1", Bytes::from_static(b"{\"name\":\"Caf\xe9\"}")),
        (
            "half a character",
            Bytes::from_static(b"{\"name\":\"Caf\xc3\"}"),
        ),
        (
            "an overlong character",
            Bytes::from_static(b"{\"name\":\"\xc0\xaf\"}"),
        ),
        (
            "a surrogate in UTF-8",
            Bytes::from_static(b"{\"name\":\"\xed\xa0\x80\"}"),
        ),
        ("a lone high surrogate", text(r#"{"name":"\ud83e"}"#)),
        ("a lone low surrogate", text(r#"{"name":"\udd50"}"#)),
        (
            "surrogates in the wrong order",
            text(r#"{"name":"\udd50\ud83e"}"#),
        ),
        (
            "a lone surrogate in a key",
            text(r#"{"name":"Rye","\ud83e":1}"#),
        ),
        ("an escape that is none", text(r#"{"name":"\x41"}"#)),
        ("half an escape", text(r#"{"name":"\u12"}"#)),
        ("a line feed in a string", text("{\"name\":\"Rye\nloaf\"}")),
        ("single quotes", text("{'name':'Rye'}")),
        ("a key without quotes", text(r#"{name:"Rye"}"#)),
        ("a comma at the end", text(r#"{"name":"Rye",}"#)),
        ("a comment", text(r#"{"name":"Rye" /* dark */}"#)),
        ("NaN", text(r#"{"name":"Rye","priceCents":NaN}"#)),
        ("Infinity", text(r#"{"name":"Rye","priceCents":Infinity}"#)),
        (
            "minus Infinity",
            text(r#"{"name":"Rye","priceCents":-Infinity}"#),
        ),
        ("a leading zero", text(r#"{"name":"Rye","priceCents":012}"#)),
        ("a plus sign", text(r#"{"name":"Rye","priceCents":+12}"#)),
        (
            "a number without a digit before the point",
            text(r#"{"name":"Rye","priceCents":.5}"#),
        ),
        (
            "a number without a digit after the point",
            text(r#"{"name":"Rye","priceCents":5.}"#),
        ),
        ("hexadecimal", text(r#"{"name":"Rye","priceCents":0x12}"#)),
        ("True", text(r#"{"name":"Rye","isActive":True}"#)),
        ("undefined", text(r#"{"name":undefined}"#)),
        ("a key twice", text(r#"{"name":"Rye","name":"Bun"}"#)),
        (
            "a key twice with the same value",
            text(r#"{"name":"Rye","name":"Rye"}"#),
        ),
        (
            "a key twice, once with an escape",
            text(r#"{"name":"Rye","n\u0061me":"Bun"}"#),
        ),
        (
            "a key twice in what is ignored",
            text(r#"{"name":"Rye","id":{"a":1,"a":2}}"#),
        ),
        (
            "a key twice in a list in what is ignored",
            text(r#"{"name":"Rye","id":[{"a":1,"a":2}]}"#),
        ),
        (
            "a key twice in an unknown field",
            text(r#"{"name":"Rye","colour":{"a":1,"a":2}}"#),
        ),
        (
            "10 000 lists in each other, in a field",
            text(&nested(10_000, "priceCents")),
        ),
        (
            "10 000 lists in each other, ignored",
            text(&nested(10_000, "createdAt")),
        ),
        (
            "10 000 lists in each other, unknown",
            text(&nested(10_000, "colour")),
        ),
        ("10 000 open lists", text(&"[".repeat(10_000))),
        ("10 000 open objects", text(&r#"{"a":"#.repeat(10_000))),
    ]
}

/// JSON that is no object: well-formed, so 422, and the body is what is named.
pub(super) fn no_object() -> [(&'static str, &'static str); 7] {
    [
        ("a list", "[]"),
        ("a list of objects", r#"[{"name":"Rye"}]"#),
        ("a string", r#""Rye""#),
        ("a number", "12"),
        ("a number beyond any float", "1e999"),
        ("true", "true"),
        ("null", "null"),
    ]
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    let writes = [
        "POST products",
        "PATCH products/{product}",
        "POST categories",
        "PATCH categories/{category}",
    ];
    for (why, body) in malformed() {
        // All four go the same way through the same reader; the bodies are those of a product.
        for request in &writes[..2] {
            let name = format!("{request}: a body that is {why}");
            table.push(Bad::malformed(&name, write(request, body.clone()), "body"));
        }
    }
    for (why, body) in no_object() {
        for request in writes {
            let name = format!("{request}: a body that is {why}");
            table.push(Bad::invalid(&name, write(request, body), "body"));
        }
    }
    let fields: Vec<String> = (0..150).map(|n| format!("\"f{n}\":{n}")).collect();
    let fields = format!("{{{}}}", fields.join(","));
    table.push(Bad::invalid(
        "POST product: 150 unknown fields",
        write("POST products", fields),
        "f0: is not a field of this request",
    ));

    for request in [
        "POST products",
        "PATCH products/{product}",
        "POST products/batch",
        "POST categories",
    ] {
        let name = format!("{request}: a body of 2 000 001 bytes");
        table.push(Bad::too_large(&name, write(request, too_large())));
        let mut chunked = write(request, "");
        let pieces = too_large()
            .into_bytes()
            .chunks(65_536)
            .map(Bytes::copy_from_slice)
            .collect();
        chunked.body = Payload::Chunked(pieces);
        let name = format!("{request}: a body of 2 000 001 bytes without a length");
        table.push(Bad::too_large(&name, chunked));
    }
    table
}

#[tokio::test]
async fn wrong_bodies_are_refused() {
    super::hold(table()).await;
}
