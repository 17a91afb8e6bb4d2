//! The `Retry-After` header, and the clock for its dates.

use std::time::{Duration, SystemTime};

use http::HeaderMap;

use crate::call::response::text;

/// Returns the response's `Date`, the service's clock, if present.
pub(crate) fn date(headers: &HeaderMap) -> Option<SystemTime> {
    httpdate::parse_http_date(text(headers, "date")?).ok()
}

/// Returns the wait from `Retry-After`: whole seconds or an HTTP date.
///
/// A date counts from `now`, the response's own [`date`], so a wrong clock on this machine does no
/// harm. `None` when the header is missing or in another form (`inf`, `-1`, `1.5`). A number too large
/// to hold becomes the longest duration.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = text(headers, "retry-after")?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").unwrap();
        retry_after(&headers, date(&headers).unwrap_or(now))
    }

    #[test]
    fn seconds_and_dates_are_understood() {
        for (value, seconds) in [
            ("0", 0),
            ("7", 7),
            (" 30 ", 30),
            ("Sat, 21 Nov 2026 10:00:45 GMT", 45),
            ("Saturday, 21-Nov-26 10:00:45 GMT", 45),
            ("Sat Nov 21 10:00:45 2026", 45),
            ("Sat, 21 Nov 2026 09:00:00 GMT", 0),
            ("99999999999999999999999999", u64::MAX),
        ] {
            let expected = Some(Duration::from_secs(seconds));
            assert_eq!(read(&[("retry-after", value)]), expected, "{value}");
        }
    }

    #[test]
    fn a_date_counts_from_the_services_own_clock() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let until = "Sun, 06 Nov 1994 08:50:07 GMT";
        let read = read(&[("date", date), ("retry-after", until)]);
        assert_eq!(read, Some(Duration::from_secs(30)));
    }

    #[test]
    fn hostile_values_are_ignored() {
        for value in [
            "",
            "inf",
            "-inf",
            "nan",
            "1e300",
            "-5",
            "+5",
            "1.5",
            "0x10",
            "soon",
            "٣",
            "Sat, 99 Nov 2026 10:00:45 GMT",
        ] {
            assert_eq!(read(&[("retry-after", value)]), None, "{value:?}");
        }
        assert_eq!(read(&[]), None);
    }
}
