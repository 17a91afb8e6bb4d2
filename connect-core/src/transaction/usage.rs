//! Counts of a location's records, and the bytes of its rows.
//!
//! They are part of the location's clock row. Every commit reads and writes that row anyway, so the
//! counts are exact and cost no round trip. Some rows are purged by maintenance after a time
//! (events, tombstones, stored answers, deliveries). They are counted by day of expiry and stop
//! counting on that day, so a purge need not write the counts. The usage of an account is the sum
//! of its locations.

use serde::{Deserialize, Deserializer, Serialize};

use super::keys::{EntryForm, Family, PartitionOwner, Relation};
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

/// The limits on the data of an account and of each of its locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageLimits {
    /// Products of a location.
    pub products: u64,
    /// Categories of a location.
    pub categories: u64,
    /// Option groups of a location.
    pub option_groups: u64,
    /// Bytes of an account: all keys and values of its locations.
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
    /// The most records of a kind per location; `None` without a limit.
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
    /// The bytes of keys and values of permanent rows.
    pub(crate) bytes: u64,
    /// The bytes of keys and values of rows to be purged.
    /// Each entry has the day since 1970 from which its bytes no longer count, and the bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) passing: Vec<(u32, u64)>,
    /// Set in the unfinished counts of version 2.
    #[serde(skip_serializing)]
    counted_to: Option<String>,
}

/// The counting of a family's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageRule {
    /// Exactly, while they are stored.
    Always,
    /// For a number of days after they are written.
    Days(i64),
}

/// Returns how a family's rows count for their location; `None` if not.
pub(crate) fn counted(family: Family) -> Option<UsageRule> {
    match family {
        // A bulk change is not refused for the room that only its undo needs.
        Family::TombstonesSince | Family::BulkBefore | Family::BulkHead => None,
        Family::Event => Some(UsageRule::Days(EVENT_DAYS)),
        _ if family.owner() != PartitionOwner::Location => None,
        _ => match family.relation() {
            Relation::Tombstone(_) => Some(UsageRule::Days(TOMBSTONE_DAYS)),
            _ => Some(UsageRule::Always),
        },
    }
}

/// Returns the fixed length of a family's values: entries in indexes.
fn value_len(family: Family) -> Option<usize> {
    match family.relation() {
        Relation::Entry(EntryForm::Index, ..) => Some(0),
        Relation::Entry(EntryForm::Pointer, rows, _) => rows.key_len(),
        _ => None,
    }
}

/// Returns the length of the replaced value, if the write tells it.
/// There is no value under a new key, and an index entry at a removal.
pub(super) fn found_by(write: &Write, family: Family) -> Option<Option<usize>> {
    match write {
        Write::New(_) | Write::NewIndex(_) => Some(None),
        Write::Remove => value_len(family).map(Some),
        Write::Put(_) | Write::Index(_) => None,
    }
}

impl Usage {
    /// Replaces a row: the lengths of its values before and after.
    /// `None` stands for an absent row.
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
            Some(UsageRule::Days(days)) => self.add_until(of_row(after), now.plus_days(days), now),
            Some(UsageRule::Always) => {
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

    /// Adds a permanent row.
    pub(crate) fn add(&mut self, key: &[u8], family: Family, len: usize) {
        self.bytes = self.bytes.saturating_add((key.len() + len) as u64);
        if let Some(count) = self.count_mut(family) {
            *count += 1;
        }
    }

    /// Adds rows to be purged at `until`.
    pub(crate) fn add_until(&mut self, bytes: u64, until: Timestamp, now: Timestamp) {
        if bytes == 0 {
            return;
        }
        // The longer they stay, the coarser: the row has about twenty numbers at most.
        let days = (until.seconds() - now.seconds()) / DAY;
        let step = match days {
            ..=1 => 1,
            2..=30 => 5,
            31..=100 => 15,
            _ => 90,
        };
        let day = u32::try_from(until.seconds().div_euclid(DAY) + 1).unwrap_or(0);
        let day = day.next_multiple_of(step);
        let today = today(now);
        self.passing.retain(|(over, _)| counts(*over, today));
        match self.passing.iter_mut().find(|(over, _)| *over == day) {
            Some((_, sum)) => *sum += bytes,
            None => self.passing.push((day, bytes)),
        }
    }

    /// All bytes counted now.
    pub(crate) fn total(&self, now: Timestamp) -> u64 {
        let today = today(now);
        let passing = self.passing.iter().filter(|(over, _)| counts(*over, today));
        passing.fold(self.bytes, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// The number of records of a kind, if counted.
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

    /// Reads the counts of a clock; `None` if they are unfinished.
    pub(super) fn finished<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Self>, D::Error> {
        let usage: Option<Self> = Deserialize::deserialize(from)?;
        Ok(usage.filter(|usage| usage.counted_to.is_none()))
    }
}

/// Returns whether bytes that are over from a day on still count.
fn counts(over: u32, today: u32) -> bool {
    over > today
}

fn today(now: Timestamp) -> u32 {
    u32::try_from(now.seconds().div_euclid(DAY)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::transaction::keys::{KeyPart, key};

    fn at(days: i64) -> Timestamp {
        Timestamp::EPOCH.plus_seconds(20_000 * DAY + days * DAY)
    }

    /// A row counts from its write until its removal.
    #[test]
    fn rows_that_stay_are_counted_exactly() {
        let id = KeyPart::Id(Uuid::from_u128(1));
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

    /// Rows to be purged count until a few days after their expiry.
    #[test]
    fn rows_that_pass_count_for_their_time() {
        for (days, latest) in [(1, 2), (7, 12), (30, 35), (90, 105)] {
            for start in 0..16 {
                let mut usage = Usage::default();
                usage.add_until(1000, at(start + days), at(start));
                usage.add_until(1, at(start + 120), at(start));
                for (later, total) in [(0, 1001), (days, 1001), (latest, 1)] {
                    let counted = usage.total(at(start + later));
                    assert_eq!(counted, total, "{days} from {start}, {later} later");
                }
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
    fn rows_of_locations_count() {
        for (family, expected) in [
            (Family::Product, Some(UsageRule::Always)),
            (Family::ProductByBarcode, Some(UsageRule::Always)),
            (Family::Transaction, Some(UsageRule::Always)),
            (Family::Event, Some(UsageRule::Days(30))),
            (Family::StockLevelTombstone, Some(UsageRule::Days(90))),
            (Family::Clock, None),
            (Family::TombstonesSince, None),
            (Family::BulkBefore, None),
            (Family::BulkHead, None),
            (Family::Account, None),
            (Family::Delivery, None),
            (Family::Answer, None),
        ] {
            assert_eq!(counted(family), expected, "{}", family.name());
        }
    }
}
