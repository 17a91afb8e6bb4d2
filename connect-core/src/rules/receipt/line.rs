//! The lines of receipts and orders, with exact computation of prices.

use crate::wire::{
    Line, LineInput, LineOption, LineOptionInput, Quantity,
    read::{Faults, Invalid, missing},
};

/// The direction of a movement of goods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goods {
    /// They are sold: quantities and amounts are positive.
    Sold,
    /// They come back: quantities and amounts are negative.
    Returned,
}

/// Checks the sent lines of a receipt or an order, and converts them.
/// The fields must have been checked for their [form](crate::wire::WriteInput::check).
///
/// # Errors
/// A field is missing, or a line does not add up.
pub(crate) fn lines(inputs: Vec<LineInput>, goods: Goods) -> Result<Vec<Line>, Invalid> {
    let inputs = inputs.into_iter().enumerate();
    Faults::all(
        inputs
            .map(|(at, input)| line(input, goods).map_err(|invalid| within("lines", at, invalid))),
    )
}

/// Prefixes the field of a problem with its list and index.
pub(super) fn within(list: &str, at: usize, invalid: Invalid) -> Invalid {
    invalid.within(format_args!("{list}[{at}]."))
}

fn line(input: LineInput, goods: Goods) -> Result<Line, Invalid> {
    let options = input.options.into_value().unwrap_or_default();
    let options = options.into_iter().enumerate();
    let options =
        options.map(|(at, input)| option(input).map_err(|invalid| within("options", at, invalid)));
    let line = Line {
        product_id: input.product_id.into_value(),
        external_id: input.external_id.into_value(),
        name: input.name.into_value().ok_or_else(|| missing("name"))?,
        quantity: (input.quantity.into_value()).ok_or_else(|| missing("quantity"))?,
        unit_price_cents: (input.unit_price_cents.into_value())
            .ok_or_else(|| missing("unitPriceCents"))?,
        discount_cents: input.discount_cents.into_value().unwrap_or_default(),
        total_cents: (input.total_cents.into_value()).ok_or_else(|| missing("totalCents"))?,
        vat_rate: (input.vat_rate.into_value()).ok_or_else(|| missing("vatRate"))?,
        options: options.collect::<Result<_, _>>()?,
    };
    check(&line, goods)?;
    Ok(line)
}

fn option(input: LineOptionInput) -> Result<LineOption, Invalid> {
    Ok(LineOption {
        option_id: input.option_id.into_value(),
        name: input.name.into_value().ok_or_else(|| missing("name"))?,
        price_cents: input.price_cents.into_value().unwrap_or_default(),
    })
}

/// Checks the agreement of a line's figures.
fn check(line: &Line, goods: Goods) -> Result<(), Invalid> {
    let quantity = line.quantity;
    let (is_right, sign) = match goods {
        Goods::Sold => (quantity > Quantity::default(), "above 0"),
        Goods::Returned => (quantity < Quantity::default(), "below 0 in a refund"),
    };
    if !is_right {
        let problem = format!("must be {sign}, not {quantity}");
        return Err(Invalid::new("quantity", problem));
    }
    let gross = gross_cents(line);
    let (found, discount) = (line.total_cents, i128::from(line.discount_cents));
    if discount > gross.abs() {
        let most = gross.abs();
        let problem = format!("must be at most {most}, the price of the line, not {discount}");
        return Err(Invalid::new("discountCents", problem));
    }
    let expected = match goods {
        Goods::Sold => gross - discount,
        Goods::Returned => gross + discount,
    };
    if i128::from(found) != expected {
        let problem = format!(
            "must be {expected}, not {found}: the quantity times the price with options is \
             {gross}, and the discount {discount}"
        );
        return Err(Invalid::new("totalCents", problem));
    }
    Ok(())
}

/// The price of a line with its options, before discount.
/// It is rounded half away from zero.
fn gross_cents(line: &Line) -> i128 {
    let options = line.options.iter().map(|option| option.price_cents);
    let each: i128 = options.chain([line.unit_price_cents]).map(i128::from).sum();
    rounded(each * i128::from(line.quantity.thousandths()), 1000)
}

/// Divides by a positive number, and rounds half away from zero.
pub(super) fn rounded(dividend: i128, divisor: i128) -> i128 {
    let magnitude = (2 * dividend.abs() + divisor) / (2 * divisor);
    magnitude * dividend.signum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Field, VatRate};

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (dividend, divisor, expected) in [
            (0, 1000, 0),
            (499, 1000, 0),
            (500, 1000, 1),
            (-499, 1000, 0),
            (-500, 1000, -1),
            (1499, 1000, 1),
            (1500, 1000, 2),
            (-1500, 1000, -2),
            // An odd divisor has no half.
            (1, 3, 0),
            (2, 3, 1),
            (-2, 3, -1),
        ] {
            assert_eq!(rounded(dividend, divisor), expected, "{dividend}/{divisor}");
        }
    }

    fn input(quantity: i64, unit: i64, options: &[i64], discount: i64, total: i64) -> LineInput {
        let option = |price: &i64| LineOptionInput {
            name: "Extra".into(),
            price_cents: Field::Value(*price),
            ..LineOptionInput::default()
        };
        LineInput {
            name: "Cheese".into(),
            quantity: Quantity::from_thousandths(quantity).unwrap().into(),
            unit_price_cents: Field::Value(unit),
            discount_cents: Field::Value(discount),
            total_cents: Field::Value(total),
            vat_rate: VatRate::percent(9).into(),
            options: Field::Value(options.iter().map(option).collect()),
            ..LineInput::default()
        }
    }

    /// Each total was computed by hand.
    #[test]
    fn a_line_costs_its_quantity_times_its_price() {
        use Goods::{Returned, Sold};
        for (goods, quantity, unit, options, discount, total) in [
            (Sold, 1000, 250, &[][..], 0, 250),
            (Sold, 3000, 250, &[50, 25], 0, 975),
            (Sold, 3000, 250, &[50, 25], 75, 900),
            (Sold, 1000, 250, &[], 250, 0),
            // 0.350 kg at 1.99: 69.65 cents, and 0.250 kg: 49.75.
            (Sold, 350, 199, &[], 0, 70),
            (Sold, 250, 199, &[], 0, 50),
            // 1.234 kg at 12.99: 1602.966.
            (Sold, 1234, 1299, &[], 0, 1603),
            // Half a cent, both ways.
            (Sold, 500, 1, &[], 0, 1),
            (Returned, -500, 1, &[], 0, -1),
            (Sold, 1500, 333, &[], 0, 500),
            (Returned, -1500, 333, &[], 0, -500),
            (Returned, -2000, 250, &[50], 100, -500),
            (Sold, 1000, 0, &[], 0, 0),
        ] {
            let case = format!("{quantity} x {unit} + {options:?} - {discount}");
            let input = input(quantity, unit, options, discount, total);
            let made = lines(vec![input], goods).unwrap();
            assert_eq!(made[0].total_cents, total, "{case}");
        }
    }

    #[test]
    fn the_largest_line_is_computed_exactly() {
        let thousand_million = Quantity::MAX.thousandths();
        let most = 100_000_000;
        let refused = lines(
            vec![input(thousand_million, most, &[most; 100], 0, 1)],
            Goods::Sold,
        );
        let problem = refused.unwrap_err().problem;
        // 101 options and prices of a million, a thousand million times.
        let expected = "must be 10100000000000000000, not 1:";
        assert!(problem.starts_with(expected), "{problem}");
    }

    #[test]
    fn what_does_not_add_up_is_refused_with_both_figures() {
        use Goods::{Returned, Sold};
        let missing = LineInput {
            vat_rate: Field::Absent,
            ..input(1000, 1, &[], 0, 1)
        };
        let nameless = LineInput {
            options: Field::Value(vec![LineOptionInput::default()]),
            ..input(1000, 1, &[], 0, 1)
        };
        for (goods, input, field, words) in [
            (
                Sold,
                input(2000, 250, &[], 0, 499),
                "totalCents",
                "must be 500, not 499",
            ),
            (
                Sold,
                input(2000, 250, &[], 10, 500),
                "totalCents",
                "must be 490, not 500",
            ),
            (
                Returned,
                input(-2000, 250, &[], 10, -500),
                "totalCents",
                "must be -490, not -500",
            ),
            (Sold, input(0, 250, &[], 0, 0), "quantity", "above 0, not 0"),
            (
                Sold,
                input(-1000, 250, &[], 0, -250),
                "quantity",
                "above 0, not -1",
            ),
            (
                Returned,
                input(1500, 2, &[], 0, 3),
                "quantity",
                "below 0 in a refund, not 1.5",
            ),
            (
                Returned,
                input(0, 250, &[], 0, 0),
                "quantity",
                "below 0 in a refund, not 0",
            ),
            (
                Sold,
                input(1000, 250, &[], 251, -1),
                "discountCents",
                "at most 250",
            ),
            (
                Returned,
                input(-1000, 250, &[], 251, 1),
                "discountCents",
                "at most 250",
            ),
            (Sold, missing, "vatRate", "is required"),
            (Sold, nameless, "options[0].name", "is required"),
        ] {
            let first = match goods {
                Sold => self::input(1000, 1, &[], 0, 1),
                Returned => self::input(-1000, 1, &[], 0, -1),
            };
            let refused = lines(vec![first, input], goods).unwrap_err();
            assert_eq!(refused.field, format!("lines[1].{field}"));
            assert!(refused.problem.contains(words), "{refused}");
        }
    }
}
