//! The addresses of the public internet: all but the special-purpose ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 blocks outside the public internet: first address and prefix length.
/// These are the special-purpose blocks of IANA, including the routed ones, as no images are kept there.
const REFUSED_V4: [([u8; 4], u32); 20] = [
    ([0, 0, 0, 0], 8),          // this network
    ([10, 0, 0, 0], 8),         // private
    ([100, 64, 0, 0], 10),      // shared by carriers, and metadata at Alibaba
    ([127, 0, 0, 0], 8),        // loopback
    ([168, 63, 129, 16], 32),   // the host of a machine at Azure
    ([169, 254, 0, 0], 16),     // link local, and metadata at most clouds
    ([172, 16, 0, 0], 12),      // private
    ([192, 0, 0, 0], 24),       // protocol assignments, and metadata at Oracle
    ([192, 0, 2, 0], 24),       // documentation
    ([192, 31, 196, 0], 24),    // AS112
    ([192, 52, 193, 0], 24),    // multicast tunnels
    ([192, 88, 99, 0], 24),     // 6to4 relays
    ([192, 168, 0, 0], 16),     // private
    ([192, 175, 48, 0], 24),    // AS112
    ([198, 18, 0, 0], 15),      // benchmarks
    ([198, 51, 100, 0], 24),    // documentation
    ([203, 0, 113, 0], 24),     // documentation
    ([224, 0, 0, 0], 4),        // multicast
    ([240, 0, 0, 0], 4),        // reserved
    ([255, 255, 255, 255], 32), // broadcast
];

/// The only part of IPv6 in general use.
/// Everything else is local, or holds an IPv4 address: mapped, compatible, translated (SIIT, NAT64).
const GIVEN_OUT_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The blocks within `GIVEN_OUT_V6` outside the public internet.
const REFUSED_V6: [([u16; 8], u32); 6] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments, Teredo
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), // the old test network
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];

/// The well-known prefix of NAT64 (RFC 6052).
/// The IPv4 address is in the last 32 bits.
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// Returns whether an address belongs to the public internet.
/// IPv6 addresses with an IPv4 address inside never do: the network behind such a tunnel or translator
/// is not known.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Returns whether an address is a public IPv4 address's NAT64 form.
/// It is not public itself.
pub(super) fn is_nat64_of_public(address: IpAddr) -> bool {
    let IpAddr::V6(address) = address else {
        return false;
    };
    let (block, held) = (address.to_bits() >> 32, address.to_bits() as u32);
    block == NAT64.to_bits() >> 32 && is_public_v4(Ipv4Addr::from_bits(held))
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let address = address.to_bits();
    !REFUSED_V4.iter().any(|(block, length)| {
        let block = Ipv4Addr::from(*block).to_bits();
        (address ^ block).leading_zeros() >= *length
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let is_in = |(block, length): &([u16; 8], u32)| {
        let block = Ipv6Addr::from(*block).to_bits();
        (bits ^ block).leading_zeros() >= *length
    };
    is_in(&GIVEN_OUT_V6) && !REFUSED_V6.iter().any(is_in) && !is_isatap(address)
}

/// Returns whether an address is an ISATAP address (RFC 5214).
/// Its second half marks the rest as an IPv4 address.
fn is_isatap(address: Ipv6Addr) -> bool {
    let [.., flags, marker, _, _] = address.segments();
    matches!(flags, 0x0000 | 0x0200) && marker == 0x5efe
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Public addresses, including the ones next to refused blocks.
    const PUBLIC: [&str; 40] = [
        "1.0.0.0",
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.31.195.255",
        "192.52.194.0",
        "192.88.98.255",
        "192.167.255.255",
        "192.169.0.0",
        "192.175.49.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.101.0",
        "203.0.112.255",
        "223.255.255.255",
        "2001:200::",
        "2001:db7:ffff::1",
        "2001:db9::",
        "2003::1",
        "2606:2800:220:1:248:1893:25c8:1946",
        "2620:4f:7fff:ffff::1",
        "2620:4f:8001::",
        "2a00:1450:400e:80c::200e",
        "3ffd:ffff::1",
        "3fff:1000::",
    ];

    const REFUSED: [&str; 85] = [
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.0",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.0",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.0.0",
        "169.254.169.254",
        "169.254.255.255",
        "172.16.0.0",
        "172.17.0.1",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.192",
        "192.0.0.255",
        "192.0.2.0",
        "192.0.2.255",
        "192.31.196.1",
        "192.52.193.1",
        "192.88.99.0",
        "192.88.99.255",
        "192.168.0.0",
        "192.168.1.1",
        "192.168.255.255",
        "192.175.48.6",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.0",
        "198.51.100.255",
        "203.0.113.0",
        "203.0.113.255",
        "224.0.0.0",
        "224.0.0.251",
        "239.255.255.255",
        "240.0.0.0",
        "254.1.2.3",
        "255.255.255.255",
        // Loopback, unspecified, and IPv4 addresses in IPv6.
        "::",
        "::1",
        "::2",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:0.0.0.0",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:8.8.8.8",
        "::ffff:0:10.0.0.1",
        "::ffff:0:8.8.8.8",
        "64:ff9b::127.0.0.1",
        "64:ff9b::8.8.8.8",
        "64:ff9b:1::10.0.0.1",
        "64:ff9b:1:ffff::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:1::1",
        "2001:20::1",
        "2001:1ff:ffff::1",
        "2001:db8::1",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "2002::1",
        "2002:7f00:1::1",
        "2002:a00:1::",
        "2002:808:808::",
        "2620:4f:8000::53",
        "3ffe::1",
        "3fff::1",
        "3fff:fff:ffff::1",
        "2a00:1450:400e:80c:0:5efe:10.0.0.1",
        "2a00:1450:400e:80c:200:5efe:127.0.0.1",
        // Blocks not given out.
        "100::1",
        "1fff:ffff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];

    #[test]
    fn addresses_are_told_apart() {
        for (addresses, public) in [(&PUBLIC[..], true), (&REFUSED[..], false)] {
            for text in addresses {
                let address: IpAddr = text.parse().unwrap();
                assert_eq!(is_public(address), public, "{text}");
            }
        }
    }

    #[test]
    fn nat64_forms_of_public_addresses_are_known() {
        for text in [
            "64:ff9b::8.8.8.8",
            "64:ff9b::5db8:d822",
            "64:ff9b::9.255.255.255",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(is_nat64_of_public(address), "{text}");
            assert!(!is_public(address), "{text}");
        }
        for text in [
            "64:ff9b::",
            "64:ff9b::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b::1:808:808",
            "64:ff9a::8.8.8.8",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "8.8.8.8",
        ] {
            assert!(!is_nat64_of_public(text.parse().unwrap()), "{text}");
        }
    }

    /// Any address of a refused IPv4 block.
    fn refused_v4() -> impl Strategy<Value = Ipv4Addr> {
        (prop::sample::select(&REFUSED_V4[..]), any::<u32>()).prop_map(|((block, length), host)| {
            let mask = u32::MAX.checked_shr(length).unwrap_or(0);
            Ipv4Addr::from_bits(Ipv4Addr::from(block).to_bits() | (host & mask))
        })
    }

    /// The forms of an IPv4 address within IPv6, around random bits.
    fn forms_of(address: Ipv4Addr, noise: u128) -> [Ipv6Addr; 9] {
        let v4 = u128::from(address.to_bits());
        let [a, b, c, d] = address.octets();
        let nat64_48 = (0x0064_ff9b_0001 << 80)
            | u128::from(u16::from_be_bytes([a, b])) << 64
            | u128::from(u16::from_be_bytes([c, d])) << 40;
        let given_out = (0x2a00_u128 << 112) | (noise & (u128::MAX >> 16) & !u128::from(u64::MAX));
        [
            v4,                                                                    // compatible
            0xffff << 32 | v4,                                                     // mapped
            0xffff << 48 | v4,                                                     // SIIT
            0x0064_ff9b << 96 | v4,                                                // NAT64
            nat64_48,                                 // NAT64 in a local prefix
            0x2002 << 112 | v4 << 80 | (noise >> 48), // 6to4
            0x2001_0000 << 96 | (noise >> 32 & !0xffff_ffff) | (v4 ^ 0xffff_ffff), // Teredo
            given_out | 0x0000_5efe << 32 | v4,       // ISATAP
            given_out | 0x0200_5efe << 32 | v4,       // ISATAP
        ]
        .map(Ipv6Addr::from_bits)
    }

    proptest! {
        #[test]
        fn no_form_of_a_refused_address_is_public(address in refused_v4(), noise: u128) {
            prop_assert!(!is_public(address.into()));
            for form in forms_of(address, noise) {
                prop_assert!(!is_public(form.into()), "{address} as {form}");
                prop_assert!(!is_nat64_of_public(form.into()), "{address} as {form}");
            }
        }

        #[test]
        fn nothing_of_a_refused_block_is_public(
            (block, length) in prop::sample::select(&REFUSED_V6[..]),
            host: u128,
        ) {
            let address = Ipv6Addr::from_bits(Ipv6Addr::from(block).to_bits() | (host >> length));
            prop_assert!(!is_public(address.into()), "{address}");
        }

        #[test]
        fn nothing_outside_of_what_is_given_out_is_public(bits: u128) {
            prop_assume!(bits >> 125 != 1);
            prop_assert!(!is_public(Ipv6Addr::from_bits(bits).into()));
        }
    }
}
