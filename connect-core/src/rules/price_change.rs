//! Changes of prices by an amount or a percentage.

use serde::{Deserialize, Serialize};

use crate::wire::{
    limits::{MAX_PRICE_CENTS, MAX_PRICE_PERCENT},
    read::Invalid,
};

/// A change of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceChange {
    /// The difference from the price before.
    pub by: PriceDifference,
    /// The rounding of the new prices.
    pub rounding: PriceRounding,
}

/// The difference between a price and the price before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PriceDifference {
    /// An amount in cents, negative for lower prices.
    Cents(i64),
    /// Tenths of a percent of the price before, negative for lower prices.
    TenthsOfPercent(i64),
}

/// The rounding of a price, half up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PriceRounding {
    /// To whole cents.
    #[default]
    Cent,
    /// To multiples of 5 cents.
    FiveCents,
    /// To multiples of 10 cents.
    TenCents,
}

impl PriceRounding {
    /// The cents between two rounded prices.
    fn step(self) -> i64 {
        match self {
            Self::Cent => 1,
            Self::FiveCents => 5,
            Self::TenCents => 10,
        }
    }
}

impl PriceChange {
    /// Checks the bounds of the change.
    pub(crate) fn check(self) -> Result<(), Invalid> {
        let (number, least, most) = match self.by {
            PriceDifference::Cents(cents) => (cents, -MAX_PRICE_CENTS, MAX_PRICE_CENTS),
            PriceDifference::TenthsOfPercent(tenths) => (tenths, -1000, 10 * MAX_PRICE_PERCENT),
        };
        // Prices can also be rounded alone.
        if number == 0 && self.rounding == PriceRounding::Cent {
            return Err(Invalid::new("change", "must not be 0"));
        }
        if (least..=most).contains(&number) {
            return Ok(());
        }
        let problem = match self.by {
            PriceDifference::Cents(_) => "must not be more than the highest price".to_owned(),
            PriceDifference::TenthsOfPercent(_) => {
                format!("must be from -100 to {MAX_PRICE_PERCENT} percent")
            }
        };
        Err(Invalid::new("change", problem))
    }

    /// Returns the price after the change.
    ///
    /// # Errors
    /// The price would be below 0 or too high.
    pub(crate) fn applied_to(self, price_cents: i64) -> Result<i64, Invalid> {
        // In thousandths of a cent nothing is rounded twice.
        let exact = match self.by {
            PriceDifference::Cents(cents) => price_cents.saturating_add(cents).saturating_mul(1000),
            PriceDifference::TenthsOfPercent(tenths) => {
                price_cents.saturating_mul(tenths.saturating_add(1000))
            }
        };
        if exact < 0 {
            return Err(Invalid::new("priceCents", "would be below 0"));
        }
        let step = self.rounding.step();
        let steps = exact.saturating_add(500 * step) / (1000 * step);
        let price = steps.saturating_mul(step);
        if price > MAX_PRICE_CENTS {
            let problem = "would be above the highest price";
            return Err(Invalid::new("priceCents", problem));
        }
        Ok(price)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        PriceDifference::{Cents, TenthsOfPercent},
        PriceRounding::{Cent, FiveCents, TenCents},
        *,
    };

    #[test]
    fn a_price_is_changed_and_rounded_half_up() {
        for (before, by, rounding, after) in [
            (300, Cents(25), Cent, Some(325)),
            (300, Cents(-25), Cent, Some(275)),
            (300, Cents(-300), Cent, Some(0)),
            (300, Cents(-301), Cent, None),
            // Below zero is below zero, also where rounding would end at it.
            (0, Cents(-1), TenCents, None),
            (300, TenthsOfPercent(100), Cent, Some(330)),
            (345, TenthsOfPercent(25), Cent, Some(354)),
            // With half a cent.
            (350, TenthsOfPercent(10), Cent, Some(354)),
            (250, TenthsOfPercent(10), Cent, Some(253)),
            (250, TenthsOfPercent(-10), Cent, Some(248)),
            (1, TenthsOfPercent(499), Cent, Some(1)),
            (1, TenthsOfPercent(500), Cent, Some(2)),
            (300, TenthsOfPercent(-1000), Cent, Some(0)),
            (0, TenthsOfPercent(1000), Cent, Some(0)),
            (300, Cents(22), FiveCents, Some(320)),
            (300, Cents(23), FiveCents, Some(325)),
            (300, Cents(-2), FiveCents, Some(300)),
            (300, Cents(-3), FiveCents, Some(295)),
            (300, Cents(4), TenCents, Some(300)),
            (300, Cents(5), TenCents, Some(310)),
            (100, TenthsOfPercent(24), FiveCents, Some(100)),
            (100, TenthsOfPercent(25), FiveCents, Some(105)),
            // 104.5 cents. Rounded to cents first it would be 110.
            (110, TenthsOfPercent(-50), TenCents, Some(100)),
            (1049, TenthsOfPercent(-5), TenCents, Some(1040)),
            (303, Cents(0), FiveCents, Some(305)),
            (303, TenthsOfPercent(0), TenCents, Some(300)),
            (MAX_PRICE_CENTS, Cents(0), TenCents, Some(MAX_PRICE_CENTS)),
            (MAX_PRICE_CENTS, Cents(1), Cent, None),
            (MAX_PRICE_CENTS, TenthsOfPercent(1), Cent, None),
            // Also beyond the bounds of a change there is an answer.
            (MAX_PRICE_CENTS, Cents(i64::MAX), Cent, None),
            (MAX_PRICE_CENTS, TenthsOfPercent(i64::MIN), Cent, None),
        ] {
            let change = PriceChange { by, rounding };
            let found = change.applied_to(before).ok();
            assert_eq!(found, after, "{before} {change:?}");
        }
    }

    #[test]
    fn a_change_has_bounds() {
        for (by, rounding, is_taken) in [
            (Cents(1), Cent, true),
            (Cents(-MAX_PRICE_CENTS), Cent, true),
            (Cents(MAX_PRICE_CENTS + 1), Cent, false),
            (Cents(i64::MIN), Cent, false),
            (TenthsOfPercent(-1000), Cent, true),
            (TenthsOfPercent(-1001), Cent, false),
            (TenthsOfPercent(10 * MAX_PRICE_PERCENT), TenCents, true),
            (TenthsOfPercent(10 * MAX_PRICE_PERCENT + 1), TenCents, false),
            (Cents(0), Cent, false),
            (TenthsOfPercent(0), Cent, false),
            (Cents(0), FiveCents, true),
            (TenthsOfPercent(0), TenCents, true),
        ] {
            let change = PriceChange { by, rounding };
            let refused = change.check().err().map(|invalid| invalid.field);
            let expected = (!is_taken).then(|| "change".to_owned());
            assert_eq!(refused, expected, "{change:?}");
        }
    }
}
