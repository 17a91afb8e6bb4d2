//! The parameters `from` and `to`.

use std::{fmt, str::FromStr};

use super::{
    Parameter, Query,
    parameter::{ParameterKind, Value, parameter},
};
use crate::wire::{Date, Timestamp};

/// A day in the location's time zone, or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A day.
    Day(Date),
    /// A time.
    At(Timestamp),
}

/// A time range: the parameters `from` and `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    /// The beginning, inclusive.
    pub from: Option<Moment>,
    /// The end: this day inclusive, or this time exclusive.
    pub to: Option<Moment>,
}

/// The description of `from`.
pub(super) const FROM: &str =
    "The beginning, inclusive: a day in the location's time zone, or a time.";

/// The description of `to`.
pub(super) const TO: &str = "The end: a day in the location's time zone, inclusive, or a time, \
                             exclusive. Not earlier than `from`.";

impl Query for Period {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        parameter!("from", from, Moment, FROM),
        parameter!("to", to, Moment, TO),
    ];
}

impl Value for Moment {
    const KIND: ParameterKind = ParameterKind::Moment;
    type Read = Self;

    fn read(text: &str) -> Result<Self, String> {
        // In a query a plus sign stands for a blank.
        let plus = if text.contains(' ') {
            ", with + written as %2B"
        } else {
            ""
        };
        let problem = "must be a date such as 2026-11-20 or a time such as 2026-11-20T09:15:30Z";
        text.parse()
            .map_err(|NotAMoment| format!("{problem}{plus}"))
    }
}

/// Neither a date nor a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date or a time")]
pub struct NotAMoment;

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        let day = text.parse().map(Self::Day);
        day.or_else(|_| text.parse().map(Self::At))
            .map_err(|_| NotAMoment)
    }
}

impl From<Date> for Moment {
    fn from(day: Date) -> Self {
        Self::Day(day)
    }
}

impl From<Timestamp> for Moment {
    fn from(time: Timestamp) -> Self {
        Self::At(time)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::At(time) => time.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_read_and_written() {
        for query in [
            "",
            "from=2026-11-20",
            "to=2026-11-20T09%3A15%3A30.000000Z",
            "from=2026-03-29&to=2026-10-25",
        ] {
            assert_eq!(Period::parse(query).unwrap().to_query(), query);
        }
        for (query, parameter) in [
            ("from=", "from"),
            ("from=yesterday", "from"),
            ("to=2026-02-30", "to"),
            ("to=2026-11-20T09:15:30", "to"),
            ("to=2026-11-20T09:15:30+01:00", "to"),
            ("from=2026-11-20&from=2026-11-20", "from"),
        ] {
            let invalid = Period::parse(query).unwrap_err().to_string();
            assert!(invalid.contains(parameter), "{query}: {invalid}");
        }
    }
}
