//! Counts of a location's records, and the bytes of its rows.
//!
//! They stand in the location's clock row, which every commit reads and writes anyway, so they are as exact
//! as the rows and cost no trip. Rows that are removed by maintenance after a time (events, tombstones, stored
//! answers, deliveries) are noted with the day on which their time is over: from that day on they do not count,
//! and nothing has to be written when they are purged. An account has the sum of its locations.

use serde::{Deserialize, Serialize};

use super::keys::{Family, Owner};
use crate::{
    storage::Write,
    wire::{
        Timestamp,
        limits::{
            DEFAULT_ACCOUNT_BYTES, DEFAULT_LOCATION_CATEGORIES, DEFAULT_LOCATION_OPTION_GROUPS,
            DEFAULT_LOCATION_PRODUCTS, EVENT_DAYS, TOMBSTONE_DAYS,
        },
    },
};

const DAY: i64 = 24 * 3600;

/// The most that is stored for an account and for each of its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageLimits {
    /// Products of a location.
    pub products: u64,
    /// Categories of a location.
    pub categories: u64,
    /// Option groups of a location.
    pub option_groups: u64,
    /// Bytes of an account: the keys and values of all rows of its locations.
    pub account_bytes: u64,
}

impl Default for StorageLimits {
    fn default() -> Self {
        Self {
            products: DEFAULT_LOCATION_PRODUCTS,
            categories: DEFAULT_LOCATION_CATEGORIES,
            option_groups: DEFAULT_LOCATION_OPTION_GROUPS,
            account_bytes: DEFAULT_ACCOUNT_BYTES,
        }
    }
}

impl StorageLimits {
    /// The most records of a kind that a location has; `None` where there is no such limit.
    pub(crate) fn of(&self, rows: Family) -> Option<u64> {
        match rows {
            Family::Product => Some(self.products),
            Family::Category => Some(self.categories),
            Family::OptionGroup => Some(self.option_groups),
            _ => None,
        }
    }
}

/// The counts of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Usage {
    pub(crate) products: u64,
    pub(crate) categories: u64,
    pub(crate) option_groups: u64,
    /// The keys and values of the rows that stay.
    pub(crate) bytes: u64,
    /// The keys and values of the rows that are purged: the day, since 1970, from which on they do not
    /// count, and how many bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) passing: Vec<(u32, u64)>,
    /// Set while the rows of a store that had no counts are counted: the last key that is, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counted_to: Option<String>,
}

/// The way in which the rows of a family count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Exactly, for as long as they are there.
    Always,
    /// For so many days from when they were written.
    Days(i64),
}

/// Returns how the rows of a family count for the location that has them; `None` when they do not.
pub(crate) fn counted(family: Family) -> Option<Counted> {
    match family {
        Family::TombstonesSince => None,
        Family::Event => Some(Counted::Days(EVENT_DAYS)),
        _ if family.owner() != Owner::Location => None,
        _ if family.name().ends_with("Tombstone") => Some(Counted::Days(TOMBSTONE_DAYS)),
        _ => Some(Counted::Always),
    }
}

/// Returns the length of the values of a family, where all have the same: those of entries in indexes.
fn value_len(family: Family) -> Option<usize> {
    match family {
        Family::CategoryByChange
        | Family::ProductByChange
        | Family::ProductByBarcode
        | Family::ProductByCategory
        | Family::ProductByOptionGroup
        | Family::ImageJobByCreation
        | Family::OptionGroupByChange
        | Family::ReceiptUpTo
        | Family::ZReportByClosing
        | Family::OrderByCreation
        | Family::OrderByUpdate
        | Family::OrderByScreen
        | Family::StockLevelByChange
        | Family::StockMovementByCreation
        | Family::StockMovementByProduct => Some(0),
        Family::TransactionById => Some(8),
        Family::CategoryByName
        | Family::ProductByExternalId
        | Family::OptionGroupByExternalId
        | Family::ImageJobByProduct => Some(16),
        _ => None,
    }
}

/// Returns the length of the value that a write finds, where that follows from the write: nothing under a new key,
/// and an entry of an index where one is removed.
pub(super) fn found_by(write: &Write, family: Family) -> Option<Option<usize>> {
    match write {
        Write::New(_) | Write::NewIndex(_) => Some(None),
        Write::Remove => value_len(family).map(Some),
        Write::Put(_) | Write::Index(_) => None,
    }
}

impl Usage {
    /// Replaces a row: the lengths of its values before and after, `None` for a row that is not there.
    pub(crate) fn replace(
        &mut self,
        (key, family): (&[u8], Family),
        before: Option<usize>,
        after: Option<usize>,
        now: Timestamp,
    ) {
        let of_row = |value: Option<usize>| value.map_or(0, |len| (key.len() + len) as u64);
        match counted(family) {
            None => {}
            Some(_) if !self.has_counted(key) => {}
            Some(Counted::Days(days)) => {
                self.add_until(of_row(after), now.plus_seconds(days * DAY), now)
            }
            Some(Counted::Always) => {
                if let Some(len) = after {
                    self.add(key, family, len);
                }
                self.bytes = self.bytes.saturating_sub(of_row(before));
                if let (Some(count), Some(_)) = (self.count_mut(family), before) {
                    *count = count.saturating_sub(1);
                }
            }
        }
    }

    /// Adds a row that stays.
    pub(crate) fn add(&mut self, key: &[u8], family: Family, len: usize) {
        self.bytes = self.bytes.saturating_add((key.len() + len) as u64);
        if let Some(count) = self.count_mut(family) {
            *count += 1;
        }
    }

    /// Adds rows that are purged once `until` has come.
    pub(crate) fn add_until(&mut self, bytes: u64, until: Timestamp, now: Timestamp) {
        if bytes == 0 {
            return;
        }
        // The longer they stay, the coarser: the row has about twenty numbers at most.
        let days = (until.seconds() - now.seconds()) / DAY;
        let step = match days {
            ..=1 => 1,
            2..=30 => 5,
            _ => 15,
        };
        let day = u32::try_from(until.seconds().div_euclid(DAY) + 1).unwrap_or(0);
        let day = day.next_multiple_of(step);
        let today = today(now);
        self.passing.retain(|(over, _)| *over > today);
        match self.passing.iter_mut().find(|(over, _)| *over == day) {
            Some((_, sum)) => *sum += bytes,
            None => self.passing.push((day, bytes)),
        }
    }

    /// All bytes that count now.
    pub(crate) fn total(&self, now: Timestamp) -> u64 {
        let today = today(now);
        let passing = self.passing.iter().filter(|(over, _)| *over > today);
        passing.fold(self.bytes, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// The number of records of a kind, if its records are counted.
    pub(crate) fn count(&self, rows: Family) -> Option<u64> {
        match rows {
            Family::Product => Some(self.products),
            Family::Category => Some(self.categories),
            Family::OptionGroup => Some(self.option_groups),
            _ => None,
        }
    }

    fn count_mut(&mut self, rows: Family) -> Option<&mut u64> {
        match rows {
            Family::Product => Some(&mut self.products),
            Family::Category => Some(&mut self.categories),
            Family::OptionGroup => Some(&mut self.option_groups),
            _ => None,
        }
    }

    /// Returns whether all rows are counted.
    pub(crate) fn is_complete(&self) -> bool {
        self.counted_to.is_none()
    }

    /// Returns whether the row at `key` is counted, or would be if it was there.
    fn has_counted(&self, key: &[u8]) -> bool {
        let to = self.counted_to.as_ref();
        to.is_none_or(|to| hex::decode(to).is_ok_and(|to| key <= &to[..]))
    }
}

fn today(now: Timestamp) -> u32 {
    u32::try_from(now.seconds().div_euclid(DAY)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::transaction::keys::{Part, key};

    fn at(days: i64) -> Timestamp {
        Timestamp::EPOCH.plus_seconds(20_000 * DAY + days * DAY)
    }

    /// A row is counted from when it is written until it is removed, whatever it held in between.
    #[test]
    fn rows_that_stay_are_counted_exactly() {
        let id = Part::Id(Uuid::from_u128(1));
        let product = key(Uuid::from_u128(7), Family::Product, &[id]);
        let row = (&product[..], Family::Product);
        let mut usage = Usage::default();
        let len = product.len() as u64;
        for (before, after, bytes, products) in [
            (None, Some(100), len + 100, 1),
            (Some(100), Some(40), len + 40, 1),
            (Some(40), Some(40), len + 40, 1),
            (Some(40), None, 0, 0),
            // More is never taken off than there is.
            (Some(40), None, 0, 0),
        ] {
            usage.replace(row, before, after, at(0));
            assert_eq!((usage.bytes, usage.products), (bytes, products));
            assert_eq!(usage.total(at(0)), bytes);
        }
    }

    /// Rows that are purged count until their time is over, and a few days more at most.
    #[test]
    fn rows_that_pass_count_for_their_time() {
        for (days, latest) in [(1, 2), (7, 12), (30, 35), (90, 105)] {
            for start in 0..16 {
                let mut usage = Usage::default();
                usage.add_until(1000, at(start + days), at(start));
                assert_eq!(usage.total(at(start)), 1000);
                assert_eq!(usage.total(at(start + days)), 1000, "{days} from {start}");
                assert_eq!(
                    usage.total(at(start + latest + 1)),
                    0,
                    "{days} from {start}"
                );
            }
        }
    }

    #[test]
    fn the_row_stays_small() {
        let mut usage = Usage::default();
        for day in 0..1000 {
            for days in [1, 7, 30, 90] {
                usage.add_until(1_000_000, at(day + days), at(day));
            }
            assert!(usage.passing.len() < 20, "{:?}", usage.passing);
        }
    }

    #[test]
    fn what_is_not_counted_yet_is_left_to_the_count() {
        let of = |number| {
            key(
                Uuid::from_u128(7),
                Family::Order,
                &[Part::Id(Uuid::from_u128(number))],
            )
        };
        let mut usage = Usage {
            counted_to: Some(hex::encode(of(5))),
            ..Usage::default()
        };
        for (number, counts) in [(4, true), (5, true), (6, false)] {
            let before = usage.bytes;
            usage.replace((&of(number), Family::Order), None, Some(1), at(0));
            assert_eq!(usage.bytes > before, counts, "{number}");
        }
    }

    #[test]
    fn rows_of_locations_count() {
        for (family, expected) in [
            (Family::Product, Some(Counted::Always)),
            (Family::ProductByBarcode, Some(Counted::Always)),
            (Family::Transaction, Some(Counted::Always)),
            (Family::Event, Some(Counted::Days(30))),
            (Family::StockLevelTombstone, Some(Counted::Days(90))),
            (Family::Clock, None),
            (Family::TombstonesSince, None),
            (Family::Account, None),
            (Family::Delivery, None),
            (Family::Answer, None),
        ] {
            assert_eq!(counted(family), expected, "{}", family.name());
        }
    }
}
