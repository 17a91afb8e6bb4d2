//! Charts of named amounts: bars from a line of zero, to the left for refunds.

use std::borrow::Cow;

use maud::{Markup, html};

use super::columns::percent;
use crate::dashboard::messages::numbers;

/// The height of a name with its bar, in pixels.
const ROW: usize = 44;

/// The places in a row, in pixels from its top.
const NAME: usize = 15;
const TOP: usize = 22;
const AMOUNT: usize = 34;

/// The height of a bar, in pixels.
const HEIGHT: usize = 14;

/// The length of the zero line beyond a bar, in pixels.
const BEYOND: usize = 3;

/// The part of the width for bars, in percent.
/// The rest is for the amounts.
const WIDTH: f64 = 60.0;

/// The most letters of a drawn name.
/// A narrow screen has no more room.
const MOST_LETTERS: usize = 34;

/// A chart of named amounts.
pub(in crate::dashboard) struct Bars<'c> {
    /// The subject.
    title: Cow<'c, str>,
    /// The headings of its names and amounts, such as "Product" and "Turnover".
    headings: [Cow<'c, str>; 2],
    rows: Vec<NamedAmount<'c>>,
    currency: &'c str,
    /// The ends of its scale: at most zero, and at least zero.
    ends: [i64; 2],
}

/// An amount with its name.
pub(in crate::dashboard) struct NamedAmount<'c> {
    pub(in crate::dashboard) name: Cow<'c, str>,
    pub(in crate::dashboard) cents: i64,
}

impl<'c> Bars<'c> {
    /// A chart of amounts in one currency.
    pub(in crate::dashboard) fn new(
        title: Cow<'c, str>,
        headings: [Cow<'c, str>; 2],
        rows: impl IntoIterator<Item = NamedAmount<'c>>,
        currency: &'c str,
    ) -> Self {
        let bars = Self {
            title,
            headings,
            rows: rows.into_iter().collect(),
            currency,
            ends: [0, 0],
        };
        let ends = bars.ends_with(bars.ends);
        Self { ends, ..bars }
    }

    /// The same chart, on one scale with another.
    #[must_use]
    pub(in crate::dashboard) fn beside(self, other: &Bars<'_>) -> Self {
        let ends = other.ends_with(self.ends);
        Self { ends, ..self }
    }

    /// Returns whether it has no amounts.
    pub(in crate::dashboard) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Draws the chart, with its table.
    pub(in crate::dashboard) fn render(&self) -> Markup {
        html! {
            figure.chart.bars {
                (self.drawing())
                details {
                    summary { (text!("chart-table")) }
                    (self.table())
                }
            }
        }
    }

    /// Draws the chart alone, for a page with its table.
    pub(in crate::dashboard) fn render_plain(&self) -> Markup {
        html! { figure.chart.bars { (self.drawing()) } }
    }

    fn drawing(&self) -> Markup {
        let [lowest, _] = self.ends;
        let zero = self.part(lowest);
        let height = self.rows.len() * ROW;
        html! {
            svg height=(height) role="img" aria-label=(self.title) {
                @for (place, row) in self.rows.iter().enumerate() {
                    @let top = place * ROW;
                    @let length = self.part(row.cents);
                    @let left = if row.cents < 0 { zero - length } else { zero };
                    text x="0" y=(top + NAME) { (shortened(&row.name)) }
                    rect class=[(row.cents < 0).then_some("below")] x=(percent(left)) width=(percent(length)) y=(top + TOP) height=(HEIGHT) {
                        title { (text!("chart-bar", name = &*row.name, amount = self.money(row.cents))) }
                    }
                    // The line of zero, beside the bar alone: names have to be read.
                    line x1=(percent(zero)) x2=(percent(zero)) y1=(top + TOP - BEYOND) y2=(top + TOP + HEIGHT + BEYOND) {}
                    text.number x="100%" y=(top + AMOUNT) { (self.money(row.cents)) }
                }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            table.narrow {
                thead { tr { th { (self.headings[0]) } th.number { (self.headings[1]) } } }
                tbody {
                    @for row in &self.rows {
                        tr { th { (row.name) } td.number { (self.money(row.cents)) } }
                    }
                }
            }
        }
    }

    /// The ends of a scale, extended by these amounts.
    fn ends_with(&self, [lowest, highest]: [i64; 2]) -> [i64; 2] {
        let amounts = || self.rows.iter().map(|row| row.cents);
        [
            amounts().fold(lowest, i64::min),
            amounts().fold(highest, i64::max),
        ]
    }

    /// The length of an amount, in percent of the width.
    fn part(&self, cents: i64) -> f64 {
        let [lowest, highest] = self.ends.map(i128::from);
        let whole = (highest - lowest).max(1);
        cents.unsigned_abs() as f64 / whole as f64 * WIDTH
    }

    fn money(&self, cents: i64) -> String {
        numbers::money(cents, self.currency)
    }
}

/// Cuts a long name off.
fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MOST_LETTERS) {
        None => name.into(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(amounts: &[i64]) -> Bars<'static> {
        let rows = amounts.iter().map(|cents| NamedAmount {
            name: "Rye & spelt".into(),
            cents: *cents,
        });
        Bars::new("Payments".into(), ["By".into(), "Paid".into()], rows, "EUR")
    }

    #[test]
    fn refunds_are_drawn_to_the_left_of_zero() {
        for (amounts, line, drawn) in [
            (
                &[300, 100][..],
                "0.00%",
                &["> 0.00% 60.00%", "> 0.00% 20.00%"][..],
            ),
            (
                &[200, -100],
                "20.00%",
                &["> 20.00% 40.00%", "< 0.00% 20.00%"],
            ),
            (&[-50, 0], "60.00%", &["< 0.00% 60.00%", "> 60.00% 0.00%"]),
            (
                &[i64::MAX, i64::MIN],
                "30.00%",
                &["> 30.00% 30.00%", "< 0.00% 30.00%"],
            ),
            (&[0], "0.00%", &["> 0.00% 0.00%"]),
        ] {
            let page = bars(amounts).render().into_string();
            let found: Vec<_> = page.split("<rect ").skip(1).map(bar).collect();
            assert_eq!(found, drawn, "{amounts:?}");
            let zero = format!("<line x1=\"{line}\" x2=\"{line}\"");
            assert_eq!(page.matches(&zero).count(), amounts.len(), "{page}");
        }
    }

    /// The side of a bar, its left end and its length.
    fn bar(rest: &str) -> String {
        let tag = rest.split('>').next().unwrap();
        let value = |name: &str| {
            let (_, value) = tag.split_once(&format!("{name}=\"")).unwrap();
            value.split('"').next().unwrap()
        };
        let side = if tag.starts_with("class=\"below\" ") {
            '<'
        } else {
            '>'
        };
        format!("{side} {} {}", value("x"), value(" width"))
    }

    #[test]
    fn the_table_has_each_amount_and_two_charts_may_have_one_scale() {
        let (low, high) = (bars(&[-100]), bars(&[300]));
        let page = low.beside(&high).render().into_string();
        assert!(page.contains("x=\"0.00%\" width=\"15.00%\""), "{page}");
        let row = "<tr><th>Rye &amp; spelt</th><td class=\"number\">\u{2212}€1.00</td></tr>";
        assert!(page.contains(row), "{page}");
        assert!(
            page.contains("role=\"img\" aria-label=\"Payments\""),
            "{page}"
        );
        assert!(!bars(&[1]).render_plain().into_string().contains("<table"));
        assert!(bars(&[]).is_empty() && bars(&[]).drawing().into_string().contains("height=\"0\""));
    }

    #[test]
    fn a_long_name_is_cut_off_in_the_drawing_alone() {
        let name = "é".repeat(MOST_LETTERS + 1);
        assert_eq!(shortened(&name), format!("{}…", "é".repeat(MOST_LETTERS)));
        assert_eq!(shortened("Rye"), "Rye");
    }
}
