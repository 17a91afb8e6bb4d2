//! The parts of a response besides its record.

use http::{HeaderMap, StatusCode};

use crate::wire::Timestamp;

/// A response: the record, and the facts from its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response<T> {
    /// The result.
    pub data: T,
    /// The facts in the headers of the response.
    pub meta: Meta,
}

/// The facts of a response besides its body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meta {
    /// The HTTP status, such as 200.
    pub status: u16,
    /// The request id, for looking into the service's logs.
    pub request_id: Option<String>,
    /// The rate limit after this request.
    /// `None` when the answer is not from the service.
    pub rate_limit: Option<RateLimit>,
    /// Set when this is a stored response.
    /// The service had stored it for an earlier request with the same idempotency key.
    pub replayed: bool,
    /// The state of a page on the location's change clock.
    /// All changes up to this time are in the list, and no later ones are in this page. `None` for
    /// other responses, and from a service without this header.
    pub state: Option<Timestamp>,
    /// The number of attempts, including this response's.
    pub attempts: u32,
}

/// The rate limit closest to being used up.
/// It is the token's or the account's. It counts requests in windows of a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// Requests per window.
    pub limit: u64,
    /// Requests left in this window.
    pub remaining: u64,
    /// The end of the window by the service's clock, in whole seconds.
    pub reset: Timestamp,
}

impl Meta {
    pub(crate) fn read(status: StatusCode, headers: &HeaderMap, attempts: u32) -> Self {
        Self {
            status: status.as_u16(),
            request_id: text(headers, "x-request-id").map(str::to_owned),
            rate_limit: RateLimit::read(headers),
            replayed: text(headers, "idempotent-replayed") == Some("true"),
            state: text(headers, "connect-state").and_then(|state| state.parse().ok()),
            attempts,
        }
    }
}

impl RateLimit {
    fn read(headers: &HeaderMap) -> Option<Self> {
        let number = |name| text(headers, name)?.parse::<u64>().ok();
        let reset = i64::try_from(number("x-ratelimit-reset")?).unwrap_or(i64::MAX);
        Some(Self {
            limit: number("x-ratelimit-limit")?,
            remaining: number("x-ratelimit-remaining")?,
            reset: Timestamp::from_micros(reset.saturating_mul(1_000_000)),
        })
    }
}

/// The value of a header, if it is there and is text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let parse = |(name, value): &(&'static str, &'static str)| {
            (
                http::HeaderName::from_static(name),
                http::HeaderValue::from_static(value),
            )
        };
        pairs.iter().map(parse).collect()
    }

    #[test]
    fn the_headers_are_read() {
        let meta = Meta::read(
            StatusCode::CREATED,
            &headers(&[
                ("x-request-id", "r-1"),
                ("x-ratelimit-limit", "120"),
                ("x-ratelimit-remaining", "7"),
                ("x-ratelimit-reset", "1800000000"),
                ("idempotent-replayed", "true"),
                ("connect-state", "2026-11-20T09:15:30.123456Z"),
            ]),
            2,
        );
        let limit = meta.rate_limit.unwrap();
        assert_eq!((limit.limit, limit.remaining), (120, 7));
        assert_eq!(limit.reset.seconds(), 1_800_000_000);
        assert_eq!(meta.request_id.as_deref(), Some("r-1"));
        let state = meta.state.unwrap().to_string();
        assert_eq!(state, "2026-11-20T09:15:30.123456Z");
        assert_eq!((meta.status, meta.replayed, meta.attempts), (201, true, 2));
    }

    #[test]
    fn missing_and_odd_headers_are_no_fault() {
        let bare = Meta::read(StatusCode::OK, &HeaderMap::new(), 1);
        assert_eq!((bare.request_id, bare.rate_limit), (None, None));
        assert!(!bare.replayed);
        let odd = Meta::read(StatusCode::OK, &headers(&[("connect-state", "soon")]), 1);
        assert_eq!((bare.state, odd.state), (None, None));
        let first = Meta::read(
            StatusCode::OK,
            &headers(&[("idempotent-replayed", "false")]),
            1,
        );
        assert!(!first.replayed);
        for odd in ["-1", "1e3", "", "99999999999999999999999"] {
            let headers = headers(&[
                ("x-ratelimit-limit", "120"),
                ("x-ratelimit-remaining", odd),
                ("x-ratelimit-reset", "1"),
            ]);
            assert_eq!(RateLimit::read(&headers), None, "{odd:?}");
        }
        let far = headers(&[
            ("x-ratelimit-limit", "1"),
            ("x-ratelimit-remaining", "1"),
            ("x-ratelimit-reset", "18446744073709551615"),
        ]);
        assert_eq!(RateLimit::read(&far).unwrap().reset, Timestamp::MAX);
    }
}
