//! The indexes of a kind of record. Each is declared once; how records are saved, listed, matched
//! by batches and checked follows from it.

use uuid::Uuid;

use super::{
    Record,
    keys::{Family, Part, key},
};
use crate::{
    storage::Key,
    wire::{Id, Timestamp},
};

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
