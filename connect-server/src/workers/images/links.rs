//! The check of a link before it is saved, by the guard.
//! The download asks the guard again.

use connect_core::environment::ImageLinks;
use url::Url;

use crate::workers::outbound::AddressGuard;

impl ImageLinks for AddressGuard {
    /// Refuses links out of reach of any download.
    /// These are other schemes, ports outside of the allowed networks, and hosts given as an address not
    /// public, in any spelling. Names are looked up by the download.
    fn check(&self, link: &str) -> Result<(), String> {
        let link = Url::parse(link).map_err(|_| "must be an absolute link".to_owned())?;
        let checked = Self::check(self, &link);
        checked
            .map(|_| ())
            .map_err(|refusal| self.demand(refusal).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::networks::Networks;

    #[test]
    fn a_refusal_says_what_is_allowed() {
        let open = AddressGuard::default();
        let local = AddressGuard::allowing(Networks::loopback());
        for (guard, link, expected) in [
            (&open, "https://example.com/a.jpg", None),
            (&open, "https://example.com:443/a.jpg", None),
            (
                &open,
                "http://example.com/a.jpg",
                Some("must start with https://"),
            ),
            (
                &open,
                "https://example.com:8443/a.jpg",
                Some("must not name a port"),
            ),
            (&open, "https://10.0.0.1/a.jpg", Some("a public address")),
            (&open, "https://0x7f.1/a.jpg", Some("a public address")),
            (&open, "https://[::1]/a.jpg", Some("a public address")),
            (&open, "https://user@example.com/", Some("a user name")),
            (&open, "example.com", Some("an absolute link")),
            (&local, "http://127.0.0.1:8080/a.jpg", None),
            (&local, "https://[::1]:8443/a.jpg", None),
            // The download looks the name up.
            (&local, "http://localhost:8080/a.jpg", None),
            (&local, "http://10.0.0.1/a.jpg", Some("a public address")),
            (
                &local,
                "http://8.8.8.8/",
                Some("https:// unless it leads into a network"),
            ),
            (
                &local,
                "https://8.8.8.8:8443/",
                Some("a port unless it leads into a network"),
            ),
        ] {
            let judged = ImageLinks::check(guard, link);
            match (&judged, expected) {
                (Ok(()), None) => {}
                (Err(said), Some(expected)) if said.contains(expected) => {}
                _ => panic!("{link}: {judged:?}"),
            }
        }
    }
}
