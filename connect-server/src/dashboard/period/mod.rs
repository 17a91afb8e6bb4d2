//! The period of a page, named by its address.

mod kept;

use std::borrow::Cow;

use chrono::{Datelike as _, Days, Months, NaiveDate, NaiveTime};
use connect_core::{
    time_of_local,
    wire::{
        Date, Timestamp,
        query::{Moment, Period as Range},
    },
};

pub(super) use kept::Kept;

use super::{FormFields, messages::dates, page_request::SignedIn};

/// The names of the fields with the length and a day of the period.
pub(super) const UNIT: &str = "period";
pub(super) const DATE: &str = "date";

/// Returns the fields of an address that name its period.
pub(super) fn filters<'t>(to: &'t SignedIn<'_>) -> [(&'static str, &'t str); 2] {
    let [unit, date] = named(&to.query);
    [(UNIT, unit), (DATE, date)]
}

/// The values of both fields.
/// All time has no day, whatever the form of the choice sent along.
fn named(query: &FormFields) -> [&str; 2] {
    match is_all(query) {
        true => ["", ""],
        false => [UNIT, DATE].map(|name| query.get(name)),
    }
}

/// Returns whether all time was chosen.
fn is_all(query: &FormFields) -> bool {
    query.has_field(UNIT) && query.get(UNIT).is_empty()
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    pub(super) const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// Finds the length with this name.
    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Returns its name in addresses and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// A period of whole days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) unit: Unit,
    pub(super) first: NaiveDate,
    pub(super) last: NaiveDate,
}

impl Period {
    /// Finds the period named by an address.
    /// A date alone is a day, and a length alone has this day in it. An empty length is all time.
    pub(super) fn of(query: &FormFields, today: NaiveDate) -> Option<Self> {
        let [unit, date] = named(query);
        let unit = Unit::of_name(unit);
        let date: Option<Date> = date.parse().ok();
        let date = date.map(NaiveDate::from);
        if unit.is_none() && date.is_none() {
            return None;
        }
        Some(Self::around(
            unit.unwrap_or(Unit::Day),
            date.unwrap_or(today),
        ))
    }

    /// Returns the period of this length with a day in it.
    pub(super) fn around(unit: Unit, day: NaiveDate) -> Self {
        let first = match unit {
            Unit::Day => Some(day),
            Unit::Week => {
                day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()))
            }
            Unit::Month => day.with_day(1),
            Unit::Year => day.with_ordinal(1),
        };
        let first = first.unwrap_or(day);
        let next = match unit {
            Unit::Day => first.checked_add_days(Days::new(1)),
            Unit::Week => first.checked_add_days(Days::new(7)),
            Unit::Month => first.checked_add_months(Months::new(1)),
            Unit::Year => first.checked_add_months(Months::new(12)),
        };
        let last = next.and_then(|next| next.pred_opt()).unwrap_or(day);
        Self { unit, first, last }
    }

    /// Returns the period before this one, if the calendar has it.
    pub(super) fn before(self) -> Option<Self> {
        Self::around(self.unit, self.first.pred_opt()?).in_calendar()
    }

    /// Returns the period after this one, if the calendar has it.
    pub(super) fn after(self) -> Option<Self> {
        Self::around(self.unit, self.last.succ_opt()?).in_calendar()
    }

    /// The period, if dates of the API can name its days.
    fn in_calendar(self) -> Option<Self> {
        let years = 1..=9999;
        (years.contains(&self.first.year()) && years.contains(&self.last.year())).then_some(self)
    }

    /// Returns the period to compare this one with. Of a day, that is a week earlier.
    pub(super) fn compared(self) -> Option<Self> {
        match self.unit {
            Unit::Day => {
                let day = self.first.checked_sub_days(Days::new(7))?;
                Self::around(Unit::Day, day).in_calendar()
            }
            Unit::Week | Unit::Month | Unit::Year => self.before(),
        }
    }

    /// Returns the same day in the period to compare with; `None` after its end.
    pub(super) fn same_day_before(self, day: NaiveDate) -> Option<NaiveDate> {
        let before = self.compared()?;
        let same = match self.unit {
            Unit::Day | Unit::Week => day.checked_sub_days(Days::new(7))?,
            Unit::Month => before.first.with_day(day.day())?,
            Unit::Year => day.checked_sub_months(Months::new(12))?,
        };
        before.has(same).then_some(same)
    }

    /// Returns its days.
    pub(super) fn days(self) -> impl Iterator<Item = NaiveDate> {
        self.first
            .iter_days()
            .take_while(move |day| *day <= self.last)
    }

    /// Returns whether a day is in it.
    pub(super) fn has(self, day: NaiveDate) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// Returns the range for lists of the core.
    pub(super) fn range(self) -> Range {
        let day = |day: NaiveDate| Some(Moment::Day(Date::from(day)));
        Range {
            from: day(self.first),
            to: day(self.last),
        }
    }

    /// Returns its first time, and the first one after it.
    pub(super) fn times(self) -> [Option<Timestamp>; 2] {
        let start = |day: NaiveDate| time_of_local(day.and_time(NaiveTime::MIN));
        [Some(self.first), self.last.succ_opt()].map(|day| day.map(start))
    }

    /// Returns its fields in an address.
    /// They have the day by its date: "today" would be another one tomorrow.
    pub(super) fn fields(self) -> [(&'static str, String); 2] {
        [
            (UNIT, self.unit.name().to_owned()),
            (DATE, self.first.to_string()),
        ]
    }

    /// Writes it: a day with its weekday, the ends of a week, or a month or year by name.
    pub(super) fn title(self) -> Cow<'static, str> {
        match self.unit {
            Unit::Day => dates::long_date(self.first),
            Unit::Week => {
                text!(
                    "period-from-to",
                    first = dates::date(self.first),
                    last = dates::date(self.last)
                )
            }
            Unit::Month => dates::month(self.first),
            Unit::Year => self.first.year().to_string().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_whole_days_and_two_neighbours() {
        for (unit, day, first, last, before, title) in [
            (
                Unit::Day,
                "2026-03-01",
                "2026-03-01",
                "2026-03-01",
                "2026-02-28",
                "Sunday, 1 March 2026",
            ),
            (
                Unit::Week,
                "2026-03-01",
                "2026-02-23",
                "2026-03-01",
                "2026-02-16",
                "23 Feb 2026 to 1 Mar 2026",
            ),
            (
                Unit::Month,
                "2024-02-29",
                "2024-02-01",
                "2024-02-29",
                "2024-01-01",
                "February 2024",
            ),
            (
                Unit::Year,
                "2026-12-31",
                "2026-01-01",
                "2026-12-31",
                "2025-01-01",
                "2026",
            ),
        ] {
            let period = Period::around(unit, day.parse().unwrap());
            assert_eq!(period.first.to_string(), first);
            assert_eq!(period.last.to_string(), last);
            assert_eq!(period.before().unwrap().first.to_string(), before);
            assert_eq!(period.before().unwrap().after(), Some(period));
            assert_eq!(period.title(), title);
            let days = (period.last - period.first).num_days() + 1;
            assert_eq!(period.days().count(), usize::try_from(days).unwrap());
            assert!(period.days().all(|day| period.has(day)));
        }
    }

    #[test]
    fn a_day_has_the_same_day_before_unless_that_time_is_over() {
        for (unit, day, same) in [
            (Unit::Day, "2026-03-01", Some("2026-02-22")),
            (Unit::Week, "2026-03-01", Some("2026-02-22")),
            (Unit::Month, "2026-04-30", Some("2026-03-30")),
            (Unit::Month, "2026-03-31", None),
            (Unit::Month, "2026-01-31", Some("2025-12-31")),
            (Unit::Year, "2028-03-01", Some("2027-03-01")),
            (Unit::Year, "2028-02-29", Some("2027-02-28")),
            (Unit::Year, "2029-03-01", Some("2028-03-01")),
        ] {
            let day = day.parse().unwrap();
            let found = Period::around(unit, day).same_day_before(day);
            assert_eq!(
                found,
                same.map(|same| same.parse().unwrap()),
                "{unit:?} {day}"
            );
        }
    }

    #[test]
    fn the_ends_of_the_calendar_are_no_problem() {
        for day in [NaiveDate::MIN, NaiveDate::MAX] {
            for unit in Unit::ALL {
                let period = Period::around(unit, day);
                assert!(period.has(day), "{unit:?} {period:?}");
                let _ = (period.compared(), period.after(), period.title());
                assert_eq!(period.before().or(period.after()), None, "{unit:?}");
            }
        }
    }

    #[test]
    fn an_address_names_a_period_or_none() {
        let today = "2026-11-27".parse().unwrap();
        for (query, expected) in [
            ("", None),
            ("period=x&date=x", None),
            ("date=2026-11-01", Some((Unit::Day, "2026-11-01"))),
            ("period=&date=2026-11-01", None),
            ("period=month", Some((Unit::Month, "2026-11-01"))),
            (
                "period=week&date=2026-01-01",
                Some((Unit::Week, "2025-12-29")),
            ),
        ] {
            let found = Period::of(&FormFields::parse(query.as_bytes()), today);
            let found = found.map(|found| (found.unit, found.first.to_string()));
            assert_eq!(
                found,
                expected.map(|(unit, first)| (unit, first.to_owned())),
                "{query}"
            );
        }
    }
}
