//! The report of a check for people.

use std::io::{self, Write};

use connect_core::{Problem, ProblemKind, storage::disk::Report};

use super::findings::Findings;
use crate::cli::StorageChoice;

/// The most keys of unreadable rows that are printed; all of the first thousand are in the JSON.
const KEYS: usize = 5;

/// The most problems that are printed, in two lines each. With a line for each family of rows, a
/// report has at most a hundred lines.
const PROBLEMS: usize = 8;

pub(super) fn write(
    output: &mut dyn Write,
    choice: &StorageChoice,
    findings: &Findings,
) -> io::Result<()> {
    let Findings { store, records } = findings;
    let place = match choice.path() {
        Some(path) => path.display().to_string(),
        None => choice.to_string(),
    };
    writeln!(output, "{place}: {} rows", records.rows)?;
    for (family, count) in &records.families {
        writeln!(output, "{count:>12} {family}")?;
    }
    for (kind, count) in &records.newer_kinds {
        writeln!(
            output,
            "{count:>12} of a kind of row of a newer program ({kind})"
        )?;
    }
    if findings.is_clean() {
        return writeln!(output, "No problems.");
    }
    writeln!(output)?;
    match store {
        Ok(report) => write_store(output, report)?,
        Err(error) => writeln!(output, "The check of the database has failed: {error}")?,
    }
    if records.problem_count > 0 {
        writeln!(output, "{} problems in records:", records.problem_count)?;
    }
    for problem in records.problems.iter().take(PROBLEMS) {
        let kind = serde_json::to_value(problem.kind)?;
        let kind = kind.as_str().unwrap_or_default();
        write!(output, "  {kind}: {}", problem.message)?;
        if let Some(location) = problem.location {
            write!(output, " (location {location})")?;
        }
        writeln!(output, "\n    row {}", problem.key)?;
    }
    let printed = records.problems.len().min(PROBLEMS) as u64;
    if records.problem_count > printed {
        let more = records.problem_count - printed;
        writeln!(output, "  and {more} more; --json lists the first 1000")?;
    }
    if findings.needs_newer_program() {
        return writeln!(
            output,
            "\nA newer program has written to this store, and this one cannot check what it does not know: \
             check it with the program that serves it. Do not restore a copy for what is said above."
        );
    }
    let is_unfinished = |problem: &Problem| problem.kind == ProblemKind::UnfinishedImport;
    if records.problems.iter().any(is_unfinished) {
        return writeln!(
            output,
            "\nThe rest of its file is missing: give the command that did not finish again with the same file, or \
             begin with a new store."
        );
    }
    if choice.is_shared() {
        return writeln!(
            output,
            "\nServers that were at work meanwhile may be the cause: stop them, and check again. If \
             the problems stay, restore the database from a backup without them. Without one, keep it as \
             it is and this report: records that are named here may be missing or wrong, all others can \
             be read."
        );
    }
    writeln!(
        output,
        "\nRestore the whole folder from a copy without problems: stop the server, put the copy in \
         place of {place}, and check that. Without a copy, keep this folder as it is and this report: \
         records that are named here may be missing or wrong, all others can be read."
    )
}

/// Writes the findings of the store's own check.
fn write_store(output: &mut dyn Write, report: &Report) -> io::Result<()> {
    let unreadable = report.damaged + report.missing_parts + report.unreachable;
    if unreadable > 0 {
        writeln!(output, "{unreadable} rows are not as they were written:")?;
        for key in report.keys.iter().take(KEYS) {
            writeln!(output, "    row {key}")?;
        }
        let more = unreadable.saturating_sub(KEYS as u64);
        if more > 0 {
            writeln!(output, "    and {more} more; --json lists the first 1000")?;
        }
    }
    if report.damaged_pages > 0 {
        let pages = report.damaged_pages;
        writeln!(
            output,
            "Damaged pages of the database's file: {pages}. Their rows cannot be read."
        )?;
    }
    if report.complete == Some(false) {
        writeln!(output, "The rows are not those that the last commit left.")?;
    }
    Ok(())
}
