//! One connection, from accept to close.

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    App, NetFailure, Peer,
    activity::{Activity, Leave, Verdict},
    connection_registry::Registration,
    far_end::Sees,
    guarded_socket::Guarded,
    service,
    shared::{Phase, Shared},
    workarounds::refusal,
};

/// The time for a connection to close when it makes room.
/// Also the time for its requests to end.
const FAREWELL: Duration = Duration::from_millis(200);

/// The first byte of a TLS handshake record.
const TLS_HANDSHAKE: u8 = 0x16;

/// Serves one connection until it ends.
/// When the server stops, it ends once its requests are done.
pub(super) async fn run<A: App>(
    shared: Arc<Shared<A>>,
    stream: TcpStream,
    remote: SocketAddr,
    registration: Registration,
    phase: watch::Receiver<Phase>,
) {
    // Answers are written whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let activity = registration.activity();
    open_and_serve(&shared, stream, remote, activity, phase).await;
    activity.end();
    // HTTP/2 requests end a moment after their connection.
    // Their bytes count as about to be freed as long as the connection is known.
    let _ = timeout(FAREWELL, activity.room(0)).await;
}

async fn open_and_serve<A: App>(
    shared: &Arc<Shared<A>>,
    stream: TcpStream,
    remote: SocketAddr,
    activity: &Arc<Activity>,
    mut phase: watch::Receiver<Phase>,
) {
    let Some(certificate) = &shared.tls else {
        return serve(shared, stream, remote, activity, phase).await;
    };
    let acceptor = certificate.acceptor();
    let opened = tokio::select! {
        opened = timeout(shared.limits.handshake, open(&acceptor, stream)) => opened,
        _ = activity.asked() => return,
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => return,
    };
    match opened {
        Err(_) => tracing::debug!(%remote, "TLS handshake took too long"),
        Ok(Err(error)) => tracing::debug!(%remote, %error, "TLS handshake failed"),
        Ok(Ok(Opened::Tls(stream))) => serve(shared, *stream, remote, activity, phase).await,
        Ok(Ok(Opened::NotTls(stream))) => {
            tracing::debug!(%remote, "not TLS on a TLS port");
            refuse(shared, stream, remote, activity).await;
        }
        Ok(Ok(Opened::Gone)) => {}
    }
}

enum Opened {
    Tls(Box<tokio_rustls::server::TlsStream<TcpStream>>),
    NotTls(TcpStream),
    Gone,
}

async fn open(acceptor: &TlsAcceptor, stream: TcpStream) -> io::Result<Opened> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Ok(Opened::Gone);
    }
    if first != [TLS_HANDSHAKE] {
        return Ok(Opened::NotTls(stream));
    }
    Ok(Opened::Tls(Box::new(acceptor.accept(stream).await?)))
}

/// Answers in plain HTTP with a pointer to HTTPS, and closes.
async fn refuse<A: App>(
    shared: &Shared<A>,
    stream: TcpStream,
    remote: SocketAddr,
    activity: &Arc<Activity>,
) {
    let peer = Peer::new(remote.ip(), false);
    let refuse_with = |failure| refusal(&shared.app, failure, &peer);
    let answer = refuse_with(NetFailure::HttpsOnly);
    activity.linger();
    let (activity, load) = (activity.clone(), shared.load.clone());
    let mut socket = Guarded::new(stream, activity, load, &shared.limits, refuse_with);
    if socket.write_all(&answer).await.is_ok() {
        let _ = socket.shutdown().await;
    }
}

/// Serves HTTP on an opened connection and watches its time.
async fn serve<A: App, S>(
    shared: &Arc<Shared<A>>,
    stream: S,
    remote: SocketAddr,
    activity: &Arc<Activity>,
    mut phase: watch::Receiver<Phase>,
) where
    S: AsyncRead + AsyncWrite + Sees + Send + Unpin + 'static,
{
    let limits = &shared.limits;
    let refuse_with = {
        let (shared, peer) = (shared.clone(), Peer::new(remote.ip(), shared.tls.is_some()));
        move |failure| refusal(&shared.app, failure, &peer)
    };
    let load = shared.load.clone();
    let socket = Guarded::new(stream, activity.clone(), load, limits, refuse_with);
    let socket = TokioIo::new(socket);
    let connection = Arc::new(service::Connection {
        shared: shared.clone(),
        activity: activity.clone(),
        remote: remote.ip(),
        client: remote.ip().to_canonical().to_string().into(),
    });
    let service = service_fn(|request| service::answer(&connection, request));
    let mut http = pin!(shared.http.serve_connection(socket, service));
    let tick = limits.tick();
    let mut wake = Instant::now() + tick;
    let mut finishing = false;
    loop {
        tokio::select! {
            result = http.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%remote, %error, "connection ended");
                }
                return;
            }
            changed = phase.changed() => {
                if changed.is_err() || *phase.borrow() == Phase::Cut {
                    return;
                }
                http.as_mut().graceful_shutdown();
            }
            leave = activity.asked() => {
                if leave == Leave::AtOnce {
                    tracing::debug!(%remote, "connection cut, it holds more memory than others");
                    return;
                }
                finishing = true;
                wake = Instant::now() + FAREWELL;
                http.as_mut().graceful_shutdown();
            }
            () = sleep_until(wake) => match activity.verdict(limits) {
                Verdict::Cut => {
                    tracing::debug!(%remote, "connection cut, its client is silent");
                    return;
                }
                // Running requests have limits of their own.
                _ if finishing && (activity.is_idle() || activity.is_stuck()) => {
                    tracing::debug!(%remote, "connection cut, it did not finish");
                    return;
                }
                Verdict::Stay => {
                    activity.ask_for_look();
                    wake = Instant::now() + tick;
                }
                Verdict::Finish => {
                    finishing = true;
                    wake = Instant::now() + limits.drain;
                    http.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
