//! The VAT of a receipt: by rate, over the sum of its lines.

use std::collections::{BTreeMap, HashSet};

use super::line::{rounded, within};
use crate::wire::{
    Line, VatAmount, VatInput, VatRate,
    read::{Faults, Invalid, missing},
};

/// Computes the VAT of some lines, lowest rate first.
/// It is rounded half away from zero.
pub(super) fn of_lines(lines: &[Line]) -> Vec<VatAmount> {
    let mut sums: BTreeMap<VatRate, i64> = BTreeMap::new();
    for line in lines {
        *sums.entry(line.vat_rate).or_default() += line.total_cents;
    }
    let amounts = sums.into_iter();
    amounts.map(|(rate, gross)| included(rate, gross)).collect()
}

/// Returns the VAT included in an amount.
fn included(vat_rate: VatRate, gross_cents: i64) -> VatAmount {
    let rate = i128::from(vat_rate.hundredths());
    // Never larger than the amount, so it fits.
    let vat_cents = rounded(i128::from(gross_cents) * rate, 10_000 + rate) as i64;
    VatAmount {
        vat_rate,
        net_cents: gross_cents - vat_cents,
        vat_cents,
        gross_cents,
    }
}

/// Checks the VAT computed by a register, in any order, against the lines.
pub(super) fn check(sent: Vec<VatInput>, expected: &[VatAmount]) -> Result<(), Invalid> {
    let mut faults = Faults::default();
    let mut seen = HashSet::new();
    for (at, sent) in sent.into_iter().enumerate() {
        let checked = check_one(&sent, &mut seen, expected);
        faults.take(checked.map_err(|invalid| within("vat", at, invalid)));
    }
    if let Some(vat) = expected.iter().find(|vat| !seen.contains(&vat.vat_rate)) {
        let (rate, cents) = (vat.vat_rate, vat.vat_cents);
        let problem = format!("must have the rate {rate} of the lines, with vatCents {cents}");
        faults.add(Invalid::new("vat", problem));
    }
    faults.into_result()
}

/// Checks the amounts of one rate. It must not be among `seen`.
fn check_one(
    sent: &VatInput,
    seen: &mut HashSet<VatRate>,
    expected: &[VatAmount],
) -> Result<(), Invalid> {
    let rate = *(sent.vat_rate.value()).ok_or_else(|| missing("vatRate"))?;
    let Some(expected) = expected.iter().find(|vat| vat.vat_rate == rate) else {
        let problem = format!("must be a rate of the lines, not {rate}");
        return Err(Invalid::new("vatRate", problem));
    };
    if !seen.insert(rate) {
        let problem = format!("repeats the rate {rate} of an earlier entry");
        return Err(Invalid::new("vatRate", problem));
    }
    let mut faults = Faults::default();
    for (field, found, expected) in [
        ("grossCents", &sent.gross_cents, expected.gross_cents),
        ("vatCents", &sent.vat_cents, expected.vat_cents),
        ("netCents", &sent.net_cents, expected.net_cents),
    ] {
        match found.value() {
            None => faults.add(missing(field)),
            Some(found) if *found == expected => {}
            Some(found) => {
                let problem = format!(
                    "must be {expected}, not {found}: VAT of {rate} % is computed over the sum of \
                     the lines and rounded half away from zero"
                );
                faults.add(Invalid::new(field, problem));
            }
        }
    }
    faults.into_result()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Field, Quantity};

    fn rate(hundredths: u16) -> VatRate {
        VatRate::from_hundredths(hundredths).unwrap()
    }

    /// Each figure was computed by hand: gross x rate / (100 + rate).
    #[test]
    fn vat_is_included_in_the_amount() {
        for (hundredths, gross, vat) in [
            (2100, 121, 21),
            (2100, 1000, 174),   // 173.55
            (2100, 100, 17),     // 17.36
            (2100, -1000, -174), // the same, given back
            (900, 109, 9),
            (900, 250, 21),   // 20.64
            (900, 1000, 83),  // 82.57
            (900, -250, -21), // the same, given back
            (0, 1000, 0),
            (0, -1000, 0),
            (550, 1055, 55),
            (550, 1000, 52),   // 52.13
            (550, -1000, -52), // the same, given back
            // Halves: 15 x 20 / 120 is 2.5.
            (2000, 15, 3),
            (2000, -15, -3),
            (2000, 9, 2), // 1.5
            (2000, -9, -2),
            (10_000, 1, 1), // 0.5
            (10_000, -1, -1),
            (2100, 0, 0),
        ] {
            let amount = included(rate(hundredths), gross);
            assert_eq!(amount.vat_cents, vat, "{gross} at {hundredths}");
            assert_eq!(amount.net_cents, gross - vat, "{gross} at {hundredths}");
        }
    }

    fn line(hundredths: u16, total_cents: i64) -> Line {
        Line {
            product_id: None,
            external_id: None,
            name: "Bread".to_owned(),
            quantity: Quantity::from_thousandths(1000).unwrap(),
            unit_price_cents: total_cents,
            discount_cents: 0,
            total_cents,
            vat_rate: rate(hundredths),
            options: Vec::new(),
        }
    }

    /// Three lines of 0.99 at 21 % have 17.18 cents of VAT each.
    /// Rounded by line, this would be 51 cents.
    #[test]
    fn it_is_rounded_once_for_all_lines_of_a_rate() {
        let lines = [
            line(2100, 99),
            line(0, 500),
            line(2100, 99),
            line(900, 250),
            line(2100, 99),
        ];
        let amounts: Vec<_> = of_lines(&lines)
            .iter()
            .map(|vat| {
                (
                    vat.vat_rate.hundredths(),
                    vat.net_cents,
                    vat.vat_cents,
                    vat.gross_cents,
                )
            })
            .collect();
        assert_eq!(
            amounts,
            [(0, 500, 0, 500), (900, 229, 21, 250), (2100, 245, 52, 297)]
        );
    }

    fn sent(hundredths: u16, net: i64, vat: i64, gross: i64) -> VatInput {
        VatInput {
            vat_rate: rate(hundredths).into(),
            net_cents: Field::Value(net),
            vat_cents: Field::Value(vat),
            gross_cents: Field::Value(gross),
        }
    }

    #[test]
    fn what_a_register_computed_has_to_agree() {
        let expected = of_lines(&[line(2100, 1000), line(900, 250)]);
        let (high, low) = (sent(2100, 826, 174, 1000), sent(900, 229, 21, 250));
        for good in [
            vec![low.clone(), high.clone()],
            vec![high.clone(), low.clone()],
        ] {
            assert_eq!(check(good, &expected), Ok(()));
        }
        let without_rate = VatInput {
            vat_rate: Field::Absent,
            ..low.clone()
        };
        for (bad, field, words) in [
            (vec![], "vat", "the rate 9 of the lines, with vatCents 21"),
            (
                vec![low.clone()],
                "vat",
                "the rate 21 of the lines, with vatCents 174",
            ),
            (
                vec![low.clone(), low.clone()],
                "vat[1].vatRate",
                "repeats the rate 9",
            ),
            (
                vec![low.clone(), sent(600, 1, 0, 1)],
                "vat[1].vatRate",
                "not 6",
            ),
            (
                vec![sent(900, 230, 20, 250)],
                "vat[0].vatCents",
                "must be 21, not 20",
            ),
            (
                vec![sent(900, 228, 21, 250)],
                "vat[0].netCents",
                "must be 229, not 228",
            ),
            (
                vec![sent(900, 229, 21, 251)],
                "vat[0].grossCents",
                "must be 250, not 251",
            ),
            (vec![without_rate], "vat[0].vatRate", "is required"),
        ] {
            let refused = check(bad, &expected).unwrap_err();
            assert_eq!(refused.field, field, "{refused}");
            assert!(refused.problem.contains(words), "{refused}");
        }
    }
}
