//! The reasons for which a server does not start.

use std::{io, net::SocketAddr, path::PathBuf};

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Plain HTTP on an address that others can reach.
    #[error(
        "{address} can be reached from outside, and plain HTTP would show every token. \
         Serve TLS (--tls-cert and --tls-key), or name the proxy in front that does \
         (--trusted-proxy), or accept plain HTTP knowingly (--insecure-http)"
    )]
    PlainHttp {
        /// What was asked for.
        address: SocketAddr,
    },
    /// The certificate chain cannot be used.
    #[error("certificate file {}: {problem}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The private key cannot be used. Says nothing of its content.
    #[error("key file {}: {problem}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
