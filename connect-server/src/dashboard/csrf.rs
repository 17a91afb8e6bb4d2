//! Forms that other sites cannot send in an owner's name.
//!
//! Each form has a token that is made of the cookie of its reader. Another site can have a browser send
//! the cookie, but cannot read it, so it cannot make the token.

use http::{HeaderMap, HeaderName};
use sha2::{Digest as _, Sha256};

/// The name of the field that has the token.
pub(super) const FIELD: &str = "csrf";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Makes the token of a reader's forms out of the value of a cookie.
pub(super) fn token(cookie: &str) -> String {
    let digest = Sha256::new()
        .chain_update(b"connect dashboard forms\0")
        .chain_update(cookie)
        .finalize();
    hex::encode(digest)
}

/// Returns whether a form has the token of the reader with this cookie.
pub(super) fn is_of(sent: &str, cookie: &str) -> bool {
    // Digests are compared, so the time that takes says nothing of the token.
    Sha256::digest(sent) == Sha256::digest(token(cookie))
}

/// Returns whether a browser says that another site made it send a form.
pub(super) fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get(FETCH_SITE);
    site.is_some_and(|site| site != "same-origin" && site != "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_one_cookie() {
        let token = token("one");
        assert!(is_of(&token, "one"));
        assert!(!is_of(&token, "other") && !is_of("", "one") && !is_of("one", "one"));
        assert!(!token.contains("one"));
    }

    #[test]
    fn browsers_tell_where_a_form_comes_from() {
        for (site, elsewhere) in [
            (None, false),
            (Some("same-origin"), false),
            (Some("none"), false),
            (Some("same-site"), true),
            (Some("cross-site"), true),
            (Some(""), true),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(site.map(|site| (FETCH_SITE, site.parse().unwrap())));
            assert_eq!(is_from_elsewhere(&headers), elsewhere, "{site:?}");
        }
    }
}
