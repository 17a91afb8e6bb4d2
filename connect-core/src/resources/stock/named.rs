//! Products named by their id, their external id or both.

use super::ledger::Stocked;
use crate::{
    auth::Access,
    engine,
    rules::{option_link::RecordName, stock::input::NamedProduct},
    transaction::{Error, Indexed, Reads, Reason, Record, UnitOfWork, keys::Family},
    wire::{Product, StockLevel, read::Invalid},
};

/// Adds the reads of a named product, as far as known yet.
pub(super) fn read_named(product: &NamedProduct, reads: &mut Reads) {
    match &product.name {
        RecordName::Id(id) => {
            reads.record::<Product>(*id);
            reads.record::<StockLevel>(*id);
        }
        RecordName::ExternalId(text) => {
            reads.unique::<Product>(Family::ProductByExternalId, Indexed::Text(text));
        }
    }
}

/// Adds the read of the level of a product named by external id.
/// Its id is known by now.
pub(super) fn read_level(product: &NamedProduct, unit: &UnitOfWork<'_>, reads: &mut Reads) {
    let RecordName::ExternalId(text) = &product.name else {
        return;
    };
    if let Some(id) = unit.known_unique(Family::ProductByExternalId, Indexed::Text(text)) {
        reads.record::<StockLevel>(id);
    }
}

/// Adds look-ups at other locations, for products missing at this one.
pub(super) fn read_elsewhere<'n>(
    products: impl Iterator<Item = &'n NamedProduct>,
    access: &Access,
    unit: &UnitOfWork<'_>,
    reads: &mut Reads,
) {
    let ids = products.filter_map(|product| match &product.name {
        RecordName::Id(id) => Some((<Product as Record>::ROWS, *id)),
        RecordName::ExternalId(_) => None,
    });
    engine::look_elsewhere(ids, access, unit, reads);
}

/// Returns the named product with its stock.
/// `None` when it is not at this location; [`Nowhere`] is the reason then.
///
/// # Errors
/// [`Error::Conflict`] when the product has another external id than the given one.
pub(super) async fn find(
    unit: &mut UnitOfWork<'_>,
    product: &NamedProduct,
) -> Result<Option<Stocked>, Error> {
    let id = match &product.name {
        RecordName::Id(id) => Some(*id),
        RecordName::ExternalId(text) => {
            let text = Indexed::Text(text);
            unit.find_unique(Family::ProductByExternalId, text).await?
        }
    };
    let found: Option<Stocked> = match id {
        Some(id) => Stocked::find(unit, id).await?,
        None => None,
    };
    let its = found.as_ref().map(|found| &found.product);
    if let Some(problem) = its.and_then(|found| product.disagreement(found)) {
        return Err(Error::conflict("externalId", problem));
    }
    Ok(found)
}

/// A product not found at this location.
/// An external id always means a product of this location, even if another location has it too.
pub(super) struct Nowhere {
    field: &'static str,
    problem: String,
    is_elsewhere: bool,
}

impl Nowhere {
    pub(super) fn of(unit: &UnitOfWork<'_>, access: &Access, product: &NamedProduct) -> Self {
        let (rows, name) = (<Product as Record>::ROWS, &product.name);
        let is_elsewhere = match name {
            RecordName::Id(id) => engine::is_elsewhere(access, unit, rows, *id),
            RecordName::ExternalId(_) => false,
        };
        let problem = match is_elsewhere {
            true => format!("product {name} belongs to another location"),
            false => format!("there is no product {name} at this location"),
        };
        Self {
            field: product.field(),
            problem,
            is_elsewhere,
        }
    }

    /// The refusal of a request about this product alone.
    pub(super) fn of_request(self) -> Error {
        match self.is_elsewhere {
            true => Error::ForbiddenLocation(Reason::of(self.field, self.problem)),
            false => Invalid::new(self.field, self.problem).into(),
        }
    }

    /// The refusal of an item among many.
    pub(super) fn of_item(self) -> Error {
        let reason = Reason::of(self.field, self.problem);
        match self.is_elsewhere {
            true => Error::ForbiddenLocation(reason),
            false => Error::NotFound(reason),
        }
    }
}
