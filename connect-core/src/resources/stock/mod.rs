//! Stock: the levels of products as sums of movements (specification: Stock).
//!
//! The stock of a product stands in three places, written by one commit ([`ledger`]): its level,
//! the product itself, and the movement with the reason. A level is a row of its own: lists of
//! levels are in the order of stock changes, and products change for other reasons too.

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
