//! A socket that does what hyper leaves out.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Limits, NetFailure, activity::Activity, deadline::Deadline, workarounds::bare_answer};

/// A connection's socket with what hyper does not do: a client that reads nothing fails the
/// write after a while, hyper's own bare answers are replaced, and a close can wait for what the
/// client is still sending.
pub(super) struct Guarded<S, R> {
    socket: S,
    activity: Arc<Activity>,
    limits: Limits,
    /// Makes the bytes that replace a bare answer.
    refusal: R,
    /// Those bytes, as far as they are not written yet.
    instead: Bytes,
    stall: Deadline,
    /// Runs once our side is shut down and the client's is not.
    lingering: Deadline,
}

impl<S, R> Guarded<S, R> {
    pub(super) fn new(socket: S, activity: Arc<Activity>, limits: &Limits, refusal: R) -> Self {
        let limits = limits.clone();
        let (stall, lingering) = (Deadline::default(), Deadline::default());
        Self {
            socket,
            activity,
            limits,
            refusal,
            instead: Bytes::new(),
            stall,
            lingering,
        }
    }

    /// Passes a write's outcome on; one that waits too long in a row becomes an error.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stall.stop();
            return outcome;
        }
        ready!(self.stall.poll(cx, self.limits.write_stall));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read",
        )))
    }
}

impl<S: AsyncWrite + Unpin, R: Fn(NetFailure) -> Bytes> Guarded<S, R> {
    /// Takes a bare answer out of the stream. Whether these bytes were one.
    fn replace(&mut self, bytes: &[u8]) -> bool {
        let Some(failure) = bare_answer(bytes, &self.limits) else {
            return false;
        };
        self.instead = (self.refusal)(failure);
        // It could not read the client's bytes, so there may be more of them.
        self.activity.linger();
        true
    }

    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let outcome = Pin::new(&mut self.socket).poll_write(cx, &self.instead);
            let written = ready!(self.watch(cx, outcome))?;
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
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S, R> AsyncWrite for Guarded<S, R>
where
    S: AsyncRead + AsyncWrite + Unpin,
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
        self.watch(cx, outcome)
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
        self.watch(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(cx))?;
        let outcome = Pin::new(&mut self.socket).poll_flush(cx);
        self.watch(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.lingering.runs() {
            ready!(self.poll_instead(cx))?;
            let outcome = Pin::new(&mut self.socket).poll_shutdown(cx);
            ready!(self.watch(cx, outcome))?;
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
