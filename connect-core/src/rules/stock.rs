//! Rules of stock: the bounds of a level, and the sums of the lines of a receipt. What the bodies of
//! writes have to agree on is in [`input`].

pub(crate) mod input;

use rustc_hash::FxHashMap;

use crate::wire::{Id, Line, Product, Quantity};

/// A change of a level, and the level after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) change: Quantity,
    pub(crate) after: Quantity,
}

impl Shift {
    /// Returns the shift that leaves `after`. `None` when the change would be out of bounds.
    pub(crate) fn to(before: Quantity, after: Quantity) -> Option<Self> {
        let change = after.thousandths() - before.thousandths();
        let change = Quantity::from_thousandths(change)?;
        Some(Self { change, after })
    }

    /// Returns the shift by so many thousandths. `None` when it would be out of bounds, or the level
    /// would.
    pub(crate) fn by(before: Quantity, change: i64) -> Option<Self> {
        let after = before.thousandths().checked_add(change)?;
        Some(Self {
            change: Quantity::from_thousandths(change)?,
            after: Quantity::from_thousandths(after)?,
        })
    }
}

/// Returns the products on the lines of a receipt, each with the sum of its quantities in
/// thousandths and the place of its first line.
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
