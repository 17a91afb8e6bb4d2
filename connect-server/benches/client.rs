//! A client that costs little: bytes made beforehand, and of the answers only what tells where
//! they end.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const CONNECTIONS: usize = 32;

/// Connections to one server, which are kept.
pub struct Client {
    address: SocketAddr,
    connections: Vec<Connection>,
    requests: Arc<Vec<Vec<u8>>>,
    sent: usize,
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// A client that sends these requests in turns.
    pub fn of(address: SocketAddr, requests: Vec<Vec<u8>>) -> Self {
        Self {
            address,
            connections: Vec::new(),
            requests: Arc::new(requests),
            sent: 0,
        }
    }

    /// Connects, unless it has: a connection without a request is soon closed by the server.
    async fn connect(&mut self) {
        while self.connections.len() < CONNECTIONS {
            let stream = TcpStream::connect(self.address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            self.connections.push(Connection {
                stream,
                buffer: vec![0; 256 * 1024],
            });
        }
    }

    /// The body of the answer to the first request.
    pub async fn one(&mut self) -> Vec<u8> {
        self.connect().await;
        let body = self.connections[0].exchange(&self.requests[0]).await;
        self.connections[0].buffer[body].to_vec()
    }

    /// Sends `count` requests over all connections at once, each waiting for its answers.
    pub async fn run(&mut self, count: usize) {
        self.connect().await;
        let each = count / CONNECTIONS;
        let mut tasks = Vec::new();
        for mut connection in self.connections.drain(..) {
            let (requests, first) = (self.requests.clone(), self.sent);
            self.sent += each;
            tasks.push(tokio::spawn(async move {
                for number in first..first + each {
                    connection
                        .exchange(&requests[number % requests.len()])
                        .await;
                }
                connection
            }));
        }
        for task in tasks {
            self.connections.push(task.await.unwrap());
        }
    }
}

impl Connection {
    /// Sends a request and reads its answer; where in the buffer the body lies.
    async fn exchange(&mut self, request: &[u8]) -> std::ops::Range<usize> {
        self.stream.write_all(request).await.unwrap();
        let mut filled = 0;
        let mut end = None;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await.unwrap();
            assert!(read > 0, "the server closed the connection");
            filled += read;
            end = end.or_else(|| find_body(&self.buffer[..filled]));
            if let Some((start, length)) = end
                && filled >= start + length
            {
                return start..start + length;
            }
        }
    }
}

/// Where the body starts and how long it is, once the whole head is there.
fn find_body(answer: &[u8]) -> Option<(usize, usize)> {
    const LENGTH: &[u8] = b"\r\ncontent-length: ";
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
    assert!(
        answer.starts_with(b"HTTP/1.1 20"),
        "{}",
        String::from_utf8_lossy(answer)
    );
    let at = answer[..head]
        .windows(LENGTH.len())
        .position(|name| name == LENGTH)
        .unwrap();
    let digits = answer[at + LENGTH.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
    Some((head + 4, length))
}
