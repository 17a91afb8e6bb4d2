//! One connection, from accept to close.

use std::{io, pin::pin, sync::Arc, time::Duration};

use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, sink},
    net::TcpStream,
    time::{Instant, sleep_until, timeout},
};

use super::{
    App, NetFailure, Peer,
    activity::{Stage, Verdict},
    guarded_socket::Guarded,
    service,
    shared::Connection,
    workarounds::refusal,
};

/// The time for a connection to close when it makes room.
/// Also the time for its requests to end.
const FAREWELL: Duration = Duration::from_millis(200);

/// The first byte of a TLS handshake record.
const TLS_HANDSHAKE: u8 = 0x16;

/// Serves one connection until it ends.
/// When the server stops, it ends once its requests are done.
pub(super) async fn run<A: App>(connection: Arc<Connection<A>>, stream: TcpStream) {
    // Answers are written whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    open_and_serve(&connection, stream).await;
    connection.activity.enter(Stage::Ended);
}

async fn open_and_serve<A: App>(connection: &Arc<Connection<A>>, stream: TcpStream) {
    let (shared, activity) = connection.parts();
    let remote = connection.remote;
    let Some(certificate) = &shared.tls else {
        return serve(connection, stream, |stream| stream).await;
    };
    let acceptor = certificate.acceptor();
    let open = async {
        let mut first = [0];
        match stream.peek(&mut first).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ if first != [TLS_HANDSHAKE] => Ok(Err(stream)),
            _ => acceptor.accept(stream).await.map(Ok),
        }
    };
    let opened = tokio::select! {
        opened = timeout(shared.limits.handshake, open) => opened,
        _ = activity.after(Stage::Serving) => return,
    };
    match opened.unwrap_or_else(|late| Err(late.into())) {
        Ok(Ok(stream)) => serve(connection, stream, |stream| stream.get_ref().0).await,
        Ok(Err(stream)) => {
            tracing::debug!(%remote, "not TLS on a TLS port");
            refuse(connection, stream).await;
        }
        Err(error) => tracing::debug!(%remote, %error, "TLS handshake failed"),
    }
}

/// Answers in plain HTTP with a pointer to HTTPS, and closes.
async fn refuse<A: App>(connection: &Connection<A>, mut stream: TcpStream) {
    let (shared, _) = connection.parts();
    let peer = Peer::new(connection.remote.ip(), false);
    let answer = refusal(&shared.app, NetFailure::HttpsOnly, &peer);
    let answered = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await?;
        // The system answers unread bytes with a reset, which can overtake the answer.
        copy(&mut stream, &mut sink()).await
    };
    let _ = timeout(shared.limits.discard, answered).await;
}

/// Serves HTTP on an opened connection and watches its time.
async fn serve<A: App, S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    connection: &Arc<Connection<A>>,
    stream: S,
    tcp: fn(&S) -> &TcpStream,
) {
    let (shared, activity) = connection.parts();
    let (limits, remote) = (&shared.limits, connection.remote);
    let socket = TokioIo::new(Guarded::new(connection.clone(), stream, tcp));
    let service = service_fn(|request| service::answer(connection, request));
    let mut http = pin!(shared.http.serve_connection(socket, service));
    let tick = limits.tick();
    let mut wake = Instant::now();
    let mut stage = Stage::Serving;
    let mut finishing = false;
    loop {
        tokio::select! {
            result = http.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%remote, %error, "connection ended");
                }
                return;
            }
            next = activity.after(stage) => {
                if next >= Stage::Cut {
                    tracing::debug!(%remote, "connection cut, the server stops or has no memory left");
                    return;
                }
                if next == Stage::Leaving {
                    finishing = true;
                    wake = Instant::now() + FAREWELL;
                }
                stage = next;
            }
            () = sleep_until(wake) => match activity.verdict(limits) {
                // Running requests have limits of their own.
                verdict if verdict == Verdict::Cut || finishing && activity.state().is_done() => {
                    tracing::debug!(%remote, "connection cut, its client is silent");
                    return;
                }
                Verdict::Finish => {
                    finishing = true;
                    wake = Instant::now() + limits.drain;
                }
                _ => {
                    wake = Instant::now() + tick;
                    continue;
                }
            }
        }
        http.as_mut().graceful_shutdown();
    }
}
