//! Reading a menu from its file.

use std::{
    collections::{HashMap, hash_map},
    fs, io,
    path::{Path, PathBuf},
};

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::{BadRow, Column, ColumnsError, Row, columns::Places, lines::Lines};

/// A menu as its file has it.
#[derive(Debug, Default)]
pub struct Menu {
    /// The rows that can be sent, in the order of the file.
    pub rows: Vec<Row>,
    /// The rows that cannot.
    pub bad: Vec<BadRow>,
    /// Columns that are in the file and mean nothing here.
    pub unused: Vec<String>,
}

/// A file cannot be read as a menu at all.
#[derive(Debug, thiserror::Error)]
pub enum MenuError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has no first line.
    #[error("line 1: the file is empty; it begins with the names of its columns")]
    Empty,
    /// The first line does not name the columns.
    #[error("line 1: {0}")]
    Columns(#[from] ColumnsError),
    /// The text is not CSV.
    #[error("line {line}: {source}")]
    Csv {
        /// The line.
        line: usize,
        /// The reader's error.
        source: csv::Error,
    },
}

impl Menu {
    /// Reads the menu in a file.
    ///
    /// # Errors
    /// The file cannot be read, or its first line does not name the columns.
    pub fn read(path: &Path) -> Result<Self, MenuError> {
        let read = |source| MenuError::Read {
            path: path.into(),
            source,
        };
        Self::parse(&fs::read(path).map_err(read)?)
    }

    /// Reads a menu. Blanks around cells are taken off.
    ///
    /// # Errors
    /// The first line does not name the columns.
    pub fn parse(text: &[u8]) -> Result<Self, MenuError> {
        // Flexible: a row with too few cells is a bad row, and the next may be a good one.
        let mut builder = ReaderBuilder::new();
        let mut reader = builder
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(text);
        let mut lines = Lines::of(text);
        let mut record = ByteRecord::new();
        let mut read = |record: &mut ByteRecord| {
            let line = lines.line_at(reader.position().byte());
            let is_there = reader.read_byte_record(record);
            is_there
                .map(|is_there| is_there.then_some(line))
                .map_err(|source| MenuError::Csv { line, source })
        };
        read(&mut record)?.ok_or(MenuError::Empty)?;
        let places = Places::of(&record)?;
        let mut menu = Self::default();
        let mut lines_of_ids = HashMap::new();
        while let Some(line) = read(&mut record)? {
            match Row::read(&record, &places, line) {
                Ok(row) => menu.add(row, &mut lines_of_ids),
                Err(bad) => menu.bad.push(bad),
            }
        }
        menu.unused = places.unused;
        Ok(menu)
    }

    /// Adds a row, unless its code is that of an earlier one: one of the two would win, and every
    /// run would update the product twice.
    fn add(&mut self, row: Row, lines_of_ids: &mut HashMap<String, usize>) {
        let id = row.product.external_id.value().cloned().unwrap_or_default();
        match lines_of_ids.entry(id) {
            hash_map::Entry::Vacant(free) => {
                free.insert(row.line);
                self.rows.push(row);
            }
            hash_map::Entry::Occupied(earlier) => {
                let problem = format!("{:?} is on line {} already", earlier.key(), earlier.get());
                self.bad.push(BadRow {
                    line: row.line,
                    column: Some(Column::ExternalId),
                    problem,
                });
            }
        }
    }
}
