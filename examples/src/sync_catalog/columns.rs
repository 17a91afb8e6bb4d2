//! The columns of a menu.

use csv::ByteRecord;

/// A column that a menu has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The shop's own article code.
    ExternalId,
    /// The name of the article.
    Name,
    /// The name of its category.
    Category,
    /// Its price in cents, VAT included.
    PriceCents,
    /// Its VAT rate in percent.
    VatRate,
    /// Its barcode.
    Barcode,
}

/// Every column of a menu, as the first line names it.
pub const COLUMNS: [(Column, &str); 6] = [
    (Column::ExternalId, "externalId"),
    (Column::Name, "name"),
    (Column::Category, "category"),
    (Column::PriceCents, "priceCents"),
    (Column::VatRate, "vatRate"),
    (Column::Barcode, "barcode"),
];

impl Column {
    /// The column's name in the file.
    pub fn name(self) -> &'static str {
        COLUMNS[self as usize].1
    }
}

/// The first line of a file does not name the columns of a menu.
#[derive(Debug, thiserror::Error)]
pub enum ColumnsError {
    /// It does not name every column.
    #[error("no column {missing}; found {found}")]
    Missing {
        /// The columns that are not there.
        missing: String,
        /// The text of the line.
        found: String,
    },
    /// It names a column twice.
    #[error("the column {0} is there twice")]
    Twice(&'static str),
}

/// The place of each column in a record.
pub(super) struct Places {
    places: [usize; COLUMNS.len()],
    /// The number of columns of the file.
    pub(super) width: usize,
    /// Columns that are in the file and in no menu.
    pub(super) unused: Vec<String>,
}

impl Places {
    /// Finds the columns in the first record of a file.
    pub(super) fn of(header: &ByteRecord) -> Result<Self, ColumnsError> {
        let found: Vec<_> = header.iter().map(String::from_utf8_lossy).collect();
        let mut places = [0; COLUMNS.len()];
        let mut missing = Vec::new();
        for (place, (_, name)) in places.iter_mut().zip(COLUMNS) {
            let mut at = found.iter().enumerate().filter(|(_, found)| *found == name);
            match (at.next(), at.next()) {
                (Some((first, _)), None) => *place = first,
                (Some(_), Some(_)) => return Err(ColumnsError::Twice(name)),
                (None, _) => missing.push(name),
            }
        }
        if !missing.is_empty() {
            return Err(ColumnsError::Missing {
                missing: missing.join(", "),
                found: found.join(" | "),
            });
        }
        let is_unused = |name: &&_| COLUMNS.iter().all(|(_, known)| *name != known);
        let unused = found
            .iter()
            .filter(is_unused)
            .map(|name| name.to_string())
            .collect();
        Ok(Self {
            places,
            width: found.len(),
            unused,
        })
    }

    /// The cell of a column in a record that has all of them.
    pub(super) fn cell<'r>(&self, record: &'r ByteRecord, column: Column) -> &'r [u8] {
        record.get(self.places[column as usize]).unwrap_or_default()
    }
}
