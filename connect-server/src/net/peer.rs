//! The sender of a request: the far end, or a trusted proxy's client.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;

use super::networks::Networks;

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The client's address, of the connection or given by a trusted proxy.
    /// An IPv4 address mapped into IPv6 is given as IPv4.
    pub address: IpAddr,
    /// Set when the client's own connection was encrypted, if known.
    /// TLS ends here, or a trusted proxy said `X-Forwarded-Proto: https`.
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

/// Returns the client behind a trusted proxy.
/// `None` if the client reached the proxy without TLS.
///
/// Each proxy appends its client's address to `X-Forwarded-For`, and anything further left may be made
/// up. So the client is the last address not of a trusted proxy. An unreadable entry ends the search:
/// then only the connection itself is known. `X-Forwarded-Proto` is strict, every value in it must be
/// `https`. A request without it is accepted, and counts as unencrypted.
pub(super) fn forwarded(headers: &HeaderMap, remote: IpAddr, proxies: &Networks) -> Option<Peer> {
    let mut protos = list(headers, "x-forwarded-proto").peekable();
    let tls = protos.peek().is_some();
    if !protos.all(|proto| proto.eq_ignore_ascii_case(b"https")) {
        return None;
    }
    let mut client = remote;
    for entry in list(headers, "x-forwarded-for").rev() {
        let Some(address) = address(entry) else {
            return Some(Peer::new(remote, tls));
        };
        client = address;
        if !proxies.contains(address) {
            break;
        }
    }
    Some(Peer::new(client, tls))
}

/// The entries of a list header, in order over all its lines.
fn list<'a>(headers: &'a HeaderMap, name: &str) -> impl DoubleEndedIterator<Item = &'a [u8]> {
    let lines = headers.get_all(name).into_iter();
    let entries = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    entries.map(<[u8]>::trim_ascii)
}

/// Parses an address as written by proxies.
/// It may be bare or with a port, IPv6 with or without brackets.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(entry).ok()?;
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let bare = inner.unwrap_or(text).parse();
    let address = bare.or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}
