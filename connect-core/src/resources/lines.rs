//! The lines of receipts and orders, with the products that they name by a code.
//!
//! A register may know its own article codes and no id of ours. A line with an external id alone is
//! therefore given the id of the product that has this code at the location, so that stock moves and
//! readers of the row find the product.

use crate::{
    transaction::{Fault, Indexed, Reads, Unit, keys::Family},
    wire::{Id, Line, Product},
};

/// The code of a line that names its product by that alone.
fn code(line: &Line) -> Option<Indexed<'_>> {
    let code = line.external_id.as_deref();
    code.filter(|_| line.product_id.is_none())
        .map(Indexed::Text)
}

/// Adds what [`name_products`] looks up.
pub(super) fn reads(lines: &[Line], reads: &mut Reads) {
    for code in lines.iter().filter_map(code) {
        reads.shared_unique::<Product>(Family::ProductByExternalId, code);
    }
}

/// The products that lines name by a code, as far as they are known without another read.
pub(super) fn known_products(lines: &[Line], unit: &Unit<'_>) -> impl Iterator<Item = Id<Product>> {
    let codes = lines.iter().filter_map(code);
    codes.filter_map(|code| {
        let id = unit.known_unique(Family::ProductByExternalId, code);
        id.map(Into::into)
    })
}

/// Gives lines the ids of the products that they name by a code. One with a code that no product
/// has stays as it is: an article need not be in the catalog.
pub(super) async fn name_products(unit: &mut Unit<'_>, lines: &mut [Line]) -> Result<(), Fault> {
    for line in lines {
        let Some(code) = code(line) else { continue };
        let family = Family::ProductByExternalId;
        line.product_id = unit.find_unique(family, code).await?.map(Into::into);
    }
    Ok(())
}
