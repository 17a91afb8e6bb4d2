//! Compressed answers, and compressed bodies of requests.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use connect_tests::{
    check::Checker,
    http::{Answer, Payload, Request},
    shop::Shop,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::json;

const MOST: usize = 2_000_000;

fn gzip(text: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap().into()
}

/// The answer as it was before it was compressed.
fn decompressed(mut answer: Answer) -> Answer {
    let mut text = Vec::new();
    match answer.header("content-encoding") {
        Some("gzip") => GzDecoder::new(&*answer.body).read_to_end(&mut text),
        Some("br") => brotli::Decompressor::new(&*answer.body, 4096).read_to_end(&mut text),
        other => panic!("{other:?}"),
    }
    .unwrap();
    answer.body = text.into();
    answer
}

/// Sends a request that accepts these encodings.
async fn accepting(shop: &Shop, encodings: &str, request: Request) -> Answer {
    let request = request.header("accept-encoding", encodings);
    let sent = shop.send_unjudged(request.bearer(&shop.token)).await;
    sent.unwrap()
}

/// Sends a body compressed, and judges the answer as that to the body itself.
async fn packed(shop: &Shop, path: &str, body: &str, key: &str) -> Answer {
    let request = Request::post(shop.at(path), &json!({})).key(key);
    let sent = request
        .header("content-encoding", "gzip")
        .body(gzip(body.as_bytes()));
    let sent = shop.send_unjudged(sent.bearer(&shop.token)).await;
    let mut answer = sent.unwrap();
    answer.request.body = Payload::Whole(body.to_owned().into());
    Checker::v1().judge(&answer);
    answer
}

async fn shop_with_products() -> Shop {
    let shop = Shop::open().await;
    let items: Vec<_> = (0..40)
        .map(|n| json!({ "name": format!("Loaf {n}") }))
        .collect();
    shop.batch(&json!({ "items": items })).await;
    shop
}

#[tokio::test]
async fn answers_come_in_the_encoding_that_is_wanted() {
    let shop = shop_with_products().await;
    let list = || Request::get(shop.at("products"));
    let plain = shop.send(list()).await.expect(200);
    assert_eq!(plain.header("vary"), Some("accept-encoding"));
    assert!(!plain.headers.contains_key("content-encoding"));
    for (accepted, encoding) in [("gzip", "gzip"), ("br", "br"), ("gzip, deflate, br", "br")] {
        let answer = accepting(&shop, accepted, list()).await;
        assert_eq!(answer.header("content-encoding"), Some(encoding));
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
        let length = answer.number("content-length") as usize;
        assert!(length == answer.body.len() && length < plain.body.len() / 4);
        let answer = decompressed(answer);
        Checker::v1().judge(&answer);
        assert_eq!(answer.body, plain.body);
    }
    // HEAD has the headers of GET.
    let head = Request::new(http::Method::HEAD, shop.at("products"));
    let head = accepting(&shop, "gzip", head).await;
    let got = accepting(&shop, "gzip", list()).await;
    assert!(head.body.is_empty());
    for name in ["content-encoding", "content-length", "vary"] {
        assert_eq!(head.header(name), got.header(name), "{name}");
    }
}

#[tokio::test]
async fn short_answers_stay_as_they_are() {
    let shop = Shop::open().await;
    for path in ["products", "nothing"] {
        let answer = accepting(&shop, "gzip, br", Request::get(shop.at(path))).await;
        assert!(answer.body.len() < 1000, "{path}");
        for name in ["content-encoding", "vary"] {
            assert!(!answer.headers.contains_key(name), "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn the_documents_are_compressed_and_may_be_kept() {
    let shop = Shop::open().await;
    for path in [
        "/v1/openapi.json",
        "/v1/docs",
        "/device/v1/openapi.json",
        "/device/v1/docs",
    ] {
        let get = async |accepted| {
            let request = Request::get(path).header("accept-encoding", accepted);
            shop.send_unjudged(request).await.unwrap().expect(200)
        };
        let plain = get("identity").await;
        for encoding in ["gzip", "br"] {
            let answer = get(encoding).await;
            assert_eq!(answer.header("content-encoding"), Some(encoding), "{path}");
            assert_eq!(answer.header("vary"), Some("accept-encoding"), "{path}");
            let kept = answer.header("cache-control");
            assert_eq!(kept, Some("private, max-age=300"), "{path}");
            assert!(answer.body.len() < plain.body.len() / 4, "{path}");
            assert_eq!(decompressed(answer).body, plain.body, "{path}");
        }
    }
}

#[tokio::test]
async fn a_compressed_body_is_the_body_itself() {
    let shop = Shop::open().await;
    let body = r#"{"name":"Rye"}"#;
    let made = packed(&shop, "products", body, "once").await.expect(201);
    // The same request, this time as it is.
    let again = Request::post(shop.at("products"), &json!({})).key("once");
    let again = shop.send(again.body(body)).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.body, made.body);
    // A field at fault is told as ever.
    let refused = packed(&shop, "products", r#"{"name":1}"#, "other").await;
    let (status, _, message) = refused.failure();
    assert_eq!(status, 422, "{message}");
    assert_eq!(shop.all("products", "").await.len(), 1);
}

/// The limit is on what is decompressed, and a bomb is given up at the limit.
#[tokio::test]
async fn the_limit_is_on_the_bytes_behind_the_compression() {
    let shop = Shop::open().await;
    let sized = |bytes: usize| {
        let body = r#"{"items":[{"name":"Rye"}]}"#;
        format!("{body}{}", " ".repeat(bytes - body.len()))
    };
    let batch = "products/batch";
    packed(&shop, batch, &sized(MOST), "a").await.expect(200);
    for (bytes, key) in [(MOST + 1, "b"), (10_000_000, "c")] {
        let answer = packed(&shop, batch, &sized(bytes), key).await;
        answer.fails(413, "payload_too_large");
    }
    // None of them used up its key.
    for key in ["b", "c"] {
        packed(&shop, batch, &sized(100), key).await.expect(200);
    }
}
