//! One connection, from accept to close.

use std::{io, net::SocketAddr, pin::pin, sync::Arc};

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
    activity::{Activity, Verdict},
    guarded::Guarded,
    service,
    shared::{Phase, Shared},
    workarounds::refusal,
};

/// A TLS record that starts a handshake.
const TLS_HANDSHAKE: u8 = 0x16;

/// Serves one connection until it ends, or until the server stops and its requests are done.
pub(super) async fn run<A: App>(
    shared: Arc<Shared<A>>,
    stream: TcpStream,
    remote: SocketAddr,
    mut phase: watch::Receiver<Phase>,
) {
    // Answers are written whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let Some(acceptor) = &shared.tls else {
        return serve(&shared, stream, remote, phase).await;
    };
    let opened = tokio::select! {
        opened = timeout(shared.limits.handshake, open(acceptor, stream)) => opened,
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => return,
    };
    match opened {
        Err(_) => tracing::debug!(%remote, "TLS handshake took too long"),
        Ok(Err(error)) => tracing::debug!(%remote, %error, "TLS handshake failed"),
        Ok(Ok(Opened::Tls(stream))) => serve(&shared, *stream, remote, phase).await,
        Ok(Ok(Opened::NotTls(stream))) => {
            tracing::debug!(%remote, "not TLS on a TLS port");
            refuse(&shared, stream, remote).await;
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

/// Says in plain HTTP that this port speaks TLS, and closes.
async fn refuse<A: App>(shared: &Shared<A>, stream: TcpStream, remote: SocketAddr) {
    let peer = Peer::new(remote.ip(), false);
    let refuse_with = |failure| refusal(&shared.app, failure, &peer);
    let answer = refuse_with(NetFailure::HttpsOnly);
    let activity = Arc::new(Activity::new());
    activity.linger();
    let mut socket = Guarded::new(stream, activity, &shared.limits, refuse_with);
    if socket.write_all(&answer).await.is_ok() {
        let _ = socket.shutdown().await;
    }
}

/// HTTP on an opened connection, and the watch over its time.
async fn serve<A: App, S>(
    shared: &Arc<Shared<A>>,
    stream: S,
    remote: SocketAddr,
    mut phase: watch::Receiver<Phase>,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let limits = &shared.limits;
    let activity = Arc::new(Activity::new());
    let refuse_with = {
        let (shared, peer) = (shared.clone(), Peer::new(remote.ip(), shared.tls.is_some()));
        move |failure| refusal(&shared.app, failure, &peer)
    };
    let socket = TokioIo::new(Guarded::new(stream, activity.clone(), limits, refuse_with));
    let service = service_fn(|request| {
        service::answer(shared.clone(), activity.clone(), remote.ip(), request)
    });
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
            () = sleep_until(wake) => {
                if finishing {
                    tracing::debug!(%remote, "connection cut, it did not finish");
                    return;
                }
                wake = Instant::now() + tick;
                match activity.verdict(limits) {
                    Verdict::Stay => {}
                    Verdict::Cut => {
                        tracing::debug!(%remote, "connection cut, its request head did not come");
                        return;
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
}
