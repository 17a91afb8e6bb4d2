//! The reasons why a server does not start.

use std::{io, net::SocketAddr, path::PathBuf};

/// The reason why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// Plain HTTP on an address reachable from outside.
    #[error(
        "{address} can be reached from outside, and plain HTTP would show every token. \
         Serve TLS (--tls-cert and --tls-key), or name the proxy in front that does \
         (--trusted-proxy), or accept plain HTTP knowingly (--insecure-http)"
    )]
    PlainHttp {
        /// The requested address.
        address: SocketAddr,
    },
    /// A file for TLS cannot be used. The content of a key is not shown.
    #[error("{kind} file {}: {problem}", path.display())]
    TlsFile {
        /// The kind of file: `certificate` or `key`.
        kind: &'static str,
        /// The file.
        path: PathBuf,
        /// The problem with it.
        problem: String,
    },
}
