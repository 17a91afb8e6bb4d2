//! A socket filling the gaps of hyper.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use futures_util::FutureExt as _;
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{
    App,
    activity::Stage,
    budget::Held,
    frames::FrameMeter,
    pace::Pacer,
    shared::Connection,
    workarounds::{bare_answer, refusal},
};

/// Bytes read of a connection before its requests get their turn.
/// HTTP/2 would read everything from the system, and hold the heads of a hundred requests before the
/// first is answered.
const TURN: usize = 64 * 1024;

/// The time between two checks of a connection with unpaid frames.
const FRAMES_PAUSE: Duration = Duration::from_millis(20);

/// The time between two checks while the server holds too much.
/// The connection is not read meanwhile. Cut connections take a moment to go, and the remaining ones
/// would begin thousands of requests in it.
const CROWDED_PAUSE: Duration = Duration::from_millis(10);

/// A connection's socket with additions to hyper.
/// A client reading too slowly fails the write after a while. A client sending too many small frames
/// waits. hyper's own bare answers are replaced. A close can wait for bytes still on their way from the
/// client.
pub(super) struct Guarded<A, S> {
    connection: Arc<Connection<A>>,
    socket: S,
    /// Returns the socket below TLS.
    tcp: fn(&S) -> &TcpStream,
    /// The rest of an answer in place of a bare one, not written yet.
    instead: Bytes,
    pacer: Pacer,
    frames: FrameMeter,
    /// Runs while nothing is read.
    pause: Option<Pin<Box<Sleep>>>,
    /// Bytes read since the connection last gave way to its requests.
    read_in_turn: usize,
    /// Runs once our side is shut down and the client's is not.
    lingering: Option<Pin<Box<Sleep>>>,
}

impl<A: App, S: AsyncRead + AsyncWrite + Unpin> Guarded<A, S> {
    pub(super) fn new(
        connection: Arc<Connection<A>>,
        socket: S,
        tcp: fn(&S) -> &TcpStream,
    ) -> Self {
        let header_table = Held::none_of(&connection.activity.held);
        let frames = FrameMeter::new(connection.shared.limits.h2_frames, header_table);
        Self {
            connection,
            socket,
            tcp,
            instead: Bytes::new(),
            pacer: Pacer::default(),
            frames,
            pause: None,
            read_in_turn: 0,
            lingering: None,
        }
    }

    /// The time to read nothing, if there is a reason.
    fn pause(&mut self) -> Option<Duration> {
        let (shared, activity) = self.connection.parts();
        if self.frames.is_in_debt() {
            Some(FRAMES_PAUSE)
        } else if activity.state().takes_refusal() {
            Some(shared.limits.refusal_pause)
        } else {
            (shared.load.answers.excess() > 0).then_some(CROWDED_PAUSE)
        }
    }

    /// Waits until the client may be read from.
    fn poll_pause(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
            }
            self.pause = self.pause().map(|time| Box::pin(sleep(time)));
            if self.pause.is_none() {
                return Poll::Ready(());
            }
        }
    }

    /// Checks the other end of the socket.
    /// hyper does not read during an HTTP/1.1 request. Asks neither it nor the system.
    ///
    /// # Errors
    /// The other end is gone.
    fn look(&self) -> io::Result<()> {
        let both = Interest::READABLE | Interest::WRITABLE;
        match (self.tcp)(&self.socket).ready(both).now_or_never() {
            Some(Ok(ready)) if !ready.is_write_closed() => {
                // It may still read, or be gone: both look the same until something is sent.
                if ready.is_read_closed() {
                    self.connection.activity.state().half_closed();
                }
                Ok(())
            }
            Some(_) => Err(io::ErrorKind::ConnectionReset.into()),
            None => Ok(()),
        }
    }

    /// Passes on an outcome. Waiting for the client too long is an error.
    fn in_time<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_pending() {
            ready!(self.pacer.poll(cx, self.connection.shared.limits.download));
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client does not read, or too slowly",
            )));
        }
        outcome
    }

    fn poll_socket(
        &mut self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        if let Poll::Ready(Ok(bytes)) = outcome {
            let (shared, activity) = self.connection.parts();
            self.pacer.moved(bytes, shared.limits.download);
            self.frames.pay(bytes as f64);
            activity.state().took();
        }
        self.in_time(cx, outcome)
    }

    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let instead = self.instead.clone();
            let written = ready!(self.poll_socket(cx, &[IoSlice::new(&instead)]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<A: App, S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Guarded<A, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read_in_turn >= TURN {
            self.read_in_turn = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.poll_pause(cx));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        let bytes = &buffer.filled()[before..];
        self.read_in_turn += bytes.len();
        let kept = self.frames.received(bytes);
        let (shared, activity) = self.connection.parts();
        if kept > shared.limits.h2_header_table_bytes {
            activity.enter(Stage::Leaving);
        }
        shared.load.relieve();
        activity.state().received();
        Poll::Ready(Ok(()))
    }
}

impl<A: App, S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<A, S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(cx))?;
        let (shared, activity) = self.connection.parts();
        if let [bytes] = slices
            && let Some(failure) = bare_answer(bytes, &shared.limits)
        {
            // hyper could not read the client's bytes, so there may be more of them.
            activity.state().lingers = true;
            self.instead = refusal(&shared.app, failure, &self.connection.peer);
            return Poll::Ready(Ok(bytes.len()));
        }
        self.poll_socket(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes at each wake-up.
        self.look()?;
        ready!(self.poll_instead(cx))?;
        let outcome = Pin::new(&mut self.socket).poll_flush(cx);
        if outcome.is_ready() {
            self.pacer.stop();
        }
        self.in_time(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(self.poll_instead(cx))?;
            let outcome = Pin::new(&mut self.socket).poll_shutdown(cx);
            ready!(self.in_time(cx, outcome))?;
            if !self.connection.activity.state().lingers {
                return Poll::Ready(Ok(()));
            }
        }
        let this = &mut *self;
        let begin = || Box::pin(sleep(this.connection.shared.limits.discard));
        let lingering = this.lingering.get_or_insert_with(begin);
        let mut scratch = [0; 16 * 1024];
        while lingering.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = ready!(Pin::new(&mut this.socket).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}
