//! The sender of a request: the far end, or a trusted proxy's client.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;

use super::TrustedProxies;

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
pub(super) fn forwarded(
    headers: &HeaderMap,
    remote: IpAddr,
    proxies: &TrustedProxies,
) -> Option<Peer> {
    let mut tls = false;
    for proto in list(headers, "x-forwarded-proto") {
        if !proto.is_some_and(|proto| proto.eq_ignore_ascii_case("https")) {
            return None;
        }
        tls = true;
    }
    let mut client = remote;
    for entry in list(headers, "x-forwarded-for")
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        let Some(address) = entry.and_then(address) else {
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
/// `None` for a line not in text.
fn list<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = Option<&'a str>> {
    headers.get_all(name).iter().flat_map(|line| {
        // A line that is not text is one bad entry, and not skipped.
        let (text, bad) = match line.to_str() {
            Ok(text) => (Some(text), None),
            Err(_) => (None, Some(None)),
        };
        text.into_iter()
            .flat_map(|text| text.split(','))
            .map(|e| Some(e.trim()))
            .chain(bad)
    })
}

/// Parses an address as written by proxies.
/// It may be bare or with a port, IPv6 with or without brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(entry);
    bare.parse::<IpAddr>()
        .or_else(|_| entry.parse::<SocketAddr>().map(|socket| socket.ip()))
        .ok()
        .map(|address| address.to_canonical())
}
