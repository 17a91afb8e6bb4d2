//! The address guard: the allowed links and addresses.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::{is_public, public::is_nat64_of_public};
use crate::net::networks::Networks;

/// The allowed targets of requests.
/// These are the public internet over HTTPS, and the networks allowed by the configuration.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Networks,
}

/// The addresses in reach of a request, decided by its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses and allowed networks: HTTPS on its standard port.
    Public,
    /// Allowed networks alone: plain HTTP, or another port.
    Allowed,
}

/// The reason why a link is not followed.
/// The text names no address: its readers must not learn the layout of a private network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkRefusal {
    /// A scheme other than HTTPS.
    #[error("must start with https://")]
    Scheme,
    /// A port other than 443.
    #[error("must not name a port")]
    Port,
    /// A user name or a password.
    #[error("must not contain a user name or password")]
    Credentials,
    /// An address outside of the public internet.
    #[error("does not lead to a public address on the internet")]
    Address,
}

impl AddressGuard {
    /// A guard also admitting these networks, with plain HTTP and any port.
    pub fn allowing(allowed: Networks) -> Self {
        Self { allowed }
    }

    /// Returns whether networks besides the public internet are allowed.
    pub fn allows_networks(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Checks a link before its request, with its host if literal.
    /// The addresses of a name are left to [`AddressGuard::admit`].
    ///
    /// # Errors
    /// The link is refused.
    pub fn check(&self, link: &Url) -> Result<Reach, LinkRefusal> {
        if !matches!(link.scheme(), "http" | "https") {
            return Err(LinkRefusal::Scheme);
        }
        if !link.username().is_empty() || link.password().is_some() {
            return Err(LinkRefusal::Credentials);
        }
        let address = match link.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::from(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::from(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(LinkRefusal::Address),
        };
        // The parser leaves out the standard port of the scheme.
        let unusual = match (link.scheme(), link.port()) {
            ("https", None) => None,
            ("https", Some(_)) => Some(LinkRefusal::Port),
            _ => Some(LinkRefusal::Scheme),
        };
        let reach = match unusual {
            None => Reach::Public,
            // Without allowed networks the link is refused before its name is looked up.
            Some(refusal) if !self.allows_networks() => return Err(refusal),
            Some(_) => Reach::Allowed,
        };
        match address {
            Some(address) if !self.admits(address, reach) => Err(unusual
                .filter(|_| is_public(address))
                .unwrap_or(LinkRefusal::Address)),
            _ => Ok(reach),
        }
    }

    /// Checks the addresses of a name, and returns the usable ones.
    /// One address not admitted refuses the name: public servers have public addresses only.
    ///
    /// A resolver behind DNS64 adds a NAT64 form to every public IPv4 address. Such forms are left out,
    /// so the connection goes to the IPv4 address itself.
    ///
    /// # Errors
    /// [`LinkRefusal::Address`], also when no address is left.
    pub fn admit(
        &self,
        addresses: Vec<SocketAddr>,
        reach: Reach,
    ) -> Result<Vec<SocketAddr>, LinkRefusal> {
        let mut admitted = Vec::with_capacity(addresses.len());
        for address in addresses {
            if self.admits(address.ip(), reach) {
                admitted.push(address);
            } else if reach == Reach::Allowed || !is_nat64_of_public(address.ip()) {
                return Err(LinkRefusal::Address);
            }
        }
        if admitted.is_empty() {
            return Err(LinkRefusal::Address);
        }
        Ok(admitted)
    }

    /// Describes an acceptable link after a refusal: "must start with https://".
    pub fn demand(&self, refusal: LinkRefusal) -> &'static str {
        match refusal {
            LinkRefusal::Scheme if self.allows_networks() => {
                "must start with https:// unless it leads into a network that the server allows"
            }
            LinkRefusal::Port if self.allows_networks() => {
                "must not name a port unless it leads into a network that the server allows"
            }
            LinkRefusal::Scheme => "must start with https://",
            LinkRefusal::Port => "must not name a port",
            LinkRefusal::Credentials => "must not have a user name or password",
            LinkRefusal::Address => "must lead to a public address on the internet",
        }
    }

    fn admits(&self, address: IpAddr, reach: Reach) -> bool {
        self.allowed.contains(address) || (reach == Reach::Public && is_public(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(guard: &AddressGuard, link: &str) -> Result<Reach, LinkRefusal> {
        guard.check(&Url::parse(link).unwrap_or_else(|e| panic!("{link}: {e}")))
    }

    /// Spellings of addresses outside the public internet.
    const DISGUISED: [&str; 34] = [
        "https://127.0.0.1/",
        "https://127.0.0.1:443/",
        "https://127.0.0.1./",
        "https://127.1/",
        "https://127.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0X7F000001/",
        "https://0x7f.1/",
        "https://0x7f.0x0.0x0.0x1/",
        "https://017700000001/",
        "https://0177.0.0.1/",
        "https://0177.0.0x0.1/",
        "https://0/",
        "https://0./",
        "https://%31%32%37.0.0.1/",
        "https://①②⑦.0.0.1/",
        "https://127。0。0。1/",
        "https://１２７.0.0.1/",
        "https://[::1]/",
        "https://[0:0:0:0:0:0:0:1]/",
        "https://[::]/",
        "https://[::127.0.0.1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::FFFF:7f00:1]/",
        "https://[::ffff:0:10.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[64:ff9b:1::a00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001:0:5ef5:79fd:0:0:f5ff:fffe]/",
        "https://[2a00::5efe:a00:1]/",
        "https://[fec0::1]/",
        "https:\\\\169.254.169.254/latest/meta-data/",
        "https:///168.63.129.16/",
    ];

    #[test]
    fn no_spelling_of_an_address_gets_past() {
        for link in DISGUISED {
            let refused = check(&AddressGuard::default(), link);
            assert_eq!(refused, Err(LinkRefusal::Address), "{link}");
        }
    }

    #[test]
    fn other_schemes_ports_and_users_are_refused() {
        for (link, refusal) in [
            ("http://example.com/a.jpg", LinkRefusal::Scheme),
            ("http://example.com:443/a.jpg", LinkRefusal::Scheme),
            ("http://8.8.8.8/a.jpg", LinkRefusal::Scheme),
            ("ftp://example.com/a.jpg", LinkRefusal::Scheme),
            ("file:///etc/passwd", LinkRefusal::Scheme),
            ("data:image/png;base64,AAAA", LinkRefusal::Scheme),
            ("https://example.com:80/a.jpg", LinkRefusal::Port),
            ("https://example.com:8443/a.jpg", LinkRefusal::Port),
            ("https://8.8.8.8:22/a.jpg", LinkRefusal::Port),
            ("https://user@example.com/a.jpg", LinkRefusal::Credentials),
            (
                "https://user:word@example.com/a.jpg",
                LinkRefusal::Credentials,
            ),
            ("https://:word@example.com/a.jpg", LinkRefusal::Credentials),
        ] {
            assert_eq!(
                check(&AddressGuard::default(), link),
                Err(refusal),
                "{link}"
            );
        }
    }

    #[test]
    fn public_links_over_https_are_followed() {
        for link in [
            "https://example.com/a.jpg",
            "HTTPS://EXAMPLE.COM:443/a.jpg?size=1#top",
            "https://8.8.8.8/a.jpg",
            "https://134744072/a.jpg",
            "https://[2606:2800:220:1:248:1893:25c8:1946]/a.jpg",
            "https://bücher.example/a.jpg",
        ] {
            assert_eq!(
                check(&AddressGuard::default(), link),
                Ok(Reach::Public),
                "{link}"
            );
        }
    }

    #[test]
    fn plain_http_and_ports_are_for_allowed_networks_alone() {
        let guard = AddressGuard::allowing(Networks::loopback());
        for (link, expected) in [
            ("https://127.0.0.1/", Ok(Reach::Public)),
            ("http://127.0.0.1/", Ok(Reach::Allowed)),
            ("https://127.1:8443/", Ok(Reach::Allowed)),
            ("http://[::1]:8080/", Ok(Reach::Allowed)),
            ("https://example.com/", Ok(Reach::Public)),
            // The resolver decides on names later.
            ("http://example.com:8080/", Ok(Reach::Allowed)),
            ("http://8.8.8.8/", Err(LinkRefusal::Scheme)),
            ("https://8.8.8.8:8443/", Err(LinkRefusal::Port)),
            ("http://10.0.0.1/", Err(LinkRefusal::Address)),
            ("https://10.0.0.1/", Err(LinkRefusal::Address)),
            ("http://[::ffff:127.0.0.1]/", Err(LinkRefusal::Address)),
            ("http://user@127.0.0.1/", Err(LinkRefusal::Credentials)),
            ("ftp://127.0.0.1/", Err(LinkRefusal::Scheme)),
        ] {
            assert_eq!(check(&guard, link), expected, "{link}");
        }
    }

    #[test]
    fn one_bad_address_refuses_a_name() {
        let (open, local) = (
            AddressGuard::default(),
            AddressGuard::allowing(Networks::loopback()),
        );
        let nat64 = AddressGuard::allowing("64:ff9b::/96".parse().unwrap());
        for (guard, reach, addresses, admitted) in [
            (&open, Reach::Public, "8.8.8.8 2a00::1", "8.8.8.8 2a00::1"),
            (&open, Reach::Public, "8.8.8.8 127.0.0.1", ""),
            (&open, Reach::Public, "fe80::1 8.8.8.8", ""),
            (&open, Reach::Public, "", ""),
            (
                &local,
                Reach::Public,
                "8.8.8.8 127.0.0.1",
                "8.8.8.8 127.0.0.1",
            ),
            (&local, Reach::Allowed, "127.0.0.1 ::1", "127.0.0.1 ::1"),
            (&local, Reach::Allowed, "127.0.0.1 8.8.8.8", ""),
            (&local, Reach::Allowed, "10.0.0.1", ""),
            // The answers of a resolver behind DNS64.
            (&open, Reach::Public, "64:ff9b::8.8.8.8 8.8.8.8", "8.8.8.8"),
            (&open, Reach::Public, "8.8.8.8 64:ff9b::8.8.8.8", "8.8.8.8"),
            (&open, Reach::Public, "2a00::1 64:ff9b::8.8.8.8", "2a00::1"),
            (&open, Reach::Public, "64:ff9b::8.8.8.8", ""),
            (&open, Reach::Public, "8.8.8.8 64:ff9b::10.0.0.1", ""),
            (&open, Reach::Public, "10.0.0.1 64:ff9b::8.8.8.8", ""),
            (&open, Reach::Public, "64:ff9b::8.8.8.8 8.8.8.8 ::1", ""),
            (&open, Reach::Public, "8.8.8.8 64:ff9b:1::808:808", ""),
            (&local, Reach::Allowed, "127.0.0.1 64:ff9b::8.8.8.8", ""),
            (
                &nat64,
                Reach::Public,
                "64:ff9b::8.8.8.8",
                "64:ff9b::8.8.8.8",
            ),
        ] {
            let sockets = |list: &str| -> Vec<_> {
                list.split_whitespace()
                    .map(|text| SocketAddr::new(text.parse().unwrap(), 443))
                    .collect()
            };
            let expected = match sockets(admitted) {
                none if none.is_empty() => Err(LinkRefusal::Address),
                admitted => Ok(admitted),
            };
            let found = guard.admit(sockets(addresses), reach);
            assert_eq!(found, expected, "{addresses}");
        }
    }
}
