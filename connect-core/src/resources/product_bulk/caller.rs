//! The callers of bulk changes, and the products named by them.

use std::collections::HashSet;

use crate::{
    auth::Access,
    transaction::Error,
    wire::{Id, Product, limits::MAX_PRODUCTS_PER_BULK, read::Invalid},
};

/// Refuses callers other than the owner: integrators have batches.
pub(super) fn check_owner(access: &Access) -> Result<(), Error> {
    access
        .check_owner("only the owner of the account changes products in bulk; send a batch instead")
}

/// Returns the products, each once.
///
/// # Errors
/// There are none or more than 1000.
pub(super) fn checked(ids: Vec<Id<Product>>) -> Result<Vec<Id<Product>>, Invalid> {
    if !(1..=MAX_PRODUCTS_PER_BULK).contains(&ids.len()) {
        let problem = format!(
            "must name 1 to {MAX_PRODUCTS_PER_BULK} products, not {}",
            ids.len()
        );
        return Err(Invalid::new("ids", problem));
    }
    let mut seen = HashSet::new();
    Ok(ids.into_iter().filter(|id| seen.insert(*id)).collect())
}
