//! Access to the metrics.

use std::{fmt, net::IpAddr};

use http::{HeaderMap, uri::Authority};
use sha2::{Digest as _, Sha256};

use crate::net::Peer;

/// The least characters of a token: too many to guess.
const LEAST: usize = 16;

/// The headers of proxies with the original client.
const OF_PROXIES: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// The token for the metrics.
/// It is never shown. Only [`Readers::of`] checks it, because a refused argument is printed.
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

/// The token for the metrics is unusable. The text never contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the token for the metrics (--metrics-token) must have at least {LEAST} letters, digits or other \
     visible ASCII characters, and no blank"
)]
pub struct MetricsTokenError;

/// The permitted readers of the metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Readers {
    /// No reader: the listener is reachable from elsewhere, without a token.
    Nobody,
    /// Readers on this machine, but not through a proxy.
    Local,
    /// The holders of the token with this digest.
    Holders([u8; 32]),
}

impl Readers {
    /// Returns the permitted readers.
    /// With a token, they are its holders. Without one, they are the readers on this machine if the listener
    /// is private: not every proxy names the original client.
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

    /// Returns whether a request comes from a reader on this machine.
    ///
    /// The host must be an IP address or `localhost`. A foreign domain name may resolve to this machine too,
    /// and then the request comes from a web page in a local browser.
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

/// Returns whether a host is an IP address or `localhost`.
/// No domain owner can register these. An IPv6 address may be in brackets.
fn is_nobodys_name(host: &str) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    host.eq_ignore_ascii_case("localhost") || bare.unwrap_or(host).parse::<IpAddr>().is_ok()
}

/// The digest of a token. Comparing digests leaks nothing by timing.
pub(crate) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

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
    fn a_reader_on_this_machine_names_it_by_an_address() {
        let local_from = |address: &str, host: &str, header: &'static str| {
            let peer = Peer {
                address: address.parse().unwrap(),
                tls: false,
            };
            let header = [(
                HeaderName::from_static(header),
                HeaderValue::from_static("a"),
            )];
            let host = host.parse().unwrap();
            Readers::is_local(Some(&peer), Some(&host), &HeaderMap::from_iter(header))
        };
        let is_local = |host: &str| local_from("::ffff:127.0.0.1", host, "x-other");
        assert!(!local_from("192.0.2.1", "localhost", "x-other"));
        for header in OF_PROXIES {
            assert!(!local_from("127.0.0.1", "localhost", header), "{header}");
        }
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
