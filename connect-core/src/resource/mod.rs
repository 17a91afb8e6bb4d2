//! The chapters of the specification: a file each, which declares what is particular to it.

mod accounts;
mod categories;
mod events;
mod images;
mod locations;
mod option_groups;
mod products;
mod tokens;

pub use accounts::{NewAccount, NewLocation, NewScreen};
pub use locations::LocationHandle;
pub use tokens::{IssuedToken, NewToken};

#[cfg(test)]
mod tests {
    use crate::{
        engine::Upsert,
        record::{Record, keys::Family},
        wire::{BatchInput, Category, MatchBy, OptionGroup, Product},
    };

    fn check_matches<R: Upsert>() {
        for by in R::Input::MATCH_BY.iter().filter(|by| **by != MatchBy::Id) {
            let is_indexed = R::INDEXES.iter().any(|index| index.field == by.as_str());
            assert!(is_indexed, "no index of {} by {}", R::LIST, by.as_str());
        }
    }

    #[test]
    fn items_of_batches_are_matched_by_what_is_indexed() {
        check_matches::<Product>();
        check_matches::<OptionGroup>();
    }

    /// Maintenance purges the families that are named so.
    #[test]
    fn the_tombstones_of_every_kind_are_purged() {
        let purged: Vec<Family> = Family::tombstones().collect();
        assert_eq!(
            purged,
            [
                Category::TOMBSTONES,
                Product::TOMBSTONES,
                OptionGroup::TOMBSTONES
            ]
        );
    }
}
