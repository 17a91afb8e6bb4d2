//! The chapters of the specification: a file each, which declares what is particular to it.

mod accounts;
mod categories;
mod images;
mod locations;
mod products;
mod references;
mod tokens;

pub use accounts::{NewAccount, NewLocation, NewScreen};
pub use locations::LocationHandle;
pub use tokens::{IssuedToken, NewToken};

#[cfg(test)]
mod tests {
    use crate::{
        record::{Record, keys::Family},
        wire::{Category, Product},
    };

    /// Maintenance purges the families that are named so.
    #[test]
    fn the_tombstones_of_every_kind_are_purged() {
        let purged: Vec<Family> = Family::tombstones().collect();
        assert_eq!(purged, [Category::TOMBSTONES, Product::TOMBSTONES]);
    }
}
