//! The movements of products, added up and compared with the levels.

use std::{collections::BTreeMap, sync::Arc};

use uuid::Uuid;

use super::{Problem, ProblemKind};
use crate::{
    transaction::keys::{Family, KeyPart, key},
    wire::{Quantity, QuantityChange},
};

/// The stock of a location. All levels come before all movements.
#[derive(Clone, Default)]
pub(super) struct StockSums {
    /// Each tracked product's level minus its movements so far, in thousandths.
    /// Movements of deleted products are left out, since their levels are gone.
    left: Arc<BTreeMap<Uuid, i64>>,
    /// The rows of the last piece, not added yet.
    /// A clone of the sums for each piece would cost more than the sums.
    piece: Vec<StockRow>,
}

#[derive(Clone, Copy)]
enum StockRow {
    Level(Uuid, i64),
    Movement(Uuid, i64),
}

impl StockSums {
    /// Adds a level.
    pub(super) fn add_level(&mut self, product: Uuid, quantity: Quantity) {
        self.piece
            .push(StockRow::Level(product, quantity.thousandths()));
    }

    /// Adds a movement.
    pub(super) fn add_movement(&mut self, product: Uuid, change: QuantityChange) {
        self.piece
            .push(StockRow::Movement(product, change.thousandths()));
    }

    /// Adds up the rows of a piece.
    pub(super) fn settle(&mut self) {
        if self.piece.is_empty() {
            return;
        }
        let left = Arc::make_mut(&mut self.left);
        for seen in self.piece.drain(..) {
            match seen {
                StockRow::Level(product, quantity) => {
                    left.insert(product, quantity);
                }
                StockRow::Movement(product, change) => {
                    if let Some(left) = left.get_mut(&product) {
                        *left = left.wrapping_sub(change);
                    }
                }
            }
        }
    }

    /// Returns the wrong levels, once all rows of the location are added.
    /// A level must be the sum of its movements. No write may have come in between.
    pub(super) fn compare(&self, location: Uuid) -> impl Iterator<Item = Problem> {
        let wrong = self.left.iter().filter(|(_, left)| **left != 0);
        wrong.map(move |(product, left)| {
            let message = format!(
                "the level of product {product} is not the sum of its movements: {left} \
                 thousandths are left over"
            );
            let level = key(location, Family::StockLevel, &[KeyPart::Id(*product)]);
            Problem::new(ProblemKind::BadRow, &level, message)
        })
    }
}
