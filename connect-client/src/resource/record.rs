//! What the kinds of record have in common.

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::wire::{
    Category, CategoryInput, Entry, Product, ProductInput, Timestamp,
    query::{CategoryQuery, ListQuery, ProductQuery},
};

/// A kind of record that a location has: [`Category`] or [`Product`].
///
/// Sealed: the service decides what kinds there are.
pub trait Record: Sealed + DeserializeOwned + Send + 'static {
    /// What is sent to create or update one.
    type Input: Serialize;
    /// By what a list of them is narrowed down.
    type Query: ListQuery;

    /// The record's id.
    fn id(&self) -> Uuid;

    /// When it last changed, on the location's change clock.
    fn updated_at(&self) -> Timestamp;
}

/// What only the SDK needs to know of a kind.
pub trait Sealed {
    /// The path segment below the location.
    const SEGMENT: &'static str;
}

macro_rules! record {
    ($record:ty, $input:ty, $query:ty, $segment:literal) => {
        impl Record for $record {
            type Input = $input;
            type Query = $query;

            fn id(&self) -> Uuid {
                self.id
            }

            fn updated_at(&self) -> Timestamp {
                self.updated_at
            }
        }

        impl Sealed for $record {
            const SEGMENT: &'static str = $segment;
        }
    };
}

record!(Category, CategoryInput, CategoryQuery, "categories");
record!(Product, ProductInput, ProductQuery, "products");

/// When an entry, deleted or not, last changed.
pub(super) fn changed_at<R: Record>(entry: &Entry<R>) -> Timestamp {
    match entry {
        Entry::Deleted(tombstone) => tombstone.updated_at,
        Entry::Live(record) => record.updated_at(),
    }
}
