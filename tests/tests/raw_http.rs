//! Text on the wire that no HTTP library would send.

use connect_tests::shop::Shop;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sends `text` on a connection of its own; everything that comes back until it is closed.
async fn say(shop: &Shop, text: &str) -> String {
    let mut stream = TcpStream::connect(shop.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).await.unwrap();
    String::from_utf8_lossy(&heard).into_owned()
}

/// The answer is an error of the client's, in the shape of all errors.
fn is_refusal(answer: &str) {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{answer:?}"));
    assert!(head.starts_with("HTTP/1.1 4"), "{answer}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert!(
        body["error"]["code"].is_string() && body["error"]["message"].is_string(),
        "{answer}"
    );
    for name in [
        "content-type: application/json",
        "x-request-id: ",
        "x-ratelimit-limit: ",
    ] {
        assert!(
            head.to_lowercase().contains(name),
            "{name} is missing: {answer}"
        );
    }
}

#[tokio::test]
async fn what_is_no_http_is_refused_in_json() {
    let shop = Shop::open().await;
    for text in [
        "HELLO\r\n\r\n",
        "GET /v1/locations HTTP/3.0\r\nHost: x\r\n\r\n",
        "GET /v1/locations HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        "GET /v1/loc\u{1} HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/locations HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /v1/locations HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n",
        "POST /v1/locations HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/locations HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ] {
        is_refusal(&say(&shop, text).await);
    }
}

#[tokio::test]
async fn targets_without_a_path_are_refused() {
    let shop = Shop::open().await;
    for text in [
        "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: close\r\n\r\n",
        "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
        is_refusal(&say(&shop, text).await);
    }
}

#[tokio::test]
async fn a_target_with_scheme_and_host_is_its_path() {
    let shop = Shop::open().await;
    let text = format!(
        "GET http://{}/v1/locations HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\n\r\n",
        shop.address, shop.address, shop.token
    );
    let answer = say(&shop, &text).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[tokio::test]
async fn a_body_that_breaks_off_changes_nothing() {
    let shop = Shop::open().await;
    let mut stream = TcpStream::connect(shop.address).await.unwrap();
    let text = format!(
        "POST {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{{\"name\":\"Rye\"}}",
        shop.at("products"),
        shop.token
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut heard = String::new();
    stream.read_to_string(&mut heard).await.unwrap();
    is_refusal(&heard);
    assert!(shop.all("products", "").await.is_empty());
}
