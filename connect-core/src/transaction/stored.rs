//! The declaration of a stored row: its index entries and its references.
//! The check follows both ways between a row and its entries.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Row, key_parts::ReadKey, keys::Family, keys_of};
use crate::{
    storage::{Entry, Value},
    wire::Timestamp,
};

/// A kind of stored row with index entries.
pub(crate) trait Stored: DeserializeOwned {
    /// The family of the rows.
    const FAMILY: Family;
    /// The kind of record to repair when an entry leads to a missing row.
    const RECORD: Option<Family> = None;
    /// The entries of the words of their names.
    const WORD_ENTRIES: Option<Family> = None;

    /// The relations of a row under the key `at`.
    fn relations(&self, at: &ReadKey) -> Relations;
}

/// The relations of a stored row to other rows.
#[derive(Default)]
pub(crate) struct Relations {
    /// The fault of a row under the key of another one.
    pub(crate) misplaced: Option<String>,
    /// The name of the row in messages.
    pub(crate) name: String,
    /// The time of its last change, if the clock has it.
    pub(crate) changed_at: Option<Timestamp>,
    /// The entries that follow from the row alone, with their values.
    pub(crate) entries: Vec<Entry>,
    /// Its references to records of other kinds, with the names of the kinds.
    pub(crate) references: Vec<(Family, &'static str, Uuid)>,
}

impl Relations {
    /// The relations of a row with this name in messages.
    pub(crate) fn named(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// The relations of a row under its id, with its entries in list order.
    /// `noun` is the word for such a row.
    pub(crate) fn of_row<R: Row>(
        row: &R,
        (name, noun): (&str, &str),
        changed_at: Timestamp,
        at: &ReadKey,
    ) -> Self {
        let (own, entries) = keys_of(at.partition, row);
        let id = ReadKey::of(&own)
            .and_then(|own| own.id())
            .unwrap_or_default();
        Self {
            misplaced: another(id, noun, at),
            name: format!("{name} {id}"),
            changed_at: Some(changed_at),
            entries: entries.map(|entry| (entry, Value::default())).collect(),
            references: Vec::new(),
        }
    }
}

/// The fault of a row with `id` under the key of another one.
pub(crate) fn another(id: Uuid, noun: &str, at: &ReadKey) -> Option<String> {
    (at.id() != Some(id)).then(|| format!("the row holds {id}, which is another {noun}"))
}

/// A kind of stored row, as data.
pub(crate) struct StoredKind {
    /// The family of the rows.
    pub(crate) family: Family,
    /// See [`Stored::RECORD`].
    pub(crate) record: Option<Family>,
    /// See [`Stored::WORD_ENTRIES`].
    pub(crate) word_entries: Option<Family>,
    /// Reads the relations of a row.
    pub(crate) relations: fn(&ReadKey, &[u8]) -> serde_json::Result<Relations>,
}

impl StoredKind {
    /// The data of a kind.
    pub(crate) const fn of<T: Stored>() -> Self {
        Self {
            family: T::FAMILY,
            record: T::RECORD,
            word_entries: T::WORD_ENTRIES,
            relations: |at, row| Ok(serde_json::from_slice::<T>(row)?.relations(at)),
        }
    }
}
