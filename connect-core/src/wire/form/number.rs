//! Numbers.

use serde::{Deserializer, de::Error as _};

use super::{Form, mismatch, raw};
use crate::wire::{
    Quantity, VatRate,
    number::{BadNumber, fixed, is_number},
    read::{Invalid, clip, kind},
};

/// A whole number from 0 to `MAX`, however written: `12`, `12.0`, `1.2e1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MAX: i64>;

/// A price in cents, from 0 to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cents<const MAX: i64>;

/// An amount in cents of either sign, of magnitude `MAX` at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount<const MAX: i64>;

impl<const MAX: i64> Form for Whole<MAX> {
    type Value = i64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        whole(deserializer, 0, MAX, |_| String::new())
    }

    fn check(number: &mut i64, field: &str) -> Result<(), Invalid> {
        check_whole(*number, field, 0, MAX)
    }
}

impl<const MAX: i64> Form for Cents<MAX> {
    type Value = i64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        whole(deserializer, 0, MAX, in_cents)
    }

    fn check(number: &mut i64, field: &str) -> Result<(), Invalid> {
        check_whole(*number, field, 0, MAX)
    }
}

impl<const MAX: i64> Form for Amount<MAX> {
    type Value = i64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        whole(deserializer, -MAX, MAX, in_cents)
    }

    fn check(number: &mut i64, field: &str) -> Result<(), Invalid> {
        check_whole(*number, field, -MAX, MAX)
    }
}

/// Reads a whole number.
/// `hint` gives advice for a number with a fraction, or for a string.
fn whole<'de, D: Deserializer<'de>>(
    deserializer: D,
    least: i64,
    most: i64,
    hint: fn(&str) -> String,
) -> Result<i64, D::Error> {
    let raw = raw(deserializer)?;
    if !is_number(raw) {
        let string = raw
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let hint = string.map_or_else(String::new, hint);
        let problem = format!("must be a whole number, not {}{hint}", kind(raw));
        return Err(D::Error::custom(problem));
    }
    fixed(raw, 0).map_err(|bad| {
        let (what, hint) = match bad {
            BadNumber::TooPrecise => ("a whole number".to_owned(), hint(raw)),
            BadNumber::TooLarge => (format!("from {least} to {most}"), String::new()),
        };
        D::Error::custom(format_args!("must be {what}, not {}{hint}", clip(raw)))
    })
}

/// The hint for an amount sent in units of the currency.
/// For example, `12.50` is 1250 cents.
fn in_cents(sent: &str) -> String {
    // A string holds anything, and a whole number in one may be in cents already.
    let sent = sent.trim();
    let is_number = serde_json::from_str::<serde_json::Number>(sent).is_ok();
    let has_fraction = is_number && fixed(sent, 0) == Err(BadNumber::TooPrecise);
    let cents = has_fraction.then(|| fixed(sent, 2));
    match cents {
        Some(Ok(cents)) => format!("; amounts are in cents: send {cents}"),
        _ => "; amounts are in cents".to_owned(),
    }
}

fn check_whole(number: i64, field: &str, least: i64, most: i64) -> Result<(), Invalid> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let problem = format!("must be from {least} to {most}, not {number}");
    Err(Invalid::new(field, problem))
}

/// A quantity of goods of any sign.
impl Form for Quantity {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = raw(deserializer)?;
        if !is_number(raw) {
            return Err(mismatch("a number", raw));
        }
        let quantity = match fixed(raw, 3) {
            Err(BadNumber::TooPrecise) => {
                let sent = clip(raw);
                return Err(D::Error::custom(format_args!(
                    "must be a number with at most 3 fraction digits, not {sent}"
                )));
            }
            Err(BadNumber::TooLarge) => None,
            Ok(thousandths) => Self::from_thousandths(thousandths),
        };
        quantity.ok_or_else(|| {
            let (most, sent) = (Self::MAX, clip(raw));
            D::Error::custom(format_args!("must be from -{most} to {most}, not {sent}"))
        })
    }
}

/// A counted quantity of goods: 0 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted;

impl Form for Counted {
    type Value = Quantity;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        Quantity::read(deserializer)
    }

    fn check(quantity: &mut Quantity, field: &str) -> Result<(), Invalid> {
        if *quantity >= Quantity::default() {
            return Ok(());
        }
        let problem = format!("must be from 0 to {}, not {quantity}", Quantity::MAX);
        Err(Invalid::new(field, problem))
    }
}

impl Form for VatRate {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = raw(deserializer)?;
        if !is_number(raw) {
            return Err(mismatch("a number", raw));
        }
        let rate = match fixed(raw, 2) {
            Err(BadNumber::TooPrecise) => {
                let sent = clip(raw);
                return Err(D::Error::custom(format_args!(
                    "must be a number with at most 2 fraction digits, not {sent}"
                )));
            }
            Err(BadNumber::TooLarge) => None,
            Ok(hundredths) => u16::try_from(hundredths).ok(),
        };
        rate.and_then(Self::from_hundredths).ok_or_else(|| {
            let sent = clip(raw);
            D::Error::custom(format_args!(
                "must be a percentage from 0 to 100, not {sent}"
            ))
        })
    }
}
