//! A client that says exactly what it is told to.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

pub(super) struct Sent<'a> {
    /// The lines of the signature header.
    pub(super) lines: Vec<String>,
    pub(super) body: &'a [u8],
    /// Size of the chunks; without it the length is announced.
    pub(super) chunks: Option<usize>,
}

/// Sends a request and gives the status and the body of the answer.
pub(super) async fn request(address: SocketAddr, path: &str, sent: &Sent<'_>) -> (u16, String) {
    let mut text = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for line in &sent.lines {
        text += &format!("Service-Signature: {line}\r\n");
    }
    let mut bytes = text.into_bytes();
    match sent.chunks {
        None => {
            bytes.extend(format!("Content-Length: {}\r\n\r\n", sent.body.len()).bytes());
            bytes.extend(sent.body);
        }
        Some(size) => {
            bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            for chunk in sent.body.chunks(size) {
                bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        }
    }
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(&bytes).await.unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    // A server that refuses early may close before it has read all: what it said counts.
    while let Ok(length @ 1..) = connection.read(&mut buffer).await {
        answer.extend(&buffer[..length]);
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// Announces a body, sends none of it, and gives the beginning of the answer.
pub(super) async fn announce(address: SocketAddr, length: usize) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!("POST /raw HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 64];
    let read = timeout(Duration::from_secs(10), connection.read(&mut answer));
    let length = read.await.expect("an answer without the body").unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

/// Announces more than it sends, closes its side, and waits until the server has closed, too.
pub(super) async fn break_off(address: SocketAddr, line: &str) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /raw HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\
         Service-Signature: {line}\r\n\r\n{{}}"
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.shutdown().await.unwrap();
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer).await;
    assert!(
        !answer.starts_with(b"HTTP/1.1 2"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}
