//! The version of rows, raised by each new kind of row or field.
//!
//! | number | oldest program | change |
//! |---|---|---|
//! | 1 | 1 | the rows of stores without a number |
//! | 2 | 2 | the numbers; the mark of a restored store; the lead of a sandbox's clock |
//! | 3 | 3 | the progress of migrations; counts in the clock of every location with rows |
//! | 4 | 4 | users of accounts, with sign-ins of their own; the audit trail, and its last entry in each clock; erasures and retention |
//! | 5 | 5 | the words of names; the articles of days; the last requests of tokens; minimums of stock |
//!
//! A program has the number of its newest line, [`RowsVersion::THIS`]. A folder, a database and an
//! export hold two numbers: the newest program with writes in it, and the oldest program able to
//! work with all of it. An older program refuses: when it rewrote a row, it would drop the fields
//! unknown to it, and index entries.
//!
//! The changes of one release share a line. The first change after a release adds one, raises
//! [`RowsVersion::THIS`], and says which is the oldest program that may write beside it. That is the number
//! itself, unless rows of the new kind may be ignored, and left behind, by all others. `tests/integrity/kinds.rs`
//! holds the families and the fields of rows against a file with the number in its name.

use serde::{Deserialize, Serialize};

/// The version of the rows in a store or a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default = "first")]
pub struct RowsVersion {
    /// The number of the newest program with writes in the store.
    pub written_by: u32,
    /// The oldest program able to read all of it, and write beside it.
    pub oldest_reader: u32,
}

/// The version of a program without a recorded one.
fn first() -> RowsVersion {
    RowsVersion::FIRST
}

/// The error for rows of a newer program, unknown to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a newer program has written kinds of rows that this one does not know (version {}; this program reads up \
     to {}): use that program, or a newer one",
    found.oldest_reader,
    RowsVersion::THIS.written_by
)]
pub struct NewerRows {
    /// The version of the rows.
    pub found: RowsVersion,
}

impl RowsVersion {
    /// The version of the rows written by this program.
    pub const THIS: Self = Self {
        written_by: 5,
        oldest_reader: 5,
    };

    /// The version of stores without a number.
    pub const FIRST: Self = Self {
        written_by: 1,
        oldest_reader: 1,
    };

    /// Checks whether this program may work with such rows.
    ///
    /// # Errors
    /// [`NewerRows`].
    pub fn check(self) -> Result<(), NewerRows> {
        if self.oldest_reader > Self::THIS.written_by {
            return Err(NewerRows { found: self });
        }
        Ok(())
    }

    /// The version after a write by this program.
    #[must_use]
    pub fn written_to(self) -> Self {
        Self {
            written_by: self.written_by.max(Self::THIS.written_by),
            oldest_reader: self.oldest_reader.max(Self::THIS.oldest_reader),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THIS: RowsVersion = RowsVersion::THIS;

    fn version(written_by: u32, oldest_reader: u32) -> RowsVersion {
        RowsVersion {
            written_by,
            oldest_reader,
        }
    }

    /// Keeps the table in the module's documentation up to date.
    #[test]
    fn the_table_ends_with_the_number_of_this_program() {
        let lines = include_str!("rows_version.rs").lines();
        let rows = lines.filter_map(|line| line.strip_prefix("//! | "));
        let numbers: Vec<RowsVersion> = rows
            .filter_map(|row| {
                let mut cells = row.split(" | ").map(str::parse);
                Some(version(cells.next()?.ok()?, cells.next()?.ok()?))
            })
            .collect();
        assert_eq!(numbers.first(), Some(&RowsVersion::FIRST));
        assert_eq!(numbers.last(), Some(&THIS));
        for (number, row) in (1..).zip(&numbers) {
            assert_eq!(row.written_by, number);
            assert!(row.oldest_reader <= number, "{row:?}");
        }
    }

    #[test]
    fn only_what_needs_a_newer_program_is_refused() {
        let next = THIS.written_by + 1;
        for (found, is_readable) in [
            (RowsVersion::FIRST, true),
            (THIS, true),
            (version(next, THIS.written_by), true),
            (version(next, next), false),
        ] {
            assert_eq!(found.check().is_ok(), is_readable, "{found:?}");
        }
        let text = version(next, next).check().unwrap_err().to_string();
        assert!(text.contains(&format!("version {next}; this")), "{text}");
    }

    #[test]
    fn writing_lowers_no_number() {
        let next = THIS.written_by + 1;
        assert_eq!(RowsVersion::FIRST.written_to(), THIS);
        assert_eq!(THIS.written_to(), THIS);
        assert_eq!(
            version(next, 1).written_to(),
            version(next, THIS.oldest_reader)
        );
    }
}
