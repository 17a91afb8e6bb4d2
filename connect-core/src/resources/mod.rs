//! The chapters of the specification, one file each.
//! A file declares only the particulars of its chapter.

mod categories;
mod events;
pub(crate) mod images;
mod journal;
mod lines;
mod locations;
mod lost;
mod option_groups;
mod option_links;
mod orders;
mod product_bulk;
pub(crate) mod products;
mod stock;

pub use journal::{ArticleTotals, JournalBreakdown, SoldArticles};
pub(crate) use journal::{DayArticles, RegisterPeriod, day_key, day_number};
pub use locations::LocationHandle;
pub(crate) use lost::repair_record;
pub use orders::Orders;
pub(crate) use product_bulk::{BulkBefore, BulkHead};
pub use product_bulk::{
    LastBulk, PreviewedPrice, PricePreview, ProductBulkFailure, ProductBulkResult, SeenPrice,
};

pub use stock::{JsonStock, LowStock, Stock, StockMinimum};

use crate::{
    transaction::StoredKind,
    wire::{
        Category, ImageJob, OptionGroup, Order, Product, StockLevel, StockMovement, Transaction,
        ZReport,
    },
};

/// The kinds of rows with index entries or references.
pub(crate) static STORED: [StoredKind; 10] = [
    StoredKind::of::<Category>(),
    StoredKind::of::<OptionGroup>(),
    StoredKind::of::<Product>(),
    StoredKind::of::<ImageJob>(),
    StoredKind::of::<StockLevel>(),
    StoredKind::of::<StockMovement>(),
    StoredKind::of::<StockMinimum>(),
    StoredKind::of::<Transaction>(),
    StoredKind::of::<ZReport>(),
    StoredKind::of::<Order>(),
];

#[cfg(test)]
mod tests {
    use crate::{
        engine::{Resource, Upsert},
        transaction::{
            Record,
            keys::{EntryForm, Family, Relation},
        },
        wire::{
            BatchInput, Category, MatchBy, OptionGroup, Product,
            query::{CategoryQuery, Query},
        },
    };

    fn is_indexed<R: Record>(field: &str) -> bool {
        R::INDEXES.iter().any(|index| index.field == field)
    }

    fn check_matches<R: Upsert>() {
        for by in R::Input::MATCH_BY.iter().filter(|by| **by != MatchBy::Id) {
            let (list, by) = (R::LIST, by.as_str());
            assert!(is_indexed::<R>(by), "no index of {list} by {by}");
        }
    }

    /// A filter without an index would let every record pass.
    fn check_filters<R: Resource>() {
        for filter in R::Query::PARAMETERS.iter().map(|filter| filter.name) {
            // Categories have no filters.
            let is_common = CategoryQuery::PARAMETERS
                .iter()
                .any(|common| common.name == filter);
            assert!(
                is_common || is_indexed::<R>(filter),
                "no index of {} by {filter}",
                R::LIST
            );
        }
    }

    #[test]
    fn items_of_batches_are_matched_by_what_is_indexed() {
        check_matches::<Product>();
        check_matches::<OptionGroup>();
    }

    /// Fails if a kind is missing here.
    /// Maintenance purges the families named as tombstones.
    #[test]
    fn every_kind_is_filtered_by_what_is_indexed_and_its_tombstones_are_purged() {
        fn tombstones<R: Resource>() -> Family {
            check_filters::<R>();
            let rows = <R as Record>::ROWS;
            let by_change = Relation::Entry(EntryForm::Index, rows, true);
            assert_eq!(R::BY_CHANGE.relation(), by_change);
            assert_eq!(R::TOMBSTONES.relation(), Relation::Tombstone(rows));
            R::TOMBSTONES
        }

        let purged: Vec<Family> = Family::tombstones().collect();
        assert_eq!(
            purged,
            [
                tombstones::<Category>(),
                tombstones::<Product>(),
                tombstones::<OptionGroup>(),
                Family::StockLevelTombstone,
            ]
        );
    }
}
