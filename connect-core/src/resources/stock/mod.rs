//! Stock: the levels of products, and the movements that they are the sums of (specification:
//! Stock).
//!
//! The stock of a product stands in three places, which one commit writes ([`ledger`]): its level,
//! the product itself, and the movement that says why. A level is a row of its own, since a list of
//! levels is in the order in which stock changed, and products change for other reasons too.

mod adjustments;
mod count_many;
mod counts;
mod handles;
mod ledger;
mod levels;
mod movements;
mod named;
mod sales;

pub use handles::{JsonStock, Stock};
pub(super) use levels::{follow_external_id, forget, reads, restore};
pub(super) use sales::{reads_of_sale, sold};
