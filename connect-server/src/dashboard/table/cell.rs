//! The cells of a table: as shown, and as sorted and saved.

use std::cmp::Ordering;

use connect_core::{folded, local_time, wire::Timestamp};
use maud::{Markup, Render, html};

use crate::dashboard::components;

/// A cell of a table: as shown, and as sorted and saved.
pub(in crate::dashboard) struct Cell {
    pub(super) shown: Markup,
    pub(super) value: Value,
}

/// The value of a cell.
pub(in crate::dashboard) enum Value {
    /// Nothing. Comes last in every order.
    Empty,
    /// A text, in a file as it is.
    Text(String),
    /// A number with its decimals behind a point.
    Number(String),
    /// A time, in a file in the time zone of the locations.
    Time(Timestamp),
}

impl Cell {
    /// A cell with this value, shown in another way.
    pub(in crate::dashboard) fn of(shown: Markup, value: Value) -> Self {
        Self { shown, value }
    }

    /// A text.
    pub(in crate::dashboard) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        let shown = html! { (text) };
        match text.is_empty() {
            true => Self::empty(),
            false => Self::of(shown, Value::Text(text)),
        }
    }

    /// An identifier, in the type of code.
    pub(in crate::dashboard) fn code(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(html! { code { (text) } }, Value::Text(text))
    }

    /// A link with a text.
    pub(in crate::dashboard) fn link(address: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(html! { a href=(address) { (text) } }, Value::Text(text))
    }

    /// A number, shown in another way.
    pub(in crate::dashboard) fn number(number: impl ToString, shown: impl Render) -> Self {
        Self::of(shown.render(), Value::Number(number.to_string()))
    }

    /// An amount of cents, shown in its currency.
    pub(in crate::dashboard) fn amount(cents: i64, shown: impl Render) -> Self {
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        Self::number(format!("{sign}{whole}.{rest:02}"), shown)
    }

    /// A time.
    pub(in crate::dashboard) fn time(time: Timestamp) -> Self {
        Self::of(components::time(time), Value::Time(time))
    }

    /// A time, or another text without one.
    pub(in crate::dashboard) fn time_or(time: Option<Timestamp>, without: &str) -> Self {
        time.map_or_else(|| Self::of(html! { (without) }, Value::Empty), Self::time)
    }

    /// Links or buttons.
    pub(in crate::dashboard) fn action(shown: Markup) -> Self {
        Self::of(shown, Value::Empty)
    }

    /// Nothing.
    pub(in crate::dashboard) fn empty() -> Self {
        Self::action(html! {})
    }
}

/// A value as compared with others, made once for each row.
pub(super) enum SortKey {
    Number(f64),
    Time(Timestamp),
    /// The text without case and accents, and as it is.
    Text(String, String),
    Empty,
}

impl SortKey {
    /// Compares two values, from high to low if `is_down`.
    /// Empty ones come last in both directions.
    pub(super) fn compare(&self, other: &Self, is_down: bool) -> Ordering {
        let rising = self.compare_rising(other);
        match (self, other) {
            (Self::Empty, _) | (_, Self::Empty) => rising,
            _ if is_down => rising.reverse(),
            _ => rising,
        }
    }

    fn compare_rising(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one, exact), Self::Text(other, exact_other)) => {
                one.cmp(other).then_with(|| exact.cmp(exact_other))
            }
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Time(_) => 1,
            Self::Text(..) => 2,
            Self::Empty => 3,
        }
    }
}

impl Value {
    /// The value as compared with others.
    pub(super) fn sort_key(&self) -> SortKey {
        match self {
            Self::Empty => SortKey::Empty,
            Self::Text(text) => SortKey::Text(folded(text), text.clone()),
            Self::Number(number) => SortKey::Number(number.parse().unwrap_or_default()),
            Self::Time(time) => SortKey::Time(*time),
        }
    }

    /// Writes the value for a file.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => harmless(text),
            Self::Number(number) => number.replace('.', &text!("number-decimal")),
            Self::Time(time) => local_time(*time).format("%Y-%m-%d %H:%M:%S").to_string(),
        }
    }
}

/// Marks a text as one, where a spreadsheet would calculate.
fn harmless(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}
