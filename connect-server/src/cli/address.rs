//! The parsing of addresses to listen on.

use std::net::{Ipv4Addr, SocketAddr};

use crate::workers::images::PublicUrl;

/// Reads an address with its port, `localhost` with a port, or a port.
/// The last two are on this machine, out of reach of other machines.
pub(super) fn any(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    // Numbers may have a plus in front.
    if port.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(port) = port.parse::<u16>()
    {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse().map_err(|_| {
        "must be an address with a port such as 0.0.0.0:8443, [::]:8443 or localhost:8080, or a \
         port alone"
            .to_owned()
    })
}

/// Reads the address of a server without a path.
pub(super) fn origin(text: &str) -> Result<PublicUrl, String> {
    let url: PublicUrl = text.parse()?;
    let shown = url.to_string();
    let host = shown.split_once("://").map_or(&*shown, |(_, host)| host);
    if host.contains('/') {
        return Err("must be an address without a path, such as https://owner.example".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, address) in [
            ("8080", Some("127.0.0.1:8080")),
            ("0", Some("127.0.0.1:0")),
            ("localhost:8080", Some("127.0.0.1:8080")),
            ("127.0.0.2:80", Some("127.0.0.2:80")),
            ("0.0.0.0:8443", Some("0.0.0.0:8443")),
            ("[::]:8443", Some("[::]:8443")),
            ("", None),
            ("+80", None),
            (" 80", None),
            (":8080", None),
            ("65536", None),
            ("0.0.0.0", None),
            ("::1:8080", None),
            ("localhost", None),
            ("shop.example:443", None),
        ] {
            let read = any(text).ok().map(|address| address.to_string());
            assert_eq!(read.as_deref(), address, "{text:?}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        for good in [
            "https://owner.example",
            "https://owner.example:8443/",
            "http://[::1]:8081",
        ] {
            let read = origin(good).map(|url| url.to_string());
            assert_eq!(read.as_deref(), Ok(good.trim_end_matches('/')));
        }
        for bad in [
            "owner.example",
            "https://owner.example/shop",
            "https://owner.example/?a",
            "",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
