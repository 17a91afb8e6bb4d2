//! The parts of a server shared by its connections.

use std::net::IpAddr;

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;

use super::{Certificate, Limits, Load, PlainHttp, connection_registry::Registration};

/// The state shared by all connections of a server.
pub(super) struct Shared<A> {
    pub(super) app: A,
    pub(super) limits: Limits,
    pub(super) load: Load,
    pub(super) plain: PlainHttp,
    pub(super) tls: Option<Certificate>,
    pub(super) http: auto::Builder<TokioExecutor>,
}

impl<A> Shared<A> {
    /// Registers a new connection; `None` beyond its address's limit.
    /// Trusted proxies have no such limit: each speaks for many clients.
    pub(super) fn enter(&self, remote: IpAddr) -> Option<Registration> {
        let remote = remote.to_canonical();
        let is_proxy = self.is_proxy(remote);
        let registration = self.load.registry.enter((!is_proxy).then_some(remote));
        if registration.is_none() {
            tracing::debug!(%remote, "too many connections from one address: closing one at once");
        }
        registration
    }

    /// Returns whether this is the address of a trusted proxy.
    pub(super) fn is_proxy(&self, remote: IpAddr) -> bool {
        let proxies = self.plain.proxies();
        proxies.is_some_and(|proxies| proxies.contains(remote.to_canonical()))
    }
}

/// The stages of stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Serving,
    /// No new request; running ones finish.
    Draining,
    /// The time for draining is over.
    Cut,
}

/// Builds hyper's server with our limits.
pub(super) fn http(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        // See `workarounds`.
        .header_read_timeout(None)
        .half_close(true)
        .max_buf_size(limits.head_hard_bytes);
    http.http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(limits.head_hard_bytes).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.h2_streams)
        .initial_stream_window_size(limits.h2_window)
        .initial_connection_window_size(limits.h2_window)
        .keep_alive_interval(limits.h2_ping);
    http
}
