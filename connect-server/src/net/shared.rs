//! The parts of a server that its connections share.

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;
use tokio_rustls::TlsAcceptor;

use super::{Limits, PlainHttp};

/// The things that all connections of a server use.
pub(super) struct Shared<A> {
    pub(super) app: A,
    pub(super) limits: Limits,
    pub(super) plain: PlainHttp,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) http: auto::Builder<TokioExecutor>,
}

/// The stages of stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Serving,
    /// No new request; running ones finish.
    Draining,
    /// The time for that is over.
    Cut,
}

/// hyper with our limits.
pub(super) fn http(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        // See `workarounds`.
        .header_read_timeout(None)
        .max_buf_size(limits.head_hard_bytes);
    http.http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(limits.head_hard_bytes).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.h2_streams)
        .max_pending_accept_reset_streams(limits.h2_pending_resets)
        .max_local_error_reset_streams(limits.h2_error_resets)
        .keep_alive_interval(limits.h2_ping)
        .keep_alive_timeout(limits.h2_ping_answer);
    http
}
