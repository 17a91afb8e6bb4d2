//! A socket filling the gaps of hyper.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    Limits, Load, NetFailure,
    activity::{Activity, Leave},
    deadline::Deadline,
    far_end::{FarEnd, Sees},
    frame_rate_limit::FramePacer,
    hpack_budget::HeaderTable,
    pace::Pacer,
    workarounds::bare_answer,
};

/// Bytes read of a connection before its requests get their turn.
/// HTTP/2 would read everything from the system, and hold the heads of a hundred requests before the
/// first is answered.
const TURN: usize = 64 * 1024;

/// The time between two checks while the server holds too much.
/// The connection is not read meanwhile. Cut connections take a moment to go, and the remaining ones
/// would begin thousands of requests in it.
const PAUSE: Duration = Duration::from_millis(10);

/// A connection's socket with additions to hyper.
/// A client reading too slowly fails the write after a while. A client sending too many small frames
/// waits. hyper's own bare answers are replaced. A close can wait for bytes still on their way from the
/// client.
pub(super) struct Guarded<S, R> {
    socket: S,
    activity: Arc<Activity>,
    limits: Limits,
    /// Makes the bytes to replace a bare answer.
    refusal: R,
    /// The rest of those bytes, not written yet.
    instead: Bytes,
    pacer: Pacer,
    frames: FramePacer,
    header_table: HeaderTable,
    /// Runs during the pause for a refused request.
    refusals: Deadline,
    load: Load,
    /// Runs while all connections together hold too much.
    crowded: Deadline,
    /// Bytes read since the connection last gave way to its requests.
    read_in_turn: usize,
    /// Runs once our side is shut down and the client's is not.
    lingering: Deadline,
}

impl<S, R> Guarded<S, R> {
    pub(super) fn new(
        socket: S,
        activity: Arc<Activity>,
        load: Load,
        limits: &Limits,
        refusal: R,
    ) -> Self {
        let limits = limits.clone();
        let frames = FramePacer::new(limits.h2_frames);
        let header_table = HeaderTable::new(activity.clone());
        Self {
            socket,
            activity,
            limits,
            refusal,
            instead: Bytes::new(),
            pacer: Pacer::default(),
            frames,
            header_table,
            refusals: Deadline::default(),
            load,
            crowded: Deadline::default(),
            read_in_turn: 0,
            lingering: Deadline::default(),
        }
    }

    /// Passes on the number of bytes written.
    /// A client taking them too slowly is an error.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(outcome) = outcome {
            let bytes = *outcome.as_ref().unwrap_or(&0);
            self.pacer.moved(bytes, self.limits.download);
            self.frames.taken(bytes);
            self.activity.took();
            return Poll::Ready(outcome);
        }
        self.wait(cx)
    }

    /// Passes on a completed flush, in the same way.
    fn flushed(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        if outcome.is_ready() {
            self.pacer.stop();
            return outcome;
        }
        self.wait(cx)
    }

    fn wait<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        ready!(self.pacer.poll(cx, self.limits.download));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read, or too slowly",
        )))
    }
}

impl<S: Sees, R> Guarded<S, R> {
    /// Checks the other end of the socket if asked to.
    ///
    /// # Errors
    /// The other end is gone.
    fn look(&self) -> io::Result<()> {
        if !self.activity.takes_look() {
            return Ok(());
        }
        match self.socket.far_end() {
            FarEnd::Open => Ok(()),
            FarEnd::HalfClosed => {
                self.activity.half_closed();
                Ok(())
            }
            FarEnd::Gone => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

impl<S: AsyncWrite + Unpin, R: Fn(NetFailure) -> Bytes> Guarded<S, R> {
    /// Takes a bare answer out of the stream.
    /// Returns whether these bytes were one.
    fn replace(&mut self, bytes: &[u8]) -> bool {
        let Some(failure) = bare_answer(bytes, &self.limits) else {
            return false;
        };
        self.instead = (self.refusal)(failure);
        // hyper could not read the client's bytes, so there may be more of them.
        self.activity.linger();
        true
    }

    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let outcome = Pin::new(&mut self.socket).poll_write(cx, &self.instead);
            let written = ready!(self.written(cx, outcome))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin, R: Unpin> AsyncRead for Guarded<S, R> {
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
        ready!(self.frames.poll(cx));
        while self.activity.has_refusals() {
            let pause = self.limits.refusal_pause;
            ready!(self.refusals.poll(cx, pause));
            self.refusals.stop();
            self.activity.forgive();
        }
        while self.load.answers.excess() > 0 {
            ready!(self.crowded.poll(cx, PAUSE));
            self.crowded.stop();
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        let bytes = &buffer.filled()[before..];
        if !bytes.is_empty() {
            self.read_in_turn += bytes.len();
            let heads = self.frames.received(bytes);
            let kept = self.header_table.received(bytes.len(), heads);
            if kept > self.limits.h2_header_table_bytes && !self.activity.is_leaving() {
                self.activity.ask(Leave::WhenDone);
            }
            self.load.relieve();
            self.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S, R> AsyncWrite for Guarded<S, R>
where
    S: AsyncRead + AsyncWrite + Sees + Unpin,
    R: Fn(NetFailure) -> Bytes + Unpin,
{
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(cx))?;
        if self.replace(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let outcome = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.written(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(cx))?;
        if let [bytes] = slices
            && self.replace(bytes)
        {
            return Poll::Ready(Ok(bytes.len()));
        }
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.written(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes at each wake-up.
        self.look()?;
        ready!(self.poll_instead(cx))?;
        let outcome = Pin::new(&mut self.socket).poll_flush(cx);
        self.flushed(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.lingering.runs() {
            ready!(self.poll_instead(cx))?;
            let outcome = Pin::new(&mut self.socket).poll_shutdown(cx);
            ready!(self.flushed(cx, outcome))?;
            if !self.activity.lingers() {
                return Poll::Ready(Ok(()));
            }
        }
        let this = &mut *self;
        let mut scratch = [0; 16 * 1024];
        while this.lingering.poll(cx, this.limits.discard).is_pending() {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = ready!(Pin::new(&mut this.socket).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}
