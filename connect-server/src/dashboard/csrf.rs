//! Protection against forms sent by other sites in an owner's name (CSRF).
//!
//! Each form has a token derived from the cookie of its reader. Another site can make a browser send the
//! cookie, but cannot read it, so it cannot make the token.
//!
//! The token differs in each form: it is the reader's digest under a random mask, with the mask in front.
//! The lengths of compressed pages therefore reveal nothing about it, even if part of the page repeats an
//! attacker's guesses (BREACH), and wherever the pages are compressed. The token also distinguishes two
//! sendings of one form from two forms ([`IdempotentForms`](super::idempotent_forms::IdempotentForms)).

use connect_core::environment::{Randomness as _, SystemRandomness};
use http::{HeaderMap, HeaderName, header::ORIGIN};
use sha2::{Digest as _, Sha256};

/// The name of the form field with the token.
pub(super) const FIELD: &str = "csrf";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const LENGTH: usize = 32;

/// Makes the tokens of a reader's forms.
pub(super) struct FormTokens([u8; LENGTH]);

impl FormTokens {
    /// Derives the tokens for the reader with this cookie.
    pub(super) fn of(cookie: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(b"connect dashboard forms\0")
            .chain_update(cookie)
            .finalize();
        Self(digest.into())
    }

    /// Makes the token of one form.
    pub(super) fn next(&self) -> String {
        let mut mask = [0; LENGTH];
        SystemRandomness.fill(&mut mask);
        hex::encode([mask, masked(self.0, mask)].concat())
    }

    /// Returns whether a token belongs to this reader.
    pub(super) fn has(&self, sent: &str) -> bool {
        let mut token = [0; 2 * LENGTH];
        if hex::decode_to_slice(sent, &mut token).is_err() {
            return false;
        }
        let (mask, rest) = token.split_at(LENGTH);
        let (Ok(mask), Ok(rest)) = (mask.try_into(), rest.try_into()) else {
            return false;
        };
        // Digests are compared, so the time that takes says nothing of the token.
        Sha256::digest(masked(rest, mask)) == Sha256::digest(self.0)
    }
}

fn masked(mut bytes: [u8; LENGTH], mask: [u8; LENGTH]) -> [u8; LENGTH] {
    for (byte, mask) in bytes.iter_mut().zip(mask) {
        *byte ^= mask;
    }
    bytes
}

/// Returns whether the browser reports another site as the sender of a form.
/// `own` are the addresses of the dashboard: the host named by the request, and the public address.
///
/// Older browsers, and all browsers over plain HTTP, send only `Origin`. It is `null` for the dashboard's own
/// forms too, because its pages hide their address from other sites, so `null` proves nothing.
pub(super) fn is_from_elsewhere(headers: &HeaderMap, own: &[&str]) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        return site != "same-origin" && site != "none";
    }
    headers.get_all(ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        origin != "null" && !own.iter().any(|own| is_same_host(origin, own))
    })
}

/// Returns whether an origin has the host and port of an address.
/// The address may begin with a scheme.
fn is_same_host(origin: &str, address: &str) -> bool {
    let Some((scheme, host)) = origin.split_once("://") else {
        return false;
    };
    let port = match scheme {
        "https" => ":443",
        _ => ":80",
    };
    let own = address.split_once("://").map_or(address, |(_, own)| own);
    let own = own.split('/').next().unwrap_or_default();
    let [host, own] = [host, own].map(|host| host.strip_suffix(port).unwrap_or(host));
    host.eq_ignore_ascii_case(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_of_one_cookie() {
        let (one, other) = (FormTokens::of("one"), FormTokens::of("other"));
        let token = one.next();
        assert!(one.has(&token) && !other.has(&token));
        for bad in ["", "one", &token[1..], &token[2..], &format!("{token}00")] {
            assert!(!one.has(bad), "{bad}");
        }
        // The digest alone is no token, and neither is one under another mask.
        assert!(!one.has(&hex::encode([one.0, one.0].concat())));
        assert!(!one.has(&format!("{}{}", &other.next()[..64], &token[64..])));
    }

    #[test]
    fn no_part_of_a_token_is_in_the_next_one() {
        let tokens = FormTokens::of("one");
        let (first, second) = (tokens.next(), tokens.next());
        assert!(tokens.has(&first) && tokens.has(&second));
        let digest = hex::encode(tokens.0);
        for place in (0..first.len()).step_by(8) {
            let part = &first[place..place + 8];
            assert!(!second.contains(part) && !digest.contains(part), "{part}");
        }
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
            assert_eq!(is_from_elsewhere(&headers, &[]), elsewhere, "{site:?}");
        }
    }

    #[test]
    fn browsers_that_tell_the_origin_alone_are_heard_too() {
        let own = ["10.0.0.5:8081", "https://owner.example/"];
        for (origin, elsewhere) in [
            ("http://10.0.0.5:8081", false),
            ("https://owner.example", false),
            ("https://OWNER.example:443", false),
            ("null", false),
            ("https://evil.example", true),
            ("http://10.0.0.5", true),
            ("http://10.0.0.5:8080", true),
            ("https://owner.example.evil.example", true),
            ("https://owner.example:80", true),
            ("owner.example", true),
            ("", true),
        ] {
            let mut headers = HeaderMap::from_iter([(ORIGIN, origin.parse().unwrap())]);
            assert_eq!(is_from_elsewhere(&headers, &own), elsewhere, "{origin}");
            // One of several is enough.
            headers.append(ORIGIN, "null".parse().unwrap());
            assert_eq!(is_from_elsewhere(&headers, &own), elsewhere, "{origin}");
            // The finding of the browser itself counts: a proxy may have changed the host.
            headers.insert(FETCH_SITE, "same-origin".parse().unwrap());
            assert!(!is_from_elsewhere(&headers, &own), "{origin}");
        }
    }
}
