//! The parts of a server shared by its connections, and of a connection by its requests.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use hyper_util::{
    rt::{TokioExecutor, TokioTimer},
    server::conn::auto,
};

use super::{Certificate, Limits, Load, Peer, PlainHttp, activity::Activity};

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
    /// Returns whether this is the address of a trusted proxy.
    pub(super) fn is_proxy(&self, remote: IpAddr) -> bool {
        let proxies = self.plain.proxies();
        proxies.is_some_and(|proxies| proxies.contains(remote.to_canonical()))
    }
}

/// A connection, as its socket and its requests need it.
pub(super) struct Connection<A> {
    pub(super) shared: Arc<Shared<A>>,
    pub(super) activity: Arc<Activity>,
    pub(super) remote: SocketAddr,
    /// The sender of each request, unless a proxy names another.
    pub(super) peer: Peer,
}

impl<A> Connection<A> {
    /// Returns the server's part and its own.
    pub(super) fn parts(&self) -> (&Shared<A>, &Arc<Activity>) {
        (&self.shared, &self.activity)
    }
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
