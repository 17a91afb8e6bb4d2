//! The head of the last bulk change, read with each page of products.
//!
//! The row with the former values may be large. It is read by the undo alone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::former::BulkBefore;
use crate::{
    auth::{Access, Actor},
    storage::Key,
    transaction::{
        Record, UnitOfWork, User,
        keys::{Family, KeyPart, key},
    },
    wire::{Category, Id, OptionGroup, Product, ProductInput, Timestamp, limits::BULK_UNDO_DAYS},
};

/// A bulk change without the former values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BulkHead {
    /// The time of the change, and the `updatedAt` of its products by it.
    pub(super) at: Timestamp,
    /// The user behind the change, if it was one.
    pub(super) user_id: Option<Id<User>>,
    /// The number of its products.
    pub(super) products: usize,
    /// The categories of the former values.
    category_ids: BTreeSet<Uuid>,
    /// The option groups of the former values.
    option_group_ids: BTreeSet<Uuid>,
}

impl BulkHead {
    /// The key of the row of a location.
    pub(super) fn key(location: Uuid) -> Key {
        key(location, Family::BulkHead, &[])
    }

    /// Writes the rows of a change by this caller, in place of those of the bulk change before.
    /// One that cannot be undone leaves none.
    pub(super) fn save(before: &BulkBefore, unit: &mut UnitOfWork<'_>, access: &Access) {
        let Some(row) = before.row(unit) else {
            return Self::remove(unit);
        };
        let head = unit.json(&Self::of(before, access));
        unit.put(BulkBefore::key(unit.partition()), row);
        unit.put(Self::key(unit.partition()), head);
    }

    /// Removes both rows: nothing can be undone any more.
    pub(super) fn remove(unit: &mut UnitOfWork<'_>) {
        unit.delete(BulkBefore::key(unit.partition()));
        unit.delete(Self::key(unit.partition()));
    }

    fn of(before: &BulkBefore, access: &Access) -> Self {
        let user_id = match access.actor() {
            Actor::Owner { user, .. } => user,
            Actor::Token { .. } | Actor::Screen { .. } => None,
        };
        let values = || before.products.iter().map(|former| &former.before);
        Self {
            at: before.at,
            user_id,
            products: before.products.len(),
            category_ids: referred_to::<Category>(values()),
            option_group_ids: referred_to::<OptionGroup>(values()),
        }
    }

    /// Returns whether the change is too old to be undone.
    pub(super) fn is_over(at: Timestamp, now: Timestamp) -> bool {
        at.plus_days(BULK_UNDO_DAYS) <= now
    }

    /// The keys of the rows needed for an undo.
    pub(super) fn needed(&self, location: Uuid) -> Vec<Key> {
        let row = |family| move |id: &Uuid| key(location, family, &[KeyPart::Id(*id)]);
        let categories = self.category_ids.iter().map(row(Category::ROWS));
        let groups = self.option_group_ids.iter().map(row(OptionGroup::ROWS));
        categories.chain(groups).collect()
    }
}

/// Returns the records of a kind in these values.
fn referred_to<'v, R: Record>(values: impl Iterator<Item = &'v ProductInput>) -> BTreeSet<Uuid> {
    let references = Product::REFERENCES.iter();
    let of_kind: Vec<_> = references
        .filter(|reference| reference.rows == R::ROWS)
        .collect();
    let ids = values.flat_map(|value| of_kind.iter().flat_map(move |it| it.sent_ids(value)));
    ids.collect()
}
