//! Points in time.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chrono::{DateTime, Datelike, TimeZone, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time in UTC, to the microsecond.
///
/// Written as `2026-11-20T09:15:30.123456Z`, always with six fraction digits.
/// Read from RFC 3339 with any offset and up to nine fraction digits; the first six count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Not an RFC 3339 timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 timestamp, such as 2026-11-20T09:15:30Z")]
pub struct NotATimestamp;

/// The length of the written form.
const WRITTEN_LEN: usize = 27;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// The first writable point in time: the start of the year 0000.
    pub const MIN: Self = Self(-62_167_219_200_000_000);
    /// The last writable point in time: the end of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999_999);

    /// The point `micros` microseconds after 1970-01-01T00:00:00Z.
    /// It is kept between [`MIN`](Self::MIN) and [`MAX`](Self::MAX).
    pub const fn from_micros(micros: i64) -> Self {
        if micros < Self::MIN.0 {
            Self::MIN
        } else if micros > Self::MAX.0 {
            Self::MAX
        } else {
            Self(micros)
        }
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The point `seconds` later (or earlier, when negative).
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_micros(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// The point `days` of 24 hours later (or earlier, when negative).
    #[cfg(feature = "logic")]
    #[must_use]
    pub(crate) const fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(24 * 3600))
    }

    /// The point `micros` microseconds later.
    #[must_use]
    pub const fn plus_micros(self, micros: i64) -> Self {
        Self::from_micros(self.0.saturating_add(micros))
    }

    /// The time as a chrono time.
    pub fn to_utc(self) -> DateTime<Utc> {
        // Every point between MIN and MAX is within chrono's range.
        DateTime::from_timestamp_micros(self.0).unwrap_or_default()
    }

    /// The written form, without an allocation.
    fn write(self) -> [u8; WRITTEN_LEN] {
        let utc = self.to_utc();
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let mut put = |at: usize, digits: usize, mut number: u32| {
            for place in (at..at + digits).rev() {
                text[place] = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0, 4, utc.year().unsigned_abs());
        put(5, 2, utc.month());
        put(8, 2, utc.day());
        put(11, 2, utc.hour());
        put(14, 2, utc.minute());
        put(17, 2, utc.second());
        put(20, 6, utc.timestamp_subsec_micros());
        text
    }

    /// Reads any RFC 3339 form.
    /// The shape is checked first, as chrono accepts more than the API.
    fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !text.is_ascii() || bytes.len() < 20 || !matches!(bytes[10], b'T' | b't') {
            return None;
        }
        let offset = text[19..].find(['Z', 'z', '+', '-'])? + 19;
        let fraction = &bytes[19..offset];
        let fraction_ok = match fraction {
            [] => true,
            [b'.', digits @ ..] => {
                (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        };
        // A leap second has no place on the microsecond scale.
        if !fraction_ok || &bytes[17..19] == b"60" {
            return None;
        }
        let time = DateTime::parse_from_rfc3339(text).ok()?;
        let micros = time.timestamp_micros();
        (Self::MIN.0..=Self::MAX.0)
            .contains(&micros)
            .then_some(Self(micros))
    }
}

/// The time of this machine's clock, to the microsecond.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let micros = |span: Duration| i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => micros(after),
            Err(before) => -micros(before.duration()),
        })
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        let span = Duration::from_micros(time.0.unsigned_abs());
        // Every point between MIN and MAX is within the range of the platforms' clocks, but for
        // those that cannot go back to the year 0.
        let time = if time.0 < 0 {
            UNIX_EPOCH.checked_sub(span)
        } else {
            UNIX_EPOCH.checked_add(span)
        };
        time.unwrap_or(UNIX_EPOCH)
    }
}

/// A time with any offset, to the microsecond.
impl<Z: TimeZone> From<DateTime<Z>> for Timestamp {
    fn from(time: DateTime<Z>) -> Self {
        Self::from_micros(time.timestamp_micros())
    }
}

impl From<Timestamp> for DateTime<Utc> {
    fn from(time: Timestamp) -> Self {
        time.to_utc()
    }
}

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        Self::read(text).ok_or(NotATimestamp)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.write();
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.write()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_rfc_3339_is_read_and_one_is_written() {
        for (given, written) in [
            ("2026-11-20T09:15:30Z", "2026-11-20T09:15:30.000000Z"),
            ("2026-11-20T09:15:30.123456Z", "2026-11-20T09:15:30.123456Z"),
            (
                "2026-11-20T09:15:30.123456789Z",
                "2026-11-20T09:15:30.123456Z",
            ),
            ("2026-11-20T10:15:30.5+01:00", "2026-11-20T09:15:30.500000Z"),
            ("2026-11-20t09:15:30z", "2026-11-20T09:15:30.000000Z"),
            ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"),
            (
                "9999-12-31T23:59:59.999999999Z",
                "9999-12-31T23:59:59.999999Z",
            ),
        ] {
            assert_eq!(
                given.parse::<Timestamp>().unwrap().to_string(),
                written,
                "{given}"
            );
            assert_eq!(written.parse::<Timestamp>().unwrap().to_string(), written);
        }
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00.000000Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999999Z");
    }

    #[test]
    fn times_of_other_types_are_converted_there_and_back() {
        for text in [
            "1969-12-31T23:59:59.999999Z",
            "1970-01-01T00:00:00.000000Z",
            "2026-11-20T09:15:30.123456Z",
            "9999-12-31T23:59:59.999999Z",
        ] {
            let time: Timestamp = text.parse().unwrap();
            assert_eq!(Timestamp::from(SystemTime::from(time)), time);
            assert_eq!(Timestamp::from(DateTime::<Utc>::from(time)), time);
        }
        let half_past = DateTime::parse_from_rfc3339("2026-11-20T10:15:30+01:00").unwrap();
        let written = Timestamp::from(half_past).to_string();
        assert_eq!(written, "2026-11-20T09:15:30.000000Z");
        // Digits beyond microseconds are dropped, not rounded up into the future.
        let nanos = UNIX_EPOCH + Duration::from_nanos(1_999);
        assert_eq!(Timestamp::from(nanos).micros(), 1);
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in [
            "",
            "now",
            "2026-11-20",
            "2026-11-20 09:15:30Z",
            "2026-11-20T09:15:30",
            "2026-11-20T09:15Z",
            "2026-11-20T24:00:00Z",
            "2026-11-20T09:15:60Z",
            "2026-11-20T09:15:30.Z",
            "2026-11-20T09:15:30.1234567890Z",
            "2026-02-29T00:00:00Z",
            "2026-11-20T09:15:30+25:00",
            "2026-11-20T09:15:30+01",
            "1763630130",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "2026-11-20T09:15:30Zé",
        ] {
            assert_eq!(bad.parse::<Timestamp>(), Err(NotATimestamp), "{bad:?}");
        }
    }
}
