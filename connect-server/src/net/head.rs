//! The checks of a request's head before the app sees it.

use std::{
    net::{IpAddr, Ipv6Addr},
    str::FromStr as _,
};

use http::{
    Method, Request, Version,
    header::{HOST, TRANSFER_ENCODING},
    request::Parts,
    uri::Authority,
};

use super::{Limits, NetFailure, Peer, PlainHttp, peer::forwarded};

/// Returns the sender of a request, and the reason to refuse it, if any.
pub(super) fn check<B>(
    request: &Request<B>,
    remote: IpAddr,
    tls: bool,
    plain: &PlainHttp,
    limits: &Limits,
) -> (Peer, Result<(), NetFailure>) {
    let direct = Peer::new(remote, tls);
    let peer = match plain.proxies() {
        Some(proxies) if proxies.contains(direct.address) => {
            match forwarded(request.headers(), direct.address, proxies) {
                Some(peer) => peer,
                None => return (direct, Err(NetFailure::HttpsOnly)),
            }
        }
        _ if !tls && !plain.allows(direct.address) => {
            return (direct, Err(NetFailure::HttpsOnly));
        }
        _ => direct,
    };
    let checked = target(request)
        .and_then(|()| coding(request))
        .and_then(|()| size(request, limits))
        .and_then(|()| host(request));
    (peer, checked)
}

/// Checks for a path.
/// `CONNECT host:port` has none, and this server is no proxy.
fn target<B>(request: &Request<B>) -> Result<(), NetFailure> {
    let path = request
        .uri()
        .path_and_query()
        .map_or("", |path| path.as_str());
    if request.method() != Method::CONNECT && (path.starts_with('/') || path == "*") {
        Ok(())
    } else {
        Err(NetFailure::Malformed)
    }
}

/// Checks the transfer coding (RFC 9112, 6.1).
/// A body in an unknown coding is not the body meant by the client.
fn coding<B>(request: &Request<B>) -> Result<(), NetFailure> {
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(only), None) if only.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(NetFailure::Malformed),
    }
}

fn size<B>(request: &Request<B>, limits: &Limits) -> Result<(), NetFailure> {
    let uri = request
        .uri()
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    if uri > limits.uri_bytes {
        return Err(NetFailure::UriTooLong(limits.uri_bytes));
    }
    let headers: usize = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    // The method counts as a header: it can be as long as one, and a real method is far shorter.
    let headers = headers + request.method().as_str().len();
    if headers > limits.header_bytes {
        return Err(NetFailure::HeadersTooLarge(limits.header_bytes));
    }
    Ok(())
}

/// Checks the `Host` header (RFC 9112, 3.2).
/// A server must refuse HTTP/1.1 without exactly one valid `Host`.
fn host<B>(request: &Request<B>) -> Result<(), NetFailure> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    let authority = request.uri().authority();
    let named = match request.version() {
        Version::HTTP_09 | Version::HTTP_10 => true,
        Version::HTTP_11 => first.is_some(),
        _ => first.is_some() || authority.is_some(),
    };
    let is_valid = first.is_none_or(|host| is_host(host.as_bytes()))
        && authority.is_none_or(|authority| is_host(authority.as_str().as_bytes()));
    if named && second.is_none() && is_valid {
        Ok(())
    } else {
        Err(NetFailure::Host)
    }
}

/// Returns whether this is a host, perhaps with a port: `shop.example:8443`, `[2001:db8::1]`.
fn is_host(text: &[u8]) -> bool {
    let Some(text) = Authority::try_from(text).ok() else {
        return false;
    };
    let text = text.as_str();
    // For an IPv6 address, only a colon behind the brackets starts a port.
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (text, ""),
    };
    let is_port = port.is_empty() || (is_digits(port) && port.parse::<u16>().is_ok());
    let is_name = match host.strip_prefix('[') {
        Some(rest) => {
            let address = rest.strip_suffix(']').map(Ipv6Addr::from_str);
            address.is_some_and(|address| address.is_ok())
        }
        // Fewer characters than RFC 3986 allows: the rest occur in no name, and a list is two hosts in
        // one.
        None => !host.is_empty() && host.bytes().all(is_of_name),
    };
    is_name && is_port
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._".contains(&byte)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns whether the client waits for our consent before sending its body.
pub(super) fn expects_continue(parts: &Parts) -> bool {
    parts.version == Version::HTTP_11
        && parts
            .headers
            .get(http::header::EXPECT)
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}
