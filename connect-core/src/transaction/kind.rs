//! The declaration of a kind of record: its rows, indexes and references.
//! Each index and each reference is declared once. Saving, listing, the matching of batches and the
//! check follow from it.

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::keys::{Family, KeyPart, key};
use crate::{
    storage::Key,
    wire::{Id, Timestamp, WireRecord},
};

/// A record stored under its id and listed by `updatedAt`.
pub trait Record:
    WireRecord<Input: Send + Sync + 'static> + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The parameters of the list.
    type Query: Send + Sync + 'static;

    /// The rows, under their ids.
    const ROWS: Family;
    /// The index of all rows by last change.
    const BY_CHANGE: Family;
    /// The tombstones of deleted records, by deletion.
    const TOMBSTONES: Family;
    /// The other indexes.
    const INDEXES: &'static [Index<Self>];
    /// The references to records of other kinds.
    const REFERENCES: &'static [Reference<Self>] = &[];
    /// The index of the words of their names, if they can be searched for.
    const WORDS: Option<WordIndex<Self>> = None;
}

/// An index of the records of a kind by a field.
pub struct Index<R: Record> {
    /// The name of the field in JSON.
    pub field: &'static str,
    /// The entries.
    pub family: Family,
    /// The way from the index to the records.
    pub kind: IndexKind,
    /// Returns the indexed value of a record, if any.
    pub of_record: fn(&R) -> Option<Indexed<'_>>,
    /// Returns the value of the field in a write.
    pub of_input: fn(&R::Input) -> Option<Indexed<'_>>,
    /// Returns the value required by a list query.
    pub of_query: fn(&R::Query) -> Option<Indexed<'_>>,
}

/// Declares an [`Index`] by a field of record, input and query.
/// For example `index!(external_id: text, Unique, ShelfByExternalId)`. All three use the same field
/// name. The word behind the field is the function of [`Indexed`] for its values.
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

/// The way from an index to its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// At most one record has a value; a second one is refused.
    /// The entry holds the record's id.
    Unique,
    /// Few records share a value: all of them are read, then sorted.
    Holders,
    /// Many records share a value: their entries are in change order.
    ByChange,
}

/// An indexed value.
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

    pub(crate) fn part(self) -> KeyPart<'a> {
        match self {
            Self::Text(text) => KeyPart::Text(text),
            Self::Id(id) => KeyPart::Id(id),
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
    /// The key of the entry of a record.
    /// `time` is the time of the record's last change.
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
            IndexKind::Holders => key(partition, family, &[value, KeyPart::Id(id)]),
            IndexKind::ByChange => key(
                partition,
                family,
                &[value, KeyPart::Time(time), KeyPart::Id(id)],
            ),
        }
    }

    /// The key of a record's entry, if it is in this index.
    pub(crate) fn entry(&self, partition: Uuid, record: &R) -> Option<Key> {
        let value = (self.of_record)(record)?;
        Some(self.key(partition, value, record.updated_at(), record.id().uuid()))
    }
}

/// An index of the records of a kind by the words of their names.
pub struct WordIndex<R: Record> {
    /// The entries.
    pub family: Family,
    /// Returns the name of a record.
    pub of_record: fn(&R) -> &str,
    /// Returns the words of a name, each once.
    pub words: fn(&str) -> Vec<String>,
    /// Returns the search of a list query.
    pub of_query: fn(&R::Query) -> Option<&str>,
}

impl<R: Record> WordIndex<R> {
    /// The keys of a record's entries.
    pub(crate) fn keys(&self, partition: Uuid, record: &R) -> Vec<Key> {
        let id = KeyPart::Id(record.id().uuid());
        let words = (self.words)((self.of_record)(record));
        let key = |word: &String| key(partition, self.family, &[KeyPart::Text(word), id]);
        words.iter().map(key).collect()
    }
}

/// A field with ids of another kind at the same location.
pub struct Reference<R: Record> {
    /// The name of the field in JSON.
    pub field: &'static str,
    /// Set when the field holds a list of ids.
    pub is_list: bool,
    /// The name of the other kind, as used in messages.
    pub name: &'static str,
    /// The rows of the other kind.
    pub rows: Family,
    /// The entries from an id to the records with the id.
    /// `None` if [`INDEXES`] has an index by the field.
    ///
    /// [`INDEXES`]: Record::INDEXES
    pub entries: Option<Family>,
    /// Returns the id at a place of a record's field, from 0.
    pub of_record: fn(&R, usize) -> Option<Uuid>,
    /// Returns the id at a place of a write's field, from 0.
    pub of_input: fn(&R::Input, usize) -> Option<Uuid>,
}

/// Declares a [`Reference`] by an indexed field with one id.
/// For example `reference!(category_id, Category)`.
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

/// Returns the id of a field with one id, if `place` is 0.
pub(crate) fn only<T>(id: Option<&Id<T>>, place: usize) -> Option<Uuid> {
    id.map(|id| id.uuid()).filter(|_| place == 0)
}

/// Returns the id at `place` of a list field.
pub(crate) fn nth<T>(ids: &[Id<T>], place: usize) -> Option<Uuid> {
    ids.get(place).map(|id| id.uuid())
}

impl<R: Record> Reference<R> {
    /// The keys of a record's reference entries.
    pub(crate) fn keys(&self, partition: Uuid, record: &R) -> impl Iterator<Item = Key> {
        let record_id = KeyPart::Id(record.id().uuid());
        let entries = self.entries.into_iter();
        entries.flat_map(move |family| {
            let ids = self.ids(record);
            ids.map(move |id| key(partition, family, &[KeyPart::Id(id), record_id]))
        })
    }

    /// The ids in the field of a record.
    pub(crate) fn ids(&self, record: &R) -> impl Iterator<Item = Uuid> {
        (0..).map_while(|place| (self.of_record)(record, place))
    }

    /// The ids in the field of a write.
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
