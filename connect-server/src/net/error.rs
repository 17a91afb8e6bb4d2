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
    /// The certificate chain cannot be used.
    #[error("certificate file {}: {problem}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        problem: String,
    },
    /// The private key cannot be used. Its content is not shown.
    #[error("key file {}: {problem}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        problem: String,
    },
}
