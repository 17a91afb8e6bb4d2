//! The declaration of a kind of record: where it lies, its indexes, and its references to other
//! kinds. Each index and each reference is declared once. How records are saved, listed, matched by
//! batches and checked follows from it.

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::keys::{Family, Part, key};
use crate::{
    storage::Key,
    wire::{Id, Timestamp, WireRecord},
};

/// A record that lives under its id and is listed by `updatedAt`.
pub trait Record:
    WireRecord<Input: Send + Sync + 'static> + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The parameters of the list.
    type Query: Send + Sync + 'static;

    /// The rows, under their ids.
    const ROWS: Family;
    /// The index of all rows in the order in which they last changed.
    const BY_CHANGE: Family;
    /// The tombstones of deleted records, in the order of their deletion.
    const TOMBSTONES: Family;
    /// The other indexes.
    const INDEXES: &'static [Index<Self>];
    /// The references to records of other kinds.
    const REFERENCES: &'static [Reference<Self>] = &[];
}

/// An index of the records of a kind by one of their fields.
pub struct Index<R: Record> {
    /// The field, as it is named in JSON.
    pub field: &'static str,
    /// The entries.
    pub family: Family,
    /// The way in which it leads to records.
    pub kind: IndexKind,
    /// Returns the value by which a record is entered, if it has one.
    pub of_record: fn(&R) -> Option<Indexed<'_>>,
    /// Returns the value that a write gives the field.
    pub of_input: fn(&R::Input) -> Option<Indexed<'_>>,
    /// Returns the value that the records of a list have to have.
    pub of_query: fn(&R::Query) -> Option<Indexed<'_>>,
}

/// Declares an [`Index`] by a field that the record, its input and its query name alike:
/// `index!(external_id: text, Unique, ShelfByExternalId)`. The word behind the field is the function
/// of [`Indexed`] that makes a value of it.
macro_rules! index {
    ($field:ident: $value:ident, $kind:ident, $family:ident) => {
        $crate::transaction::Index {
            field: $crate::wire::json_name::json_name!($field),
            family: $crate::transaction::keys::Family::$family,
            kind: $crate::transaction::IndexKind::$kind,
            of_record: |record| $crate::transaction::Indexed::$value(record.$field.as_ref()),
            of_input: |input| $crate::transaction::Indexed::$value(input.$field.value()),
            of_query: |query| $crate::transaction::Indexed::$value(query.$field.as_ref()),
        }
    };
}

pub(crate) use index;

/// The way in which an index leads to records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// At most one record has a value: another that is given it is refused. The entry holds the
    /// record's id.
    Unique,
    /// Few records share a value: they are all read, then sorted.
    Holders,
    /// Many records share a value: their entries lie in change order.
    ByChange,
}

/// A value that an index is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed<'a> {
    /// A text.
    Text(&'a str),
    /// A reference.
    Id(Uuid),
}

impl<'a> Indexed<'a> {
    /// The text, if there is one.
    pub(crate) fn text(text: Option<&'a String>) -> Option<Self> {
        text.map(|text| Self::Text(text))
    }

    /// The reference, if there is one.
    pub(crate) fn id<T>(id: Option<&Id<T>>) -> Option<Self> {
        id.map(|id| Self::Id(id.uuid()))
    }

    pub(crate) fn part(self) -> Part<'a> {
        match self {
            Self::Text(text) => Part::Text(text),
            Self::Id(id) => Part::Id(id),
        }
    }
}

impl std::fmt::Display for Indexed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Id(id) => id.fmt(f),
        }
    }
}

impl<R: Record> Index<R> {
    /// The key of the entry that a record with this value and id has, at the time of its last
    /// change.
    pub(crate) fn key(
        &self,
        partition: Uuid,
        value: Indexed<'_>,
        time: Timestamp,
        id: Uuid,
    ) -> Key {
        let (family, value) = (self.family, value.part());
        match self.kind {
            IndexKind::Unique => key(partition, family, &[value]),
            IndexKind::Holders => key(partition, family, &[value, Part::Id(id)]),
            IndexKind::ByChange => key(partition, family, &[value, Part::Time(time), Part::Id(id)]),
        }
    }

    /// The key of the entry of a record, if it is in this index.
    pub(crate) fn entry(&self, partition: Uuid, record: &R) -> Option<Key> {
        let value = (self.of_record)(record)?;
        Some(self.key(partition, value, record.updated_at(), record.id().uuid()))
    }
}

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

/// Declares a [`Reference`] by a field that holds one id and has an index:
/// `reference!(category_id, Category)`.
macro_rules! reference {
    ($field:ident, $other:ty) => {
        $crate::transaction::Reference {
            field: $crate::wire::json_name::json_name!($field),
            is_list: false,
            name: <$other>::NAME,
            rows: <$other>::ROWS,
            entries: None,
            of_record: |record, place| $crate::transaction::only(record.$field.as_ref(), place),
            of_input: |input, place| $crate::transaction::only(input.$field.value(), place),
        }
    };
}

pub(crate) use reference;

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
