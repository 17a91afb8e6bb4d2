//! The base address of the service.

use url::{Host, Url};

use crate::error::SettingsError;

/// A checked base address, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl(Url);

impl BaseUrl {
    /// Reads an address such as `https://api.example.com/v1`.
    ///
    /// A user name or password is refused, as addresses end up in logs. A query or fragment is refused,
    /// as paths are appended.
    pub(crate) fn parse(text: &str) -> Result<Self, SettingsError> {
        let mut url = Url::parse(text.trim()).map_err(|e| SettingsError::BaseUrl(e.to_string()))?;
        let refuse = |why: &str| Err(SettingsError::BaseUrl(why.to_owned()));
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("must begin with https://, or with http:// for a service on loopback");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("must not hold a user name or password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("must not have a query or a fragment");
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Returns whether requests go out without TLS.
    pub(crate) fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// Returns whether the host is this machine.
    /// Then no network sees the token.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
            None => false,
        }
    }

    /// Returns the full address of a path below the base.
    pub(crate) fn join(&self, path: &str, query: &str) -> String {
        let base = self.0.as_str().trim_end_matches('/');
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{base}{path}{mark}{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_makes_no_difference() {
        for base in [
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1/",
            " http://127.0.0.1:8080/v1//\n",
        ] {
            let base = BaseUrl::parse(base).unwrap();
            let joined = base.join("/locations", "");
            assert_eq!(joined, "http://127.0.0.1:8080/v1/locations");
        }
        let root = BaseUrl::parse("https://api.example.com").unwrap();
        assert_eq!(root.join("/a", "b=1"), "https://api.example.com/a?b=1");
    }

    #[test]
    fn what_is_no_base_address_is_refused_without_showing_it() {
        for bad in [
            "",
            "api.example.com/v1",
            "ftp://api.example.com",
            "https://me:secret@api.example.com",
            "https://me@api.example.com",
            "https://api.example.com/v1?secret=1",
            "https://api.example.com/v1#secret",
            "https://",
        ] {
            let refused = BaseUrl::parse(bad).expect_err(bad).to_string();
            assert!(!refused.contains("secret"), "{refused}");
        }
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for (base, loopback) in [
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://2130706433", true),
            ("http://[::1]:8080/v1", true),
            ("http://localhost", true),
            ("http://LOCALHOST.", true),
            ("http://shop.localhost", true),
            ("http://localhost.example.com", false),
            ("http://notlocalhost", false),
            ("http://10.0.0.1", false),
            ("http://[::ffff:10.0.0.1]", false),
            ("http://0.0.0.0", false),
        ] {
            assert_eq!(
                BaseUrl::parse(base).unwrap().is_loopback(),
                loopback,
                "{base}"
            );
        }
    }
}
