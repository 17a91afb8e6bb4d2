//! A host that does what a test tells it to, byte by byte.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinHandle,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

/// The bytes that the host sends in response to a request.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The first bytes.
    start: Vec<u8>,
    then: Then,
}

#[derive(Clone, Debug)]
enum Then {
    Close,
    /// Keeps the connection open, and sends nothing more.
    Hang,
    /// Sends this again and again, after a pause each time.
    Repeat(Vec<u8>, Duration),
}

impl Script {
    /// Sends these bytes and closes the connection.
    pub(crate) fn raw(response: impl Into<Vec<u8>>) -> Self {
        Self {
            start: response.into(),
            then: Then::Close,
        }
    }

    /// A head of these lines in front of a body.
    pub(crate) fn response(head: &str, body: &[u8]) -> Self {
        let mut response = format!("HTTP/1.1 {head}\r\n\r\n").into_bytes();
        response.extend(body);
        Self::raw(response)
    }

    /// A file as it should be sent, but for its type.
    pub(crate) fn ok(file: &[u8]) -> Self {
        let length = file.len();
        let head = format!("200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}");
        Self::response(&head, file)
    }

    /// A redirect.
    pub(crate) fn to(location: &str) -> Self {
        let head = format!("302 Found\r\nContent-Length: 0\r\nLocation: {location}");
        Self::response(&head, b"")
    }

    pub(crate) fn then_hang(mut self) -> Self {
        self.then = Then::Hang;
        self
    }

    pub(crate) fn then_repeat(mut self, bytes: &[u8], pause: Duration) -> Self {
        self.then = Then::Repeat(bytes.to_vec(), pause);
        self
    }
}

/// A running host on loopback. It ends when it is dropped.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    /// The number of requests that arrived.
    requests: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Host {
    /// Starts a host that answers each path with a script.
    pub(crate) async fn start(answer: impl Fn(&str) -> Script + Send + Sync + 'static) -> Self {
        Self::start_on("127.0.0.1", answer).await
    }

    /// The same over TLS.
    pub(crate) async fn start_tls(
        tls: TlsAcceptor,
        answer: impl Fn(&str) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::serve("127.0.0.1", Some(tls), answer).await
    }

    /// The same on this address.
    pub(crate) async fn start_on(
        address: &str,
        answer: impl Fn(&str) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::serve(address, None, answer).await
    }

    async fn serve(
        address: &str,
        tls: Option<TlsAcceptor>,
        answer: impl Fn(&str) -> Script + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = requests.clone();
        let answer = Arc::new(move |path: &str| {
            counter.fetch_add(1, Ordering::SeqCst);
            answer(path)
        });
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (answer, tls) = (answer.clone(), tls.clone());
                // A client that goes away ends its own connection only.
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, &*answer).await,
                        Some(tls) => converse(tls.accept(stream).await?, &*answer).await,
                    }
                });
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    /// The number of requests that have arrived.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// A link to a path of this host.
    pub(crate) fn link(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request.
async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: &impl Fn(&str) -> Script,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head);
    // A connection that ends before all was read is reset.
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await?;
    let script = answer(head.split(' ').nth(1).unwrap_or_default());
    stream.write_all(&script.start).await?;
    match script.then {
        Then::Close => stream.shutdown().await,
        Then::Hang => std::future::pending().await,
        Then::Repeat(bytes, pause) => loop {
            sleep(pause).await;
            stream.write_all(&bytes).await?;
        },
    }
}
