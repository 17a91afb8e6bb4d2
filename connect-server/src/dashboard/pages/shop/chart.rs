//! A chart of days, drawn without scripts.

use connect_core::wire::DailySummary;
use maud::{Markup, html};

use super::PageLocation;

/// The height of the tallest bar, in units of the drawing.
const HEIGHT: i64 = 100;

/// The width of a day.
const WIDTH: i64 = 20;

/// The room above the bars for the largest amount, below for days.
const MARGIN: i64 = 12;

/// Draws a bar for the net sales of each day.
/// A table has the same numbers, for screen readers.
pub(super) fn bars(shop: &PageLocation, days: &[DailySummary]) -> Markup {
    let most = days
        .iter()
        .map(|day| day.totals.net_cents)
        .max()
        .unwrap_or(0)
        .max(1);
    let width = WIDTH * i64::try_from(days.len()).unwrap_or(0);
    let floor = MARGIN + HEIGHT;
    html! {
        figure.chart {
            svg viewBox={ "0 0 " (width) " " (floor + MARGIN) } role="img" aria-label="Net sales of each day" {
                text x="2" y=(MARGIN - 3) { (shop.money(most)) }
                // Elements of a drawing have to be closed: otherwise later ones would be inside them, and invisible.
                line x1="0" x2=(width) y1=(MARGIN) y2=(MARGIN) {}
                line x1="0" x2=(width) y1=(floor) y2=(floor) {}
                @for (place, day) in days.iter().enumerate() {
                    @let net = day.totals.net_cents.max(0);
                    @let height = i128::from(net) * i128::from(HEIGHT) / i128::from(most);
                    @let left = WIDTH * i64::try_from(place).unwrap_or(0);
                    rect x=(left + 2) y=(i128::from(floor) - height) width=(WIDTH - 4) height=(height) {
                        title { (day.date) ": " (shop.money(day.totals.net_cents)) }
                    }
                    text.day x=(left + WIDTH / 2) y=(floor + MARGIN - 3) { (day_of_month(day)) }
                }
            }
            details {
                summary { "As a table" }
                table.narrow {
                    thead { tr { th { "Day" } th.number { "Net" } th.number { "Sales" } } }
                    tbody {
                        @for day in days {
                            tr {
                                th { (day.date) }
                                td.number { (shop.money(day.totals.net_cents)) }
                                td.number { (day.totals.sales.count) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the day of the month without a zero in front.
fn day_of_month(day: &DailySummary) -> String {
    let date = day.date.to_string();
    let day = date.rsplit('-').next().unwrap_or_default();
    day.trim_start_matches('0').to_owned()
}
