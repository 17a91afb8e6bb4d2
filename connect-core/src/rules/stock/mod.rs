//! Rules of stock: bounds of levels, and sums of a receipt's lines.
//! The rules of request bodies are in [`input`].

pub(crate) mod input;

use rustc_hash::FxHashMap;

use crate::wire::{Id, Line, Product, Quantity, QuantityChange};

/// A change of a level, and the level after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) change: QuantityChange,
    pub(crate) after: Quantity,
}

impl Shift {
    /// Returns the shift from `before` to `after`.
    pub(crate) fn to(before: Quantity, after: Quantity) -> Self {
        let change = QuantityChange::between(before, after);
        Self { change, after }
    }

    /// Returns the shift by a number of thousandths.
    /// `None` if the level would be out of bounds.
    pub(crate) fn by(before: Quantity, change: i64) -> Option<Self> {
        let after = before.thousandths().checked_add(change)?;
        Quantity::from_thousandths(after).map(|after| Self::to(before, after))
    }
}

/// Returns the products on the lines of a receipt, with sums.
/// Each has the sum of its quantities in thousandths and the index of its first line.
pub(crate) fn sums(lines: &[Line]) -> Vec<(Id<Product>, i64, usize)> {
    let mut places = FxHashMap::default();
    let mut sums: Vec<(Id<Product>, i64, usize)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some(product) = line.product_id else {
            continue;
        };
        let slot = *places.entry(product).or_insert(sums.len());
        match sums.get_mut(slot) {
            Some((_, sum, _)) => *sum += line.quantity.thousandths(),
            None => sums.push((product, line.quantity.thousandths(), place)),
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::wire::VatRate;

    fn quantity(thousandths: i64) -> Quantity {
        Quantity::from_thousandths(thousandths).unwrap()
    }

    const MOST: i64 = Quantity::MAX.thousandths();

    #[test]
    fn a_shift_stays_in_bounds() {
        for (before, change, after) in [
            (0, 1, Some(1)),
            (1, -1, Some(0)),
            (0, -1, Some(-1)),
            (100, 25, Some(125)),
            (MOST - 1, 1, Some(MOST)),
            (MOST, 1, None),
            (-MOST, -1, None),
            (1 - MOST, -1, Some(-MOST)),
            (-MOST, MOST, Some(0)),
            // Larger than any quantity.
            (-1000, MOST + 1000, Some(MOST)),
            (-MOST, 2 * MOST, Some(MOST)),
            (-MOST, 2 * MOST + 1, None),
            (0, i64::MAX, None),
            (0, i64::MIN, None),
            (1, i64::MAX, None),
        ] {
            let shift = Shift::by(quantity(before), change);
            let found = shift.map(|shift| shift.after.thousandths());
            assert_eq!(found, after, "{before} and {change}");
            if let Some(shift) = shift {
                assert_eq!(shift.change.thousandths(), change);
                assert_eq!(Shift::to(quantity(before), shift.after), shift);
            }
        }
    }

    #[test]
    fn the_lines_of_a_product_are_added_up() {
        let line = |product: Option<u128>, pieces: i64| Line {
            product_id: product.map(|id| Uuid::from_u128(id).into()),
            external_id: None,
            name: String::new(),
            quantity: quantity(pieces),
            unit_price_cents: 0,
            discount_cents: 0,
            total_cents: 0,
            vat_rate: VatRate::default(),
            options: Vec::new(),
        };
        let lines = [
            line(None, 7),
            line(Some(2), 1000),
            line(Some(1), 125),
            line(None, 9),
            line(Some(2), -250),
            line(Some(1), MOST),
            line(Some(2), 1),
        ];
        let id = |id: u128| Uuid::from_u128(id).into();
        assert_eq!(sums(&lines), [(id(2), 751, 1), (id(1), MOST + 125, 2)]);
        assert_eq!(sums(&[]), []);
    }
}
