//! The readers of the metrics.

use std::{fmt, net::IpAddr};

use http::{HeaderMap, uri::Authority};
use sha2::{Digest as _, Sha256};

use crate::net::Peer;

/// The least characters of a token: as many as nobody tries out.
const LEAST: usize = 16;

/// The headers by which a proxy says for whom it asks.
const OF_PROXIES: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// The token of whoever reads the metrics. It is not shown, and checked only by [`Readers::of`],
/// because an argument that is refused is printed.
#[derive(Clone, PartialEq, Eq)]
pub struct MetricsToken(String);

impl From<String> for MetricsToken {
    fn from(token: String) -> Self {
        Self(token)
    }
}

impl fmt::Debug for MetricsToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MetricsToken(..)")
    }
}

/// The token is not one that can be used. The text holds no part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the token for the metrics (--metrics-token) must have at least {LEAST} letters, digits or other \
     visible ASCII characters, and no blank"
)]
pub struct MetricsTokenError;

/// Those who may read the metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Readers {
    /// Nobody: the listener can be reached from elsewhere, and no token is set.
    Nobody,
    /// Those on this machine. A proxy asks for somebody else.
    Local,
    /// The holders of the token with this digest.
    Holders([u8; 32]),
}

impl Readers {
    /// Those who hold the token. Without one, those on this machine, provided that the listener is
    /// private: not every proxy says for whom it asks.
    ///
    /// # Errors
    /// The token is too short, or cannot be sent in a header.
    pub(crate) fn of(
        token: Option<&MetricsToken>,
        is_private: bool,
    ) -> Result<Self, MetricsTokenError> {
        let Some(MetricsToken(token)) = token else {
            return Ok(if is_private {
                Self::Local
            } else {
                Self::Nobody
            });
        };
        if token.len() < LEAST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(MetricsTokenError);
        }
        Ok(Self::Holders(digest(token)))
    }

    /// Returns whether a request from there is one of those who are on this machine.
    ///
    /// A name of somebody else's may lead here as well: then it is a page in a browser of this machine that
    /// asks. So the host has to be an address, or `localhost`.
    pub(crate) fn is_local(
        peer: Option<&Peer>,
        host: Option<&Authority>,
        headers: &HeaderMap,
    ) -> bool {
        let is_here = peer.is_some_and(|peer| peer.address.to_canonical().is_loopback());
        is_here
            && host.is_some_and(|host| is_nobodys_name(host.host()))
            && !OF_PROXIES.iter().any(|name| headers.contains_key(*name))
    }
}

/// Returns whether a host is none that somebody has registered: an address, in brackets if it is one of IPv6,
/// or `localhost`.
fn is_nobodys_name(host: &str) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    host.eq_ignore_ascii_case("localhost") || bare.unwrap_or(host).parse::<IpAddr>().is_ok()
}

/// Digests are compared, so the time that takes says nothing of the token.
pub(crate) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_enough_and_never_shown() {
        let holding = |token: &str| Readers::of(Some(&token.to_owned().into()), false);
        assert!(matches!(
            holding("0123456789abcdef"),
            Ok(Readers::Holders(_))
        ));
        for bad in [
            "",
            "0123456789abcde",
            "0123456789abcde f",
            "0123456789abcdé",
        ] {
            let error = holding(bad).unwrap_err().to_string();
            assert!(
                error.contains("--metrics-token") && !error.contains("0123"),
                "{error}"
            );
        }
        assert!(matches!(Readers::of(None, true), Ok(Readers::Local)));
        assert!(matches!(Readers::of(None, false), Ok(Readers::Nobody)));
        let shown = format!("{:?}", MetricsToken::from("secret".to_owned()));
        assert_eq!(shown, "MetricsToken(..)");
    }
    #[test]
    fn a_host_is_an_address_or_this_machine() {
        let is_local = |host: &str| {
            let host: Authority = host.parse().unwrap();
            is_nobodys_name(host.host())
        };
        for good in [
            "localhost",
            "LocalHost:8081",
            "127.0.0.1:8081",
            "[::1]:8081",
            "[::1]",
        ] {
            assert!(is_local(good), "{good}");
        }
        for bad in [
            "rebound.example",
            "rebound.example:8081",
            "localhost.example",
            "127.0.0.1.example",
            "localhost.",
        ] {
            assert!(!is_local(bad), "{bad}");
        }
    }
}
