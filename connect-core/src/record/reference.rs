//! The references of a kind of record to records of other kinds, such as that of a product to its
//! category. Each is declared once; what writes look up and refuse, and what is checked, follows
//! from it.

use uuid::Uuid;

use super::{Record, keys::Family};

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
    /// Returns the ids that a record holds.
    pub of_record: fn(&R) -> &[Uuid],
    /// Returns the ids that a write gives the field.
    pub of_input: fn(&R::Input) -> &[Uuid],
}

impl<R: Record> Reference<R> {
    /// The path of the id at `place`.
    pub(crate) fn path(&self, place: usize) -> String {
        if self.is_list {
            format!("{}[{place}]", self.field)
        } else {
            self.field.to_owned()
        }
    }
}
