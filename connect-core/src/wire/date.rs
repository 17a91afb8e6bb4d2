//! Calendar days.

use std::{fmt, str::FromStr};

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A calendar day, `YYYY-MM-DD`, in the time zone of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

/// Not a date of the form `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date of the form YYYY-MM-DD, such as 2026-11-20")]
pub struct NotADate;

impl Date {
    /// The day as a chrono date.
    pub fn naive(self) -> NaiveDate {
        self.0
    }
}

impl From<NaiveDate> for Date {
    fn from(day: NaiveDate) -> Self {
        Self(day)
    }
}

impl From<Date> for NaiveDate {
    fn from(day: Date) -> Self {
        day.0
    }
}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        // chrono is more generous than we are: it takes signs, blanks and missing zeros.
        let shape = |(at, byte): (usize, &u8)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        if text.len() != 10 || !text.as_bytes().iter().enumerate().all(shape) {
            return Err(NotADate);
        }
        let number = |from: usize, to: usize| text[from..to].parse().map_err(|_| NotADate);
        let year = i32::try_from(number(0, 4)?).map_err(|_| NotADate)?;
        NaiveDate::from_ymd_opt(year, number(5, 7)?, number(8, 10)?)
            .map(Self)
            .ok_or(NotADate)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_form_is_taken() {
        for good in ["2026-11-20", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(good.parse::<Date>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "2026-1-1",
            "2026-01-01 ",
            "+2026-01-01",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "20261120",
            "2026/11/20",
            "2026-11-20T00:00:00Z",
            "٢٠٢٦-11-20",
        ] {
            assert_eq!(bad.parse::<Date>(), Err(NotADate), "{bad:?}");
        }
    }
}
