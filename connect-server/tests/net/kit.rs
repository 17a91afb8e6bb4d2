//! A small app behind a real server, and clients that write raw bytes or speak HTTP.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use connect_server::net::{
    App, Body, BodyError, Limits, Listen, Load, NetFailure, Pace, Peer, PlainHttp, RequestNote,
    Server,
};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
    time::{sleep, timeout},
};

/// Longer than any limit in these tests: reaching it means a hang.
pub(super) const HANGS: Duration = Duration::from_secs(20);
/// Limits reached soon, and never.
pub(super) const SOON: Duration = Duration::from_millis(60);
pub(super) const NEVER: Duration = Duration::from_secs(3600);

/// The bytes of the answer at `/page`.
pub(super) const PAGE: usize = 100_000;

/// Answers by path; `/wait` waits until the test lets it go.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    entered: Arc<Semaphore>,
    pub(super) go: Arc<Semaphore>,
}

impl App for Probe {
    async fn call(&self, request: Request<Body>, peer: Peer) -> (Response<Bytes>, RequestNote) {
        let (parts, body) = request.into_parts();
        let response = match parts.uri.path() {
            "/hello" => answer(200, "hello"),
            "/peer" => answer(200, format!("{} {}", peer.address, peer.tls)),
            "/id" => answer(200, parts.headers["x-request-id"].as_bytes().to_vec()),
            "/announced" => {
                let announced = body.size_hint().exact();
                answer(200, format!("{announced:?} {}", body.is_end_stream()))
            }
            "/big" => answer(200, vec![0; 64_000_000]),
            "/page" => {
                self.entered.add_permits(1);
                answer(200, vec![0; PAGE])
            }
            "/refuse" => answer(413, "refused"),
            "/limited" => answer(429, "too many"),
            "/panic" => unreachable!("on purpose"),
            "/wait" => {
                self.entered.add_permits(1);
                self.go.acquire().await.unwrap().forget();
                answer(200, "waited")
            }
            "/echo" => echo(body).await,
            _ => answer(404, "not found"),
        };
        (response, RequestNote::default())
    }

    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes> {
        let body = format!("{{\"failure\":\"{failure:?} {}\"}}", peer.address);
        let mut response = answer(failure.status().as_u16(), body);
        let limit = HeaderValue::from_static("120");
        response.headers_mut().insert("x-ratelimit-limit", limit);
        response
    }
}

/// Answers with the body, of at most 1 MB.
async fn echo(body: Body) -> Response<Bytes> {
    const MOST: usize = 1_000_000;
    if body.size_hint().lower() > MOST as u64 {
        return answer(413, "too large");
    }
    match Limited::new(body, MOST).collect().await {
        Ok(body) => answer(200, body.to_bytes()),
        Err(error) => match error.downcast_ref::<BodyError>() {
            None => answer(413, "too large"),
            Some(BodyError::TooSlow) => answer(408, "too slow"),
            Some(BodyError::NoRoom) => answer(503, "no room"),
            Some(BodyError::Broken) => answer(400, "broken"),
        },
    }
}

fn answer(status: u16, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// A running server; stopped by [`Running::stop`].
pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) app: Probe,
    pub(super) load: Load,
    scheme: &'static str,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    pub(super) async fn start(listen: Listen) -> Self {
        let app = Probe {
            entered: Arc::new(Semaphore::new(0)),
            go: Arc::new(Semaphore::new(0)),
        };
        let server = Server::bind(listen).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let (address, scheme, load) = (server.address(), server.scheme(), server.load());
        let task = tokio::spawn(server.serve(app.clone(), async {
            let _ = stopped.await;
        }));
        Self {
            address,
            app,
            load,
            scheme,
            stop: Some(stop),
            task,
        }
    }

    /// A server on plain HTTP, with other limits than usual.
    pub(super) async fn with<T>(change: impl FnOnce(&mut Limits) -> T) -> Self {
        Self::start(listen(change)).await
    }

    /// The same behind these proxies.
    pub(super) async fn behind<T>(proxies: &str, change: impl FnOnce(&mut Limits) -> T) -> Self {
        let plain = PlainHttp::BehindProxy(proxies.parse().unwrap());
        Self::start(Listen {
            plain,
            ..listen(change)
        })
        .await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    pub(super) async fn get(&self, client: &reqwest::Client, path: &str) -> Answer {
        send(client.get(self.url(path))).await
    }

    pub(super) async fn post(&self, path: &str, body: impl Into<reqwest::Body>, v: V) -> Answer {
        send(client(v).post(self.url(path)).body(body)).await
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection after sending these bytes.
    pub(super) async fn sent(&self, bytes: impl AsRef<[u8]>) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(bytes.as_ref()).await.unwrap();
        stream
    }

    /// A connection with a request for `/wait` in the app.
    pub(super) async fn busy(&self, request: impl AsRef<[u8]>) -> TcpStream {
        let stream = self.sent(request).await;
        self.entered().await;
        stream
    }

    /// Sends these bytes on a connection of its own and returns all until the server closes it.
    pub(super) async fn exchange(&self, request: impl AsRef<[u8]>) -> String {
        read_to_end(&mut self.sent(request).await).await
    }

    /// A connection of HTTP/2 with room for `window` bytes of each answer.
    pub(super) async fn http2(&self, window: u32) -> (Http2, JoinHandle<hyper::Result<()>>) {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(window)
            .initial_connection_window_size(1 << 24)
            .handshake(TokioIo::new(self.connect().await))
            .await
            .unwrap();
        (sender, tokio::spawn(connection))
    }

    /// Waits until a request is with the app, at `/wait` or `/page`.
    pub(super) async fn entered(&self) {
        let entered = timeout(HANGS, self.app.entered.acquire()).await;
        entered.expect("the request gets in").unwrap().forget();
    }

    /// Returns the number of requests in the app unknown to the test.
    pub(super) fn unknown(&self) -> usize {
        self.app.entered.available_permits()
    }

    /// Waits for the expected state of the server.
    pub(super) async fn holds(&self, what: &str, expected: impl Fn(&Load) -> bool) {
        let wait = async {
            while !expected(&self.load) {
                sleep(Duration::from_millis(1)).await;
            }
        };
        let waited = timeout(HANGS, wait).await;
        waited.unwrap_or_else(|_| panic!("{what}: {:?}", self.load));
    }

    /// Asks the server to stop, without waiting for it.
    pub(super) fn begin_stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    /// Stops the server, without a hang or a panic.
    pub(super) async fn stop(mut self) {
        self.begin_stop();
        let stopped = timeout(HANGS, self.task).await;
        stopped.expect("the server stops").unwrap();
    }
}

pub(super) type Http2 = SendRequest<Empty<Bytes>>;

/// An answer, read to its end.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) version: http::Version,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// The version of HTTP of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum V {
    One,
    Two,
}

pub(super) const BOTH: [V; 2] = [V::One, V::Two];

pub(super) fn client(version: V) -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    let builder = match version {
        V::One => builder.http1_only(),
        V::Two => builder.http2_prior_knowledge(),
    };
    builder.build().unwrap()
}

pub(super) async fn send(request: reqwest::RequestBuilder) -> Answer {
    let answer = timeout(HANGS, request.send()).await.expect("in time");
    let answer = answer.expect("an answer");
    Answer {
        status: answer.status().as_u16(),
        version: answer.version(),
        headers: answer.headers().clone(),
        body: answer.bytes().await.expect("a body"),
    }
}

/// Sends a request on a connection of HTTP/2, without taking the body of its answer.
pub(super) async fn ask(
    sender: &mut Http2,
    path: &str,
) -> hyper::Result<Response<hyper::body::Incoming>> {
    let request = Request::get(format!("http://x{path}")).body(Empty::new());
    let answer = sender.send_request(request.unwrap());
    timeout(HANGS, answer).await.expect("in time")
}

fn listen<T>(change: impl FnOnce(&mut Limits) -> T) -> Listen {
    let mut listen = Listen::on(loopback());
    change(&mut listen.limits);
    listen
}

pub(super) fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

pub(super) fn pace(bytes: usize, within: Duration) -> Pace {
    Pace { bytes, within }
}

/// A request on a lasting connection.
pub(super) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

/// The last request on a connection.
pub(super) fn last(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
}

pub(super) fn post(path: &str, headers: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n{body}")
}

/// All bytes until the connection ends, in any way.
pub(super) async fn read_to_end(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut all = Vec::new();
    let read = timeout(HANGS, stream.read_to_end(&mut all)).await;
    let _ = read.expect("the connection ends");
    String::from_utf8_lossy(&all).into_owned()
}
