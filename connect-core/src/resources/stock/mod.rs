//! Stock: the levels of products as sums of movements (specification: Stock).
//!
//! The stock of a product stands in three places, written by one commit ([`ledger`]): its level,
//! the product itself, and the movement with the reason. A level is a row of its own: lists of
//! levels are in the order of stock changes, and products change for other reasons too.
//!
//! A minimum is the owner's, and no part of the API: it moves nothing and has no event ([`minimums`]).

mod adjustments;
mod count_many;
mod counts;
mod handles;
mod ledger;
mod levels;
mod low;
mod minimums;
mod movements;
mod named;
mod sales;

pub use handles::{JsonStock, Stock};
pub(super) use levels::{follow_external_id, reads, restore};
pub use low::LowStock;
pub use minimums::StockMinimum;
pub(super) use sales::{reads_of_sale, sold};

use crate::{
    transaction::{Fault, Reads, UnitOfWork},
    wire::{Id, Product},
};

/// Adds the reads of [`forget`].
pub(super) fn reads_of_deleted(product: Id<Product>, reads: &mut Reads) {
    levels::reads(product, reads);
    minimums::reads(product, reads);
}

/// Removes level and minimum of a deleted product. Its movements stay.
pub(super) async fn forget(unit: &mut UnitOfWork<'_>, product: Id<Product>) -> Result<(), Fault> {
    levels::forget(unit, product).await?;
    minimums::forget(unit, product).await
}
