//! The other end of a socket, as known without reading.

use futures_util::FutureExt as _;
use tokio::{
    io::{Interest, Ready},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FarEnd {
    Open,
    /// It sends nothing more.
    /// It may still read, or be gone: both look the same until something is sent.
    HalfClosed,
    /// It takes nothing any more.
    Gone,
}

/// A socket with knowledge of its other end.
pub(super) trait Sees {
    /// The other end as it is now.
    /// Asks neither it nor the system.
    fn far_end(&self) -> FarEnd;
}

impl Sees for TcpStream {
    fn far_end(&self) -> FarEnd {
        let both = Interest::READABLE | Interest::WRITABLE;
        match self.ready(both).now_or_never() {
            None => FarEnd::Open,
            Some(ready) => ready.map_or(FarEnd::Gone, of),
        }
    }
}

impl<S: Sees> Sees for TlsStream<S> {
    fn far_end(&self) -> FarEnd {
        self.get_ref().0.far_end()
    }
}

fn of(ready: Ready) -> FarEnd {
    if ready.is_write_closed() {
        FarEnd::Gone
    } else if ready.is_read_closed() {
        FarEnd::HalfClosed
    } else {
        FarEnd::Open
    }
}
