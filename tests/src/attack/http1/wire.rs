//! Requests as bytes, and answers counted in bytes.

use std::io;

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::attack::scene::{Scene, Tally};

/// The head of a request, without the empty line at its end.
pub(super) fn head(method: &str, path: &str, token: Option<&str>) -> String {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
    match token {
        Some(token) => format!("{head}Authorization: Bearer {token}\r\n"),
        None => head,
    }
}

/// The head of a batch with this body length, including the empty line.
pub(super) fn batch_head(scene: &Scene, length: usize) -> String {
    let head = head(
        "POST",
        &format!("{}/batch", scene.products),
        Some(scene.token()),
    );
    format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
}

/// The head of a chunked batch, including the empty line.
pub(super) fn chunked_head(scene: &Scene) -> String {
    let head = head(
        "POST",
        &format!("{}/batch", scene.products),
        Some(scene.token()),
    );
    format!("{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
}

/// Writes the start of a request, then `more` repeatedly, counting answers meanwhile.
pub(super) async fn flood(scene: &Scene, begin: &[u8], more: &[u8]) -> io::Result<()> {
    let (mut reading, mut writing) = scene.connect().await?.into_split();
    let write = async {
        writing.write_all(begin).await?;
        loop {
            writing.write_all(more).await?;
        }
    };
    tokio::select! {
        ended = write => ended,
        ended = count(&mut reading, &scene.tally) => ended,
    }
}

/// Writes bytes on a new connection, and counts answers until it ends.
pub(super) async fn send_and_wait(scene: &Scene, bytes: &[u8]) -> io::Result<()> {
    let mut stream = scene.connect().await?;
    stream.write_all(bytes).await?;
    count(&mut stream, &scene.tally).await
}

/// Reads to the end of a connection, and counts the answers.
/// The bodies of this service contain no status line.
pub(super) async fn count(reading: &mut (impl AsyncRead + Unpin), tally: &Tally) -> io::Result<()> {
    const STATUS: &[u8] = b"HTTP/1.1 ";
    let (mut text, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let read = reading.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        text.extend_from_slice(&buffer[..read]);
        let lines = text
            .windows(STATUS.len() + 1)
            .filter(|line| line.starts_with(STATUS));
        for line in lines {
            tally.answered(line.ends_with(b"2"));
        }
        // A line may come in two parts.
        text.drain(..text.len().saturating_sub(STATUS.len()));
    }
}

/// Reads a byte each second.
pub(super) async fn sip(stream: &mut TcpStream) -> io::Result<()> {
    loop {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        if stream.read(&mut [0]).await? == 0 {
            return Ok(());
        }
    }
}
