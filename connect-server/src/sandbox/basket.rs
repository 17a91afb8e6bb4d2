//! The purchases of simulated customers.

use connect_core::wire::{Field, LineInput, PaymentInput, PaymentMethod, Product, Quantity};

/// A source of pseudo-random numbers.
pub(super) struct Chance(u64);

impl Chance {
    /// Starts from a seed. The same seed gives the same numbers.
    pub(super) fn new(seed: u128) -> Self {
        Self((seed ^ (seed >> 64)) as u64)
    }

    /// Returns a number below `limit`. The limit is above 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // The multiplier and the increment are Knuth's; the high bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Articles and their payments.
pub(super) struct Basket {
    pub(super) lines: Vec<LineInput>,
    pub(super) total_cents: i64,
    pub(super) payments: Vec<PaymentInput>,
}

impl Basket {
    /// Fills a basket with one to three articles, one or two of each.
    pub(super) fn fill(products: &[Product], chance: &mut Chance) -> Self {
        let mut lines = Vec::new();
        let mut total_cents = 0;
        for _ in 0..=chance.below(3) {
            let product = &products[chance.below(products.len())];
            let pieces = 1 + chance.below(2) as i64;
            let line_cents = product.price_cents * pieces;
            total_cents += line_cents;
            lines.push(line(product, pieces, line_cents));
        }
        let method = match chance.below(3) {
            0 => PaymentMethod::Cash,
            _ => PaymentMethod::Card,
        };
        Self {
            lines,
            total_cents,
            payments: vec![PaymentInput::of(method, total_cents)],
        }
    }
}

fn line(product: &Product, pieces: i64, total_cents: i64) -> LineInput {
    LineInput {
        product_id: Field::Value(product.id),
        name: Field::Value(product.name.clone()),
        quantity: Quantity::from_thousandths(pieces * 1000).map_or(Field::Absent, Field::Value),
        unit_price_cents: Field::Value(product.price_cents),
        total_cents: Field::Value(total_cents),
        vat_rate: Field::Value(product.vat_rate),
        ..LineInput::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_spread_and_repeat() {
        let numbers = |seed| {
            let mut chance = Chance::new(seed);
            (0..1000).map(|_| chance.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        for digit in 0..10 {
            let count = numbers(7)
                .into_iter()
                .filter(|number| *number == digit)
                .count();
            assert!((50..150).contains(&count), "{digit}: {count} of 1000");
        }
    }
}
