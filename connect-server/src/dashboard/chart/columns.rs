//! Charts of a time: each amount beside the one before.

use std::borrow::Cow;

use maud::{Markup, html};

use crate::dashboard::messages::numbers;

/// The height of the tallest bar, in pixels.
const HEIGHT: i64 = 160;

/// The room above the bars, and below for labels.
const MARGIN: i64 = 20;

/// The most labels below the bars, for a narrow screen.
const MOST_LABELS: usize = 12;

/// A chart of amounts, each beside the one before it in time.
pub(in crate::dashboard) struct Chart<'c> {
    /// The subject.
    pub(in crate::dashboard) title: Cow<'c, str>,
    /// The heading of the names, such as "Day".
    pub(in crate::dashboard) unit: Cow<'c, str>,
    /// The names of the amounts, and of the amounts before.
    pub(in crate::dashboard) series: [Cow<'c, str>; 2],
    pub(in crate::dashboard) bars: Vec<Bar>,
    pub(in crate::dashboard) currency: &'c str,
}

/// A bar of a chart.
pub(in crate::dashboard) struct Bar {
    /// The text below the bar.
    pub(in crate::dashboard) label: String,
    /// The full name.
    pub(in crate::dashboard) name: Cow<'static, str>,
    pub(in crate::dashboard) cents: i64,
    /// The amount before, drawn beside the bar.
    pub(in crate::dashboard) before: i64,
}

impl Chart<'_> {
    /// Returns whether all amounts are zero.
    pub(in crate::dashboard) fn is_empty(&self) -> bool {
        let mut amounts = self.bars.iter().flat_map(|bar| [bar.cents, bar.before]);
        amounts.all(|cents| cents == 0)
    }

    /// Draws the chart. Amounts below zero have no bar, but stand in the table.
    pub(in crate::dashboard) fn render(&self) -> Markup {
        let amounts = self.bars.iter().flat_map(|bar| [bar.cents, bar.before]);
        let highest = amounts.max().unwrap_or(0);
        let most = highest.max(1);
        let width = 100.0 / self.bars.len().max(1) as f64;
        let every = self.bars.len().div_ceil(MOST_LABELS).max(1);
        let floor = MARGIN + HEIGHT;
        html! {
            figure.chart {
                svg height=(floor + MARGIN) role="img" aria-label=(self.title) {
                    @if highest > 0 { text x="0" y=(MARGIN - 6) { (self.money(highest)) } }
                    // Elements of a drawing have to be closed: otherwise later ones would be inside them, and invisible.
                    line x1="0" x2="100%" y1=(MARGIN) y2=(MARGIN) {}
                    line x1="0" x2="100%" y1=(floor) y2=(floor) {}
                    @for (place, bar) in self.bars.iter().enumerate() {
                        @let left = width * place as f64;
                        (self.bar("before", left + width * 0.12, width * 0.38, bar.before, most, bar))
                        (self.bar("now", left + width * 0.38, width * 0.5, bar.cents, most, bar))
                        @if place.is_multiple_of(every) {
                            text.label x=(percent(left + width / 2.0)) y=(floor + MARGIN - 5) { (bar.label) }
                        }
                    }
                }
                p.legend {
                    span.now { (self.series[0]) }
                    span.before { (self.series[1]) }
                }
                details {
                    summary { (text!("chart-table")) }
                    (self.table())
                }
            }
        }
    }

    fn bar(&self, class: &str, x: f64, width: f64, cents: i64, most: i64, bar: &Bar) -> Markup {
        let height = i128::from(cents.max(0)) * i128::from(HEIGHT) / i128::from(most);
        let y = i128::from(MARGIN + HEIGHT) - height;
        html! {
            rect class=(class) x=(percent(x)) width=(percent(width)) y=(y) height=(height) {
                title { (text!("chart-bar", name = &*bar.name, amount = self.money(cents))) }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            table.narrow {
                thead {
                    tr { th { (self.unit) } @for name in &self.series { th.number { (name) } } }
                }
                tbody {
                    @for bar in &self.bars {
                        tr {
                            th { (bar.name) }
                            td.number { (self.money(bar.cents)) }
                            td.number { (self.money(bar.before)) }
                        }
                    }
                }
            }
        }
    }

    fn money(&self, cents: i64) -> String {
        numbers::money(cents, self.currency)
    }
}

/// Writes a place in a drawing.
pub(super) fn percent(number: f64) -> String {
    format!("{number:.2}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tallest_bar_fills_the_height_and_the_table_has_every_amount() {
        let bar = |cents, before| Bar {
            label: "1".to_owned(),
            name: "One".into(),
            cents,
            before,
        };
        let chart = Chart {
            title: "Sales".into(),
            unit: "Day".into(),
            series: ["Now".into(), "Before".into()],
            bars: vec![bar(1000, -5), bar(i64::MAX, 0)],
            currency: "EUR",
        };
        let drawn = chart.render().into_string();
        assert!(
            drawn.contains("width=\"25.00%\" y=\"20\" height=\"160\""),
            "{drawn}"
        );
        for amount in ["€10.00", "\u{2212}€0.05", "€0.00"] {
            assert!(
                drawn.contains(&format!("<td class=\"number\">{amount}")),
                "{drawn}"
            );
        }
        let empty = Chart {
            bars: Vec::new(),
            ..chart
        };
        assert!(empty.is_empty() && !empty.render().into_string().contains("€0.01"));
    }
}
