//! Decimal numbers with a fixed number of fraction digits, exact from text to text.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A VAT rate in percent, 0 to 100, with at most two fraction digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VatRate(u16);

impl VatRate {
    /// The rate of so many hundredths of a percent.
    /// `VatRate::from_hundredths(2100)` is 21 %. `None` above 100 %.
    pub const fn from_hundredths(hundredths: u16) -> Option<Self> {
        if hundredths <= 10_000 {
            Some(Self(hundredths))
        } else {
            None
        }
    }

    /// The rate of so many whole percent, at most 100.
    pub const fn percent(percent: u8) -> Self {
        let percent = if percent > 100 { 100 } else { percent };
        Self(percent as u16 * 100)
    }

    /// The rate in hundredths of a percent.
    pub const fn hundredths(self) -> u16 {
        self.0
    }
}

/// Reads a decimal rate: `9`, `5.5`, `21.00`.
/// It is exact, unlike a float.
impl FromStr for VatRate {
    type Err = VatRateError;

    fn from_str(text: &str) -> Result<Self, VatRateError> {
        let hundredths = decimal(text, 2).and_then(|number| number.try_into().ok());
        hundredths
            .and_then(Self::from_hundredths)
            .ok_or(VatRateError)
    }
}

/// Returns a decimal number in units of `10^-digits`.
/// The text has no sign, exponent or blanks. `None` for any other text, too many fraction digits,
/// or too large a number.
pub fn decimal(text: &str, digits: usize) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let has_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_decimal = !whole.is_empty()
        && (1..=digits).contains(&fraction.len())
        && has_digits(whole)
        && has_digits(fraction);
    let number = is_decimal.then(|| format!("{whole}{fraction:0<digits$}").parse().ok());
    number.flatten()
}

/// Not a VAT rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a percentage from 0 to 100 with at most two decimals, such as 9 or 5.5")]
pub struct VatRateError;

/// An amount of goods, with at most three fraction digits.
/// Some goods are sold by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(i64);

impl Quantity {
    /// The largest magnitude: one thousand million.
    pub const MAX: Self = Self(1_000_000_000_000);

    /// Returns whether the quantity is below zero.
    pub const fn is_negative(self) -> bool {
        self.0.is_negative()
    }
}

/// Reads a decimal quantity: `24`, `7.25`, `-0.125`.
/// It is exact, unlike a float.
impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let thousandths = decimal(text, 3).map(|number| sign * number);
        thousandths
            .and_then(Self::from_thousandths)
            .ok_or(QuantityError)
    }
}

/// Not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of at most 1000000000 either way with at most three decimals")]
pub struct QuantityError;

/// A change of a quantity.
/// It may be twice the largest quantity, from the lowest to the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuantityChange(i64);

impl QuantityChange {
    /// The largest magnitude: two thousand million.
    pub const MAX: Self = Self(2 * Quantity::MAX.0);

    /// The change from one quantity to another.
    pub const fn between(before: Quantity, after: Quantity) -> Self {
        Self(after.0 - before.0)
    }
}

/// Implements thousandths for a type, up to its `MAX` either way.
macro_rules! in_thousandths {
    ($name:ident, $what:literal) => {
        impl $name {
            #[doc = concat!("The ", $what, " of so many thousandths.")]
            /// `None` beyond [`MAX`](Self::MAX) either way.
            pub const fn from_thousandths(thousandths: i64) -> Option<Self> {
                if thousandths.unsigned_abs() <= Self::MAX.0 as u64 {
                    Some(Self(thousandths))
                } else {
                    None
                }
            }

            #[doc = concat!("The ", $what, " in thousandths.")]
            pub const fn thousandths(self) -> i64 {
                self.0
            }
        }
    };
}

in_thousandths!(Quantity, "quantity");
in_thousandths!(QuantityChange, "change");

/// The reason for refusing a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadNumber {
    /// More fraction digits than the field has.
    TooPrecise,
    /// Too large to be held, and above every limit of the API.
    TooLarge,
}

/// The exact value of a JSON number in units of `10^-digits`.
/// Examples are `12.50` and `1.25e1`.
///
/// It works on the text, since a float cannot tell `12` from `12.0000000000000000001`. `text` must
/// have the form of a JSON number.
pub(crate) fn fixed(text: &str, digits: i64) -> Result<i64, BadNumber> {
    // Most numbers are whole and short.
    if let Ok(whole) = text.parse::<i64>()
        && let Some(number) = u32::try_from(digits)
            .ok()
            .and_then(|digits| whole.checked_mul(10_i64.checked_pow(digits)?))
    {
        return Ok(number);
    }
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut significant = whole
        .bytes()
        .chain(fraction.bytes())
        .skip_while(|digit| *digit == b'0')
        .peekable();
    if significant.peek().is_none() {
        return Ok(0);
    }
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    // An exponent beyond i64 only says how absurdly large or small the number is.
    let exponent: i64 = exponent.parse().map_err(|_| {
        if exponent.starts_with('-') {
            BadNumber::TooPrecise
        } else {
            BadNumber::TooLarge
        }
    })?;
    // The place of the last digit, counted in the unit asked for.
    let mut shift = exponent
        .saturating_add(digits)
        .saturating_sub(fraction.len() as i64);
    let mut digits: Vec<u8> = significant.collect();
    while digits.last() == Some(&b'0') {
        digits.pop();
        shift = shift.saturating_add(1);
    }
    if shift < 0 {
        return Err(BadNumber::TooPrecise);
    }
    let mut number: i64 = 0;
    for digit in digits {
        let next = number
            .checked_mul(10)
            .and_then(|number| number.checked_add(i64::from(digit - b'0')));
        number = next.ok_or(BadNumber::TooLarge)?;
    }
    for _ in 0..shift {
        number = number.checked_mul(10).ok_or(BadNumber::TooLarge)?;
    }
    Ok(if negative { -number } else { number })
}

/// Writes `value`, in units of `10^-digits`, as a JSON number.
/// It is an integer where possible.
fn serialize_fixed<S: Serializer>(
    value: i64,
    digits: u32,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let unit = 10_i64.pow(digits);
    if value % unit == 0 {
        serializer.serialize_i64(value / unit)
    } else {
        // Exact: these have far fewer than the fifteen digits that a float keeps, and the
        // shortest text that reads back as the same float is the decimal we started from.
        serializer.serialize_f64(value as f64 / unit as f64)
    }
}

fn deserialize_fixed<'de, D: Deserializer<'de>>(
    deserializer: D,
    digits: u32,
) -> Result<i64, D::Error> {
    struct Number(u32);
    impl serde::de::Visitor<'_> for Number {
        type Value = i64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a number with at most {} fraction digits", self.0)
        }
        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<i64, E> {
            self.visit_i64(i64::try_from(number).map_err(|_| E::custom("number too large"))?)
        }
        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<i64, E> {
            number
                .checked_mul(10_i64.pow(self.0))
                .ok_or_else(|| E::custom("number too large"))
        }
        fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<i64, E> {
            Ok((number * 10_f64.powi(self.0 as i32)).round() as i64)
        }
    }
    deserializer.deserialize_any(Number(digits))
}

macro_rules! fixed_number {
    ($name:ident, $digits:literal, $from:ident, $what:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let unit = 10_i64.pow($digits);
                let value = i64::from(self.0);
                let (sign, whole, rest) = (
                    if value < 0 { "-" } else { "" },
                    value.abs() / unit,
                    value.abs() % unit,
                );
                if rest == 0 {
                    return write!(f, "{sign}{whole}");
                }
                let fraction = format!("{rest:0width$}", width = $digits);
                write!(f, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize_fixed(i64::from(self.0), $digits, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = deserialize_fixed(deserializer, $digits)?;
                value
                    .try_into()
                    .ok()
                    .and_then(Self::$from)
                    .ok_or_else(|| serde::de::Error::custom($what))
            }
        }
    };
}

fixed_number!(
    VatRate,
    2,
    from_hundredths,
    "a VAT rate is a percentage from 0 to 100"
);
fixed_number!(
    Quantity,
    3,
    from_thousandths,
    "a quantity is at most 1000000000 either way"
);
fixed_number!(
    QuantityChange,
    3,
    from_thousandths,
    "a quantity changes by at most 2000000000 either way"
);

/// Returns whether a JSON text is a number.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        for (text, digits, expected) in [
            ("12", 0, Ok(12)),
            ("12.0", 0, Ok(12)),
            ("-0", 0, Ok(0)),
            ("0e99999999999999999999", 0, Ok(0)),
            ("1.2e1", 0, Ok(12)),
            ("120E-1", 0, Ok(12)),
            ("12.5", 0, Err(BadNumber::TooPrecise)),
            ("12.0000000000000000001", 0, Err(BadNumber::TooPrecise)),
            ("1e-99999999999999999999", 0, Err(BadNumber::TooPrecise)),
            ("1e999", 0, Err(BadNumber::TooLarge)),
            ("1e99999999999999999999", 0, Err(BadNumber::TooLarge)),
            ("9223372036854775807", 0, Ok(i64::MAX)),
            ("9223372036854775808", 0, Err(BadNumber::TooLarge)),
            ("21", 2, Ok(2100)),
            ("0.1", 2, Ok(10)),
            ("5.55", 2, Ok(555)),
            ("5.555", 2, Err(BadNumber::TooPrecise)),
            ("-1.234", 3, Ok(-1234)),
            ("-1.2340", 3, Ok(-1234)),
        ] {
            assert_eq!(fixed(text, digits), expected, "{text} with {digits} digits");
        }
    }

    #[test]
    fn every_vat_rate_survives_json() {
        for hundredths in 0..=10_000 {
            let rate = VatRate::from_hundredths(hundredths).unwrap();
            let json = serde_json::to_string(&rate).unwrap();
            assert_eq!(json, rate.to_string());
            assert_eq!(serde_json::from_str::<VatRate>(&json).unwrap(), rate);
        }
        assert!(serde_json::from_str::<VatRate>("100.01").is_err());
        assert!(serde_json::from_str::<VatRate>("-1").is_err());
    }

    #[test]
    fn vat_rates_are_read_exactly() {
        for (text, hundredths) in [
            ("0", 0),
            ("9", 900),
            ("21.0", 2100),
            ("5.5", 550),
            ("5.55", 555),
            ("100", 10_000),
            ("09.09", 909),
        ] {
            assert_eq!(text.parse(), Ok(VatRate(hundredths)), "{text}");
        }
        for text in [
            "",
            "21%",
            "-1",
            "100.01",
            "5.555",
            "5.",
            ".5",
            "+5",
            "5,5",
            "NaN",
            "99999999999",
        ] {
            assert_eq!(text.parse::<VatRate>(), Err(VatRateError), "{text}");
        }
    }

    #[test]
    fn quantities_survive_json() {
        for thousandths in [
            0,
            1,
            -1,
            1234,
            -999_999_999_999,
            1_000_000_000_000,
            999_999_999_999,
        ] {
            let quantity = Quantity::from_thousandths(thousandths).unwrap();
            let json = serde_json::to_string(&quantity).unwrap();
            assert_eq!(json, quantity.to_string());
            assert_eq!(serde_json::from_str::<Quantity>(&json).unwrap(), quantity);
            assert_eq!(quantity.to_string().parse(), Ok(quantity));
        }
        for (text, thousandths) in [
            ("7.2", 7200),
            ("-0.125", -125),
            ("-0", 0),
            ("007.000", 7000),
        ] {
            assert_eq!(text.parse().map(Quantity::thousandths), Ok(thousandths));
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "1.2345",
            "1e3",
            "+1",
            " 1",
            "--1",
            "1,5",
            "1000000000.001",
            "99999999999999999999",
            "one",
        ] {
            assert_eq!(text.parse::<Quantity>(), Err(QuantityError), "{text:?}");
        }
        assert_eq!(Quantity::from_thousandths(1_000_000_000_001), None);
    }

    #[test]
    fn the_largest_changes_survive_json() {
        let quantity = |thousandths| Quantity::from_thousandths(thousandths).unwrap();
        let most = Quantity::MAX.thousandths();
        for (before, after, json) in [
            (-most, most, "2000000000"),
            (most, -most, "-2000000000"),
            (1 - most, most, "1999999999.999"),
            (-125, 0, "0.125"),
        ] {
            let change = QuantityChange::between(quantity(before), quantity(after));
            assert_eq!(serde_json::to_string(&change).unwrap(), json);
            assert_eq!(
                serde_json::from_str::<QuantityChange>(json).unwrap(),
                change
            );
        }
        assert!(serde_json::from_str::<QuantityChange>("2000000000.001").is_err());
    }
}
