use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::Limits;
use super::activity::Activity;

/// A connection's socket with the two things that hyper does not do: a client that reads nothing
/// fails the write after a while, and a close can wait for what the client is still sending.
#[derive(Debug)]
pub(super) struct Guarded<S> {
    socket: S,
    activity: Arc<Activity>,
    write_stall: Duration,
    linger: Duration,
    /// Runs while a write waits; made on the first one that does.
    stall: Option<Pin<Box<Sleep>>>,
    stalled: bool,
    /// Runs once our side is shut down and the client's is not.
    lingering: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    pub(super) fn new(socket: S, activity: Arc<Activity>, limits: &Limits) -> Self {
        Self {
            socket,
            activity,
            write_stall: limits.write_stall,
            linger: limits.discard,
            stall: None,
            stalled: false,
            lingering: None,
        }
    }

    /// Passes a write's outcome on; one that waits too long in a row becomes an error.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = false;
            return outcome;
        }
        let wait = self.write_stall;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(wait)));
        if !self.stalled {
            self.stalled = true;
            stall.as_mut().reset(Instant::now() + wait);
        }
        ready!(stall.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
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

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.watch(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.watch(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.socket).poll_flush(cx);
        self.watch(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            let outcome = Pin::new(&mut self.socket).poll_shutdown(cx);
            ready!(self.watch(cx, outcome))?;
            if !self.activity.lingers() {
                return Poll::Ready(Ok(()));
            }
        }
        let this = &mut *self;
        let wait = this.linger;
        let lingering = this.lingering.get_or_insert_with(|| Box::pin(sleep(wait)));
        let mut scratch = [0; 4096];
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
