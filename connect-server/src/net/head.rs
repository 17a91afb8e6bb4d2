//! The checks of a request's head before the app sees it.

use std::net::Ipv6Addr;

use http::{
    HeaderValue, Method, Request, Version,
    header::{EXPECT, HOST, TRANSFER_ENCODING},
    request::Parts,
};

use super::{Limits, NetFailure, Peer, PlainHttp, peer::forwarded};

/// Returns the sender of a request on a connection, and the reason to refuse it, if any.
pub(super) fn check<B>(
    request: &Request<B>,
    direct: Peer,
    plain: &PlainHttp,
    limits: &Limits,
) -> (Peer, Result<(), NetFailure>) {
    let proxies = plain.proxies();
    let peer = match proxies.filter(|proxies| proxies.contains(direct.address)) {
        Some(proxies) => forwarded(request.headers(), direct.address, proxies),
        None => (direct.tls || plain.allows(direct.address)).then_some(direct),
    };
    let Some(peer) = peer else {
        return (direct, Err(NetFailure::HttpsOnly));
    };
    let failure = if !has_target(request) || !has_known_coding(request) {
        NetFailure::Malformed
    } else if path(request).len() > limits.uri_bytes {
        NetFailure::UriTooLong(limits.uri_bytes)
    } else if head_bytes(request) > limits.header_bytes {
        NetFailure::HeadersTooLarge(limits.header_bytes)
    } else if !has_host(request) {
        NetFailure::Host
    } else {
        return (peer, Ok(()));
    };
    (peer, Err(failure))
}

/// The path and query; empty for a target without.
fn path<B>(request: &Request<B>) -> &str {
    let path = request.uri().path_and_query();
    path.map_or("", |path| path.as_str())
}

/// Checks for a path.
/// `CONNECT host:port` has none, and this server is no proxy.
fn has_target<B>(request: &Request<B>) -> bool {
    let path = path(request);
    request.method() != Method::CONNECT && (path.starts_with('/') || path == "*")
}

/// Checks the transfer coding (RFC 9112, 6.1).
/// A body in an unknown coding is not the body meant by the client.
fn has_known_coding<B>(request: &Request<B>) -> bool {
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    let is_known = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    codings.next().is_none_or(is_known) && codings.next().is_none()
}

/// The bytes of all header names and values.
/// The method counts too: it can be as long as a header, and a real method is far shorter.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let headers = request.headers().iter();
    let bytes = headers.map(|(name, value)| name.as_str().len() + value.len());
    bytes.sum::<usize>() + request.method().as_str().len()
}

/// Checks the `Host` header (RFC 9112, 3.2).
/// A server must refuse HTTP/1.1 without exactly one valid `Host`.
fn has_host<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    let authority = request.uri().authority();
    let is_named = match request.version() {
        Version::HTTP_09 | Version::HTTP_10 => true,
        Version::HTTP_11 => first.is_some(),
        _ => first.is_some() || authority.is_some(),
    };
    is_named
        && second.is_none()
        && first.is_none_or(|host| is_host(host.as_bytes()))
        && authority.is_none_or(|authority| is_host(authority.as_str().as_bytes()))
}

/// Returns whether this is a host, perhaps with a port: `shop.example:8443`, `[2001:db8::1]`.
fn is_host(text: &[u8]) -> bool {
    let text = str::from_utf8(text).unwrap_or_default();
    // For an IPv6 address, only a colon behind the brackets starts a port.
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (text, ""),
    };
    let is_digits = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port = port.is_empty() || is_digits && port.parse::<u16>().is_ok();
    let address = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_name = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        // Fewer characters than RFC 3986 allows: the rest occur in no name, and a list is two hosts in
        // one.
        None => !host.is_empty() && host.bytes().all(is_of_name),
    };
    is_name && is_port
}

/// Returns whether the client waits for our consent before sending its body.
pub(super) fn expects_continue(parts: &Parts) -> bool {
    let expected = parts.headers.get(EXPECT);
    parts.version == Version::HTTP_11
        && expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}
