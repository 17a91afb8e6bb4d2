//! A server that offers no TLS and asks for the password: somebody on the way can be such a one.

use std::time::Duration;

use connect_core::storage::postgres::{PostgresOptions, PostgresStorage};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// The number in place of a version with which a client asks for TLS.
const SSL_REQUEST: u32 = 80_877_103;

/// The message that asks for the password in the clear.
const ASK: [u8; 9] = [b'R', 0, 0, 0, 8, 0, 0, 0, 3];

/// Reads a message whose length stands first, without it.
async fn message(client: &mut TcpStream) -> Option<Vec<u8>> {
    let length = client.read_u32().await.ok()?;
    let mut rest = vec![0; length.checked_sub(4)? as usize];
    client.read_exact(&mut rest).await.ok()?;
    Some(rest)
}

/// Refuses TLS, asks for the password, and returns all that a client says.
async fn heard(mut client: TcpStream) -> Vec<u8> {
    let mut heard = Vec::new();
    while let Some(first) = message(&mut client).await {
        let asks_for_tls = first == SSL_REQUEST.to_be_bytes();
        heard.extend(first);
        if asks_for_tls {
            client.write_all(b"N").await.unwrap();
            continue;
        }
        client.write_all(&ASK).await.unwrap();
        let _ = client.read_to_end(&mut heard).await;
        break;
    }
    heard
}

/// Opens a store at an address whose host is the fake server, and returns whether that hears the password.
async fn hears_the_password(host: &str, query: &str) -> (bool, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let listening = tokio::spawn(async move {
        let (client, _) = listener.accept().await.unwrap();
        heard(client).await
    });
    let options = PostgresOptions {
        wait: Duration::from_millis(500),
        ..PostgresOptions::default()
    };
    let address = format!("postgres://shop:s3cret@{host}:{port}/shop?{query}");
    let refused = PostgresStorage::open(&address, options).await.err();
    let refused = refused.unwrap().to_string();
    assert!(!refused.contains("s3cret"), "{refused}");
    let heard = listening.await.unwrap();
    (heard.windows(6).any(|word| word == b"s3cret"), refused)
}

#[tokio::test]
async fn a_server_without_tls_never_gets_the_password() {
    // The name is that of another machine, and leads to this one.
    let elsewhere = "&hostaddr=127.0.0.1";
    for (host, query, does) in [
        ("db.example", "", false),
        ("db.example", "sslmode=prefer", false),
        ("db.example", "sslmode=require", false),
        ("db.example", "sslmode=verify-full", false),
        (
            "db.example",
            "sslmode=verify-full&channel_binding=require",
            false,
        ),
        ("db.example", "sslmode=disable", true),
        ("127.0.0.1", "sslmode=require", false),
        ("127.0.0.1", "channel_binding=require", false),
        ("127.0.0.1", "", true),
    ] {
        let more = if host == "db.example" { elsewhere } else { "" };
        let (hears, refused) = hears_the_password(host, &format!("{query}{more}")).await;
        assert_eq!(hears, does, "{host} {query}: {refused}");
        if !does && !query.starts_with("channel") {
            assert!(refused.contains("write sslmode=disable"), "{refused}");
        }
    }
}
