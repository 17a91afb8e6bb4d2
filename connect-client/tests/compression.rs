//! Compressed answers and requests, over HTTP of the SDK's own.

use std::io::{Read as _, Write as _};

use connect_client::{
    Client, ClientBuilder, Error, ErrorKind, RetryPolicy,
    transport::Fault,
    wire::{Batch, ProductInput},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::support::{LOCATION, TOKEN, products};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A service that gives this answer, in gzip.
async fn service(answer: Vec<u8>) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200)
        .insert_header("content-encoding", "gzip")
        .set_body_bytes(answer);
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

fn builder(server: &MockServer) -> ClientBuilder {
    Client::builder(format!("{}/v1", server.uri()), TOKEN).retry(RetryPolicy::never())
}

async fn only_request(server: &MockServer) -> Request {
    let mut requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

fn fault(error: &Error) -> Fault {
    match error.kind() {
        ErrorKind::Transport(error) => error.fault(),
        other => panic!("{other:?}"),
    }
}

fn locations() -> Vec<u8> {
    let location = json!({
        "id": LOCATION, "name": "Here", "currency": "EUR", "timeZone": "Europe/Amsterdam",
        "scopes": [],
    });
    json!({ "data": [location] }).to_string().into_bytes()
}

#[tokio::test]
async fn answers_are_asked_for_and_read_in_gzip() {
    let server = service(gzip(&locations())).await;
    let found = builder(&server).build().unwrap().locations().await.unwrap();
    assert_eq!(found[0].name, "Here");
    let asked = only_request(&server).await;
    assert_eq!(asked.headers["accept-encoding"], "gzip");
}

#[tokio::test]
async fn an_answer_that_grows_beyond_the_limit_is_cut_off() {
    let bomb = gzip(&vec![b' '; 5_000_000]);
    assert!(bomb.len() < 1_000_000);
    let server = service(bomb).await;
    let client = builder(&server).max_response_bytes(1_000_000).build();
    let error = client.unwrap().locations().await.unwrap_err();
    assert_eq!(fault(&error), Fault::TooLarge);
}

#[tokio::test]
async fn an_answer_that_is_no_gzip_is_a_fault() {
    let cut_off = gzip(&locations());
    for answer in [b"{}".to_vec(), cut_off[..cut_off.len() - 1].to_vec()] {
        let server = service(answer).await;
        let error = builder(&server).build().unwrap().locations().await;
        assert_eq!(fault(&error.unwrap_err()), Fault::Broken);
    }
}

#[tokio::test]
async fn large_requests_are_compressed_where_that_is_set() {
    for (is_set, items) in [(false, 100), (true, 100), (true, 1)] {
        let server = service(Vec::new()).await;
        let client = builder(&server).compress_requests(is_set).build().unwrap();
        let inputs = (0..items).map(|n| ProductInput::named(format!("Loaf {n}")));
        let batch = Batch::new(inputs.collect());
        // What comes back is no result, and does not matter.
        let _ = products(&client).batch(&batch).await;
        let sent = only_request(&server).await;
        let is_compressed = is_set && items > 1;
        assert_eq!(sent.headers.contains_key("content-encoding"), is_compressed);
        let mut body = Vec::new();
        if is_compressed {
            assert_eq!(sent.headers["content-encoding"], "gzip");
            GzDecoder::new(&*sent.body).read_to_end(&mut body).unwrap();
        } else {
            body = sent.body;
        }
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["items"].as_array().unwrap().len(), items);
    }
}
