//! The references of a kind of record to records of other kinds, such as that of a product to its
//! category. Each is declared once; what writes look up and refuse, and what is checked, follows
//! from it.

use uuid::Uuid;

use super::{
    Record,
    keys::{Family, Part, key},
};
use crate::{storage::Key, wire::Id};

/// A field that holds the ids of records of another kind at the same location.
pub struct Reference<R: Record> {
    /// The field, as it is named in JSON.
    pub field: &'static str,
    /// Set when the field holds a list of ids.
    pub is_list: bool,
    /// The name of the kind that is referred to, as messages use it.
    pub name: &'static str,
    /// The rows of that kind.
    pub rows: Family,
    /// The entries that lead from an id to the records that hold it, if [`INDEXES`] has no index by
    /// the field.
    ///
    /// [`INDEXES`]: Record::INDEXES
    pub entries: Option<Family>,
    /// Returns the id that a record holds at a place, from 0.
    pub of_record: fn(&R, usize) -> Option<Uuid>,
    /// Returns the id that a write gives the field at a place, from 0.
    pub of_input: fn(&R::Input, usize) -> Option<Uuid>,
}

/// Returns the id of a field that holds one, if `place` is the first.
pub(crate) fn only<T>(id: Option<&Id<T>>, place: usize) -> Option<Uuid> {
    id.map(|id| id.uuid()).filter(|_| place == 0)
}

/// Returns the id at `place` of a field that holds a list.
pub(crate) fn nth<T>(ids: &[Id<T>], place: usize) -> Option<Uuid> {
    ids.get(place).map(|id| id.uuid())
}

impl<R: Record> Reference<R> {
    /// The keys of the entries that lead to a record.
    pub(crate) fn keys(&self, partition: Uuid, record: &R) -> impl Iterator<Item = Key> {
        let record_id = Part::Id(record.id().uuid());
        let entries = self.entries.into_iter();
        entries.flat_map(move |family| {
            let ids = self.ids(record);
            ids.map(move |id| key(partition, family, &[Part::Id(id), record_id]))
        })
    }

    /// The ids that a record holds.
    pub(crate) fn ids(&self, record: &R) -> impl Iterator<Item = Uuid> {
        (0..).map_while(|place| (self.of_record)(record, place))
    }

    /// The ids that a write gives the field.
    pub(crate) fn sent_ids(&self, input: &R::Input) -> impl Iterator<Item = Uuid> {
        (0..).map_while(|place| (self.of_input)(input, place))
    }

    /// The path of the id at `place`.
    pub(crate) fn path(&self, place: usize) -> String {
        if self.is_list {
            format!("{}[{place}]", self.field)
        } else {
            self.field.to_owned()
        }
    }
}
