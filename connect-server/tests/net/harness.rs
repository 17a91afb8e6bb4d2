//! A small app behind a real server, and a client that writes raw bytes.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use connect_server::net::{App, Body, BodyError, Limits, Listen, Load, NetFailure, Peer, Server};
use http::{Request, Response, StatusCode};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Limited};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
    time::{sleep, timeout},
};

/// Longer than any limit in these tests: reaching it means that something hangs.
pub(super) const HANGS: Duration = Duration::from_secs(20);

/// The bytes of the answer at `/page`.
pub(super) const PAGE: usize = 100_000;

/// Answers by path; `/wait` waits until the test lets it go.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) entered: Arc<Semaphore>,
    pub(super) go: Arc<Semaphore>,
}

impl App for Probe {
    async fn call(&self, request: Request<Body>, peer: Peer) -> Response<Bytes> {
        let (parts, body) = request.into_parts();
        match parts.uri.path() {
            "/hello" => text("hello"),
            "/peer" => text(format!("{} {}", peer.address, peer.tls)),
            "/id" => text(parts.headers["x-request-id"].as_bytes().to_vec()),
            "/announced" => {
                let announced = body.size_hint().exact();
                text(format!("{announced:?} {}", body.is_end_stream()))
            }
            "/big" => text(vec![0; 64_000_000]),
            "/page" => {
                self.entered.add_permits(1);
                text(vec![0; PAGE])
            }
            "/refuse" => status(StatusCode::PAYLOAD_TOO_LARGE, "refused"),
            "/limited" => status(StatusCode::TOO_MANY_REQUESTS, "too many"),
            "/panic" => unreachable!("on purpose"),
            "/wait" => {
                self.entered.add_permits(1);
                self.go.acquire().await.expect("never closed").forget();
                text("waited")
            }
            "/echo" => echo(body).await,
            _ => status(StatusCode::NOT_FOUND, "not found"),
        }
    }

    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes> {
        let mut response = status(
            failure.status(),
            format!("{{\"failure\":\"{failure:?} {}\"}}", peer.address),
        );
        response
            .headers_mut()
            .insert("x-ratelimit-limit", http::HeaderValue::from_static("120"));
        response
    }
}

/// Answers with the body, of at most 1 MB.
async fn echo(body: Body) -> Response<Bytes> {
    const MOST: usize = 1_000_000;
    if body.size_hint().lower() > MOST as u64 {
        return status(StatusCode::PAYLOAD_TOO_LARGE, "too large");
    }
    match Limited::new(body, MOST).collect().await {
        Ok(body) => text(body.to_bytes()),
        Err(error) => match error.downcast_ref::<BodyError>() {
            None => status(StatusCode::PAYLOAD_TOO_LARGE, "too large"),
            Some(BodyError::TooSlow) => status(StatusCode::REQUEST_TIMEOUT, "too slow"),
            Some(BodyError::NoRoom) => status(StatusCode::SERVICE_UNAVAILABLE, "no room"),
            Some(BodyError::Broken) => status(StatusCode::BAD_REQUEST, "broken"),
        },
    }
}

fn text(body: impl Into<Bytes>) -> Response<Bytes> {
    Response::new(body.into())
}

fn status(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = text(body);
    *response.status_mut() = status;
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
        let server = Server::bind(listen).await.expect("binds");
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

    pub(super) async fn plain(limits: Limits) -> Self {
        Self::start(Listen {
            limits,
            ..Listen::on(loopback())
        })
        .await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connects")
    }

    /// Sends these bytes on a connection of its own and gives all that comes back until the
    /// server closes.
    pub(super) async fn exchange(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.expect("writes");
        read_to_end(&mut stream).await
    }

    /// Waits until a request is with the app, at `/wait` or `/page`.
    pub(super) async fn entered(&self) {
        let entered = timeout(HANGS, self.app.entered.acquire()).await;
        let entered = entered.expect("the request gets in");
        entered.expect("never closed").forget();
    }

    /// Waits until what the server holds is as it should be.
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

    /// Waits until the server has stopped.
    pub(super) async fn stopped(self) {
        timeout(HANGS, self.task)
            .await
            .expect("the server stops")
            .expect("and does not panic");
    }

    pub(super) async fn stop(mut self) {
        self.begin_stop();
        self.stopped().await;
    }
}

pub(super) fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// All that comes until the connection ends, however it ends.
pub(super) async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let _ = timeout(HANGS, stream.read_to_end(&mut all))
        .await
        .expect("the connection ends");
    String::from_utf8_lossy(&all).into_owned()
}

/// A client that speaks HTTP/1.1, or HTTP/2 at once when told to.
pub(super) fn client(http2: bool) -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    let builder = if http2 {
        builder.http2_prior_knowledge()
    } else {
        builder.http1_only()
    };
    builder.build().expect("a client")
}
