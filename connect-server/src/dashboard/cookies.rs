//! The cookies: of a session, of a signed-out visitor, of a browser, and of a sign-in at a provider.

use http::{HeaderMap, header::COOKIE};

/// A cookie of the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cookie {
    /// The value of the owner's session.
    Session,
    /// A random value to derive form tokens from before sign-in.
    Visitor,
    /// A lasting value to know the browser again at a sign-in.
    Browser,
    /// A sign-in begun at the provider of an account.
    Provider,
}

impl Cookie {
    /// The name of the cookie. Over TLS it begins with `__Host-`:
    /// browsers accept it from this host only, and never over plain HTTP.
    fn name(self, tls: bool) -> &'static str {
        match (self, tls) {
            (Self::Session, true) => "__Host-connect-session",
            (Self::Session, false) => "connect-session",
            (Self::Visitor, true) => "__Host-connect-visitor",
            (Self::Visitor, false) => "connect-visitor",
            (Self::Browser, true) => "__Host-connect-browser",
            (Self::Browser, false) => "connect-browser",
            (Self::Provider, true) => "__Host-connect-provider",
            (Self::Provider, false) => "connect-provider",
        }
    }

    /// Finds its value in the headers of a request.
    pub(super) fn find(self, headers: &HeaderMap, tls: bool) -> Option<&str> {
        let lines = headers.get_all(COOKIE).iter();
        let mut pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let name = self.name(tls);
        let (_, value) = pairs.find(|(other, _)| *other == name)?;
        Some(value)
    }

    /// Returns the header line to keep a value for so many seconds.
    /// Scripts cannot read the cookie, and forms of other sites do not send it.
    pub(super) fn keep(self, value: &str, seconds: i64, tls: bool) -> String {
        let name = self.name(tls);
        let secure = if tls { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }

    /// Returns the header line to delete the cookie.
    pub(super) fn forget(self, tls: bool) -> String {
        self.keep("", 0, tls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        let line = "a=b; connect-session=s=1;connect-visitor=v";
        headers.append(COOKIE, line.parse().unwrap());
        headers.append(COOKIE, "__Host-connect-session=t".parse().unwrap());
        assert_eq!(Cookie::Session.find(&headers, false), Some("s=1"));
        assert_eq!(Cookie::Session.find(&headers, true), Some("t"));
        assert_eq!(Cookie::Visitor.find(&headers, false), Some("v"));
        assert_eq!(Cookie::Visitor.find(&headers, true), None);
    }

    #[test]
    fn scripts_and_other_sites_do_not_get_it() {
        let line = Cookie::Session.keep("v", 60, true);
        assert_eq!(
            line,
            "__Host-connect-session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
        );
        assert!(!Cookie::Session.keep("v", 60, false).contains("Secure"));
        assert!(Cookie::Session.forget(false).contains("Max-Age=0"));
    }
}
