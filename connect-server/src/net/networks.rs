//! Lists of IP networks, as given in flags.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Addresses and networks, written `10.0.0.7, 192.168.0.0/16, fd00::/8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// The loopback addresses of a machine: `127.0.0.0/8` and `::1/128`.
    pub fn loopback() -> Self {
        let v4 = Ipv4Net::new_assert(std::net::Ipv4Addr::new(127, 0, 0, 0), 8);
        let v6 = Ipv6Net::from(std::net::Ipv6Addr::LOCALHOST);
        Self(vec![v4.into(), v6.into()])
    }

    /// Adds the networks of `other`.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The networks.
    pub fn iter(&self) -> impl Iterator<Item = &IpNet> {
        self.0.iter()
    }

    /// Returns whether this address is in one of them.
    /// A mapped IPv6 address is in IPv6 networks only.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }
}

/// Writes the list as it is read.
/// A network of a single address is written as the address alone.
impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |net: &IpNet| match net.prefix_len() == net.max_prefix_len() {
            true => net.addr().to_string(),
            false => net.to_string(),
        };
        let shown: Vec<_> = self.0.iter().map(shown).collect();
        f.write_str(&shown.join(", "))
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        list.split(',')
            .map(|entry| network(entry.trim()))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn network(entry: &str) -> Result<IpNet, String> {
    if let Ok(address) = entry.parse::<IpAddr>() {
        return Ok(IpNet::from(address.to_canonical()));
    }
    entry.parse().map_err(|_| {
        format!("`{entry}` is not an IP address or network, such as 10.0.0.7 or 10.0.0.0/8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_what_it_is_called() {
        let loopback = Networks::loopback();
        assert_eq!(loopback, "127.0.0.0/8, ::1".parse().unwrap());
        assert_eq!(loopback.to_string(), "127.0.0.0/8, ::1");
        let more = loopback.clone().and("10.0.0.7".parse().unwrap());
        assert_eq!(more.to_string(), "127.0.0.0/8, ::1, 10.0.0.7");
        for (address, is_in) in [
            ("127.0.0.1", true),
            ("127.255.255.255", true),
            ("128.0.0.0", false),
            ("::1", true),
            ("::2", false),
            ("::ffff:127.0.0.1", false),
        ] {
            assert_eq!(
                loopback.contains(address.parse().unwrap()),
                is_in,
                "{address}"
            );
        }
    }
}
