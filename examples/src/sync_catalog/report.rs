//! The report at the end.

use std::{
    fmt,
    io::{self, Write},
};

use connect_client::wire::{BatchStatus, ItemResult, ProductBatchResult};

use super::{BadRow, Row};

/// Writes what became of the menu: four counts, then a line for each row that is not there.
pub(super) fn write(
    output: &mut impl Write,
    result: &ProductBatchResult,
    rows: &[Row],
    skipped: &[BadRow],
) -> io::Result<()> {
    writeln!(output, "created    {:>6}", result.created)?;
    writeln!(output, "updated    {:>6}", result.updated)?;
    writeln!(output, "unchanged  {:>6}", result.unchanged)?;
    writeln!(output, "failed     {:>6}", result.failed)?;
    for item in result
        .results
        .iter()
        .filter(|item| item.status == BatchStatus::Failed)
    {
        writeln!(
            output,
            "  {}",
            Refused {
                item,
                row: rows.get(item.index)
            }
        )?;
    }
    if !skipped.is_empty() {
        writeln!(output, "skipped    {:>6}", skipped.len())?;
    }
    for bad in skipped {
        writeln!(output, "  {bad}")?;
    }
    output.flush()
}

/// An item that the service refused.
struct Refused<'a> {
    item: &'a ItemResult,
    row: Option<&'a Row>,
}

impl fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "line {}", row.line)?;
        }
        if let Some(id) = &self.item.external_id {
            write!(f, " ({id})")?;
        }
        match &self.item.error {
            Some(error) => write!(f, ": {}: {}", error.code, error.message),
            None => write!(f, ": no reason given"),
        }
    }
}
