//! The sender of a request.

use std::net::IpAddr;

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The client's address: of the connection, or what a trusted proxy said. An IPv4 address
    /// mapped into IPv6 is given as IPv4.
    pub address: IpAddr,
    /// Set when the client's own connection was encrypted, as far as we know: TLS ends here, or a
    /// trusted proxy said `X-Forwarded-Proto: https`.
    pub tls: bool,
}

impl Peer {
    /// The far end of a connection.
    pub(super) fn new(address: IpAddr, tls: bool) -> Self {
        Self {
            address: address.to_canonical(),
            tls,
        }
    }
}
