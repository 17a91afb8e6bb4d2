//! The lines of receipts and orders, and products named by code.
//!
//! A register may know its own article codes, but no ids of ours. A line with an external id alone
//! therefore gets the id of the product with this code at the location. So its stock moves, and
//! readers of the row find the product.

use crate::{
    transaction::{Fault, Indexed, Reads, UnitOfWork, keys::Family},
    wire::{Id, Line, Product},
};

/// The external id of a line without a product id.
fn code(line: &Line) -> Option<Indexed<'_>> {
    let code = line.external_id.as_deref();
    code.filter(|_| line.product_id.is_none())
        .map(Indexed::Text)
}

/// Adds the reads of [`name_products`].
pub(super) fn reads(lines: &[Line], reads: &mut Reads) {
    for code in lines.iter().filter_map(code) {
        reads.shared_unique::<Product>(Family::ProductByExternalId, code);
    }
}

/// Products named by code in lines, if known without another read.
pub(super) fn known_products(
    lines: &[Line],
    unit: &UnitOfWork<'_>,
) -> impl Iterator<Item = Id<Product>> {
    let codes = lines.iter().filter_map(code);
    codes.filter_map(|code| {
        let id = unit.known_unique(Family::ProductByExternalId, code);
        id.map(Into::into)
    })
}

/// Sets the product ids of lines with a code alone.
/// A line with an unknown code stays as it is: an article need not be in the catalog.
pub(super) async fn name_products(
    unit: &mut UnitOfWork<'_>,
    lines: &mut [Line],
) -> Result<(), Fault> {
    for line in lines {
        let Some(code) = code(line) else { continue };
        let family = Family::ProductByExternalId;
        line.product_id = unit.find_unique(family, code).await?.map(Into::into);
    }
    Ok(())
}
