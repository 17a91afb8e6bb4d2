//! The fields to change prices by amount or percentage.

use std::borrow::Cow;

use connect_core::{PriceChange, PriceDifference, PriceRounding, Reason};
use maud::{Markup, html};

use crate::dashboard::{FormFields, messages::numbers};

const HOW: &str = "how";
const BY: &str = "by";
const ROUNDING: &str = "rounding";

/// The ways to change a price, each with its value and label.
fn ways() -> [(&'static str, Cow<'static, str>); 4] {
    [
        ("percent-up", text!("prices-percent-up")),
        ("percent-down", text!("prices-percent-down")),
        ("amount-up", text!("prices-amount-up")),
        ("amount-down", text!("prices-amount-down")),
    ]
}

/// The roundings, each with its value and label.
fn roundings() -> [(&'static str, Cow<'static, str>); 3] {
    [
        ("1", text!("prices-round-1")),
        ("5", text!("prices-round-5")),
        ("10", text!("prices-round-10")),
    ]
}

/// Renders the fields with their input.
pub(super) fn fields(form: &FormFields) -> Markup {
    html! {
        label for=(HOW) { (text!("prices-how")) }
        select id=(HOW) name=(HOW) { (options(&ways(), form.get(HOW))) }
        label for=(BY) { (text!("prices-by")) }
        input id=(BY) name=(BY) inputmode="decimal" autocomplete="off" value=(form.get(BY));
        label for=(ROUNDING) { (text!("prices-rounding")) }
        select id=(ROUNDING) name=(ROUNDING) { (options(&roundings(), form.get(ROUNDING))) }
    }
}

/// Renders the same fields hidden, to send them once more.
pub(super) fn hidden(form: &FormFields) -> Markup {
    html! {
        @for name in [HOW, BY, ROUNDING] {
            input type="hidden" name=(name) value=(form.get(name));
        }
    }
}

fn options(choices: &[(&str, Cow<'_, str>)], chosen: &str) -> Markup {
    html! {
        @for (value, label) in choices {
            option value=(value) selected[*value == chosen] { (label) }
        }
    }
}

/// Reads the fields.
pub(super) fn read(form: &FormFields) -> Result<PriceChange, Reason> {
    let (how, typed) = (form.get(HOW), form.get(BY));
    let sign = if how.ends_with("-down") { -1 } else { 1 };
    let by = match how {
        "percent-up" | "percent-down" => {
            let problem = || Reason::of(text!("prices-by"), text!("prices-must-be-percentage"));
            let tenths = numbers::tenths(typed).ok_or_else(problem)?;
            PriceDifference::TenthsOfPercent(sign * tenths)
        }
        "amount-up" | "amount-down" => {
            let problem = || Reason::of(text!("prices-by"), text!("products-must-be-amount"));
            let cents = numbers::cents(typed).ok_or_else(problem)?;
            PriceDifference::Cents(sign * cents)
        }
        _ => {
            return Err(Reason::of(
                text!("prices-how"),
                text!("word-must-be-chosen"),
            ));
        }
    };
    let rounding = match form.get(ROUNDING) {
        "1" => PriceRounding::Cent,
        "5" => PriceRounding::FiveCents,
        "10" => PriceRounding::TenCents,
        _ => {
            let label = text!("prices-rounding");
            return Err(Reason::of(label, text!("word-must-be-chosen")));
        }
    };
    Ok(PriceChange { by, rounding })
}

#[cfg(test)]
mod tests {
    use super::{
        PriceDifference::{Cents, TenthsOfPercent},
        PriceRounding::{Cent, FiveCents, TenCents},
        *,
    };

    #[test]
    fn a_change_is_read_as_people_type_it() {
        for (fields, expected) in [
            (
                "how=percent-up&by=2,5&rounding=1",
                Some((TenthsOfPercent(25), Cent)),
            ),
            (
                "how=percent-down&by=10+%25&rounding=5",
                Some((TenthsOfPercent(-100), FiveCents)),
            ),
            (
                "how=amount-up&by=0.25&rounding=10",
                Some((Cents(25), TenCents)),
            ),
            (
                "how=amount-down&by=%E2%82%AC+1,50&rounding=1",
                Some((Cents(-150), Cent)),
            ),
            ("how=percent-up&by=2.55&rounding=1", None),
            ("how=percent-up&by=-2&rounding=1", None),
            ("how=amount-up&by=x&rounding=1", None),
            ("how=&by=1&rounding=1", None),
            ("how=amount-up&by=1&rounding=2", None),
        ] {
            let form = FormFields::parse(fields.as_bytes());
            let found = read(&form).ok();
            let expected = expected.map(|(by, rounding)| PriceChange { by, rounding });
            assert_eq!(found, expected, "{fields}");
        }
    }
}
