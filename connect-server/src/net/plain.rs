//! Plain HTTP: its allowed addresses, and the trusted proxies.

use std::net::IpAddr;

use super::networks::Networks;

/// The addresses served without TLS.
/// Tokens travel in headers, so by default only addresses safe from eavesdropping are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only on a loopback address.
    #[default]
    LoopbackOnly,
    /// On any address, from anyone: for trials in a closed network.
    Anywhere,
    /// From loopback and from these trusted proxies.
    /// They end TLS and say so in `X-Forwarded-Proto`. Their `X-Forwarded-For` is believed, on a TLS
    /// listener too.
    BehindProxy(Networks),
}

impl PlainHttp {
    /// The trusted proxies, if any.
    pub(super) fn proxies(&self) -> Option<&Networks> {
        match self {
            Self::BehindProxy(proxies) => Some(proxies),
            Self::LoopbackOnly | Self::Anywhere => None,
        }
    }

    /// Returns whether a plain request from this address is answered.
    pub(super) fn allows(&self, remote: IpAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::LoopbackOnly => remote.is_loopback(),
            Self::BehindProxy(proxies) => remote.is_loopback() || proxies.contains(remote),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the rule itself.
    /// Over sockets every peer of a test is on loopback.
    #[test]
    fn who_may_speak_plain_http() {
        let proxies = PlainHttp::BehindProxy("10.0.0.0/8, 2001:db8::7".parse().unwrap());
        for (address, loopback_only, anywhere, behind) in [
            ("127.0.0.1", true, true, true),
            ("::1", true, true, true),
            ("10.1.2.3", false, true, true),
            ("2001:db8::7", false, true, true),
            ("11.1.2.3", false, true, false),
            ("2001:db8::8", false, true, false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(
                PlainHttp::LoopbackOnly.allows(address),
                loopback_only,
                "{address}"
            );
            assert_eq!(PlainHttp::Anywhere.allows(address), anywhere, "{address}");
            assert_eq!(proxies.allows(address), behind, "{address}");
        }
    }
}
