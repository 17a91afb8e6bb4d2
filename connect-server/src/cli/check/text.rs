//! The report of a check as text.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use connect_core::{CheckReport, Problem, ProblemKind, storage::disk::Report};

use super::findings::Findings;
use crate::cli::StorageChoice;

/// The most keys of unreadable rows printed.
/// The JSON has the first thousand.
const KEYS: usize = 5;

/// The most problems printed, in two lines each.
/// With a line for each family of rows, a report has at most a hundred lines.
const PROBLEMS: usize = 8;

pub(super) fn write(
    output: &mut dyn Write,
    choice: &StorageChoice,
    findings: &Findings,
) -> io::Result<()> {
    let Findings {
        store,
        records,
        repairs,
    } = findings;
    let place = match choice.path() {
        Some(path) => path.display().to_string(),
        None => choice.to_string(),
    };
    if let Some(repairs) = repairs {
        writeln!(output, "Repairs: {}", repairs.count)?;
        for line in &repairs.lines {
            writeln!(output, "  {line}")?;
        }
        let more = repairs.count - repairs.lines.len() as u64;
        if more > 0 {
            writeln!(output, "  and {more} more")?;
        }
    }
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
        let count = records.problem_count;
        let problems = if count == 1 { "problem" } else { "problems" };
        writeln!(output, "{count} {problems} in records:")?;
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
            "\nA newer program has written to this store, and this one cannot check rows that it \
             does not know: check the store with the program that serves it. Do not restore a \
             copy because of this report."
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
    if repairs.is_some() {
        return write_left(output, records);
    }
    if choice.is_shared() {
        return writeln!(
            output,
            "\nServers that ran during the check may be the cause: stop them, and check again. If the \
             problems stay, restore the database from a backup without them. Without one, keep a copy of it \
             as it is and this report, and run connect-server repair: records that are named here may be \
             missing or wrong, all other records can be read."
        );
    }
    writeln!(
        output,
        "\nRestore the whole folder from a copy without problems: stop the server, put the copy in place of \
         {place}, and check that. Without a copy, keep one of this folder as it is and this report, and run \
         connect-server repair: records that are named here may be missing or wrong, all other records can be \
         read."
    )
}

/// Writes the meaning of the problems left after a repair.
fn write_left(output: &mut dyn Write, records: &CheckReport) -> io::Result<()> {
    writeln!(output, "\nThe remaining problems cannot be repaired:")?;
    let kinds = records.problems.iter().map(|problem| problem.kind);
    for kind in kinds.collect::<BTreeSet<_>>() {
        writeln!(output, "  {}", meaning(kind))?;
    }
    writeln!(
        output,
        "Keep this report. Records that are not named in it are whole. A copy from before the damage has the \
         lost records."
    )
}

/// The meaning of a remaining problem, for the owner of the shop.
fn meaning(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Unreadable => {
            "unreadable: these rows cannot be read. Without a copy, keep one of the folder as it is, create an \
             empty file connect.accept-loss in the folder of the store, and give this command again."
        }
        ProblemKind::BadRow | ProblemKind::StrayEntry => {
            "badRow, strayEntry: receipts, Z reports or stock movements are lost, or a row is \
             wrong. Existing sums of days, registers and stock were kept, so they still count the \
             lost rows."
        }
        ProblemKind::MissingReference => {
            "missingReference: a row names another that is lost, and is whole otherwise. Without \
             its account, a token, a screen or a password does not work."
        }
        ProblemKind::BrokenEvents => {
            "brokenEvents: events are lost. Software that follows them has to read everything again."
        }
        ProblemKind::Count => {
            "count: rows are lost without a trace. Receipts and orders have a gap in their \
             numbers."
        }
        ProblemKind::NoOwner => {
            "noOwner: the row of an account is lost. The rows of its locations remain, but cannot \
             be reached."
        }
        _ => "Other rows are wrong, and were not changed.",
    }
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
        writeln!(
            output,
            "The rows differ from the state after the last commit."
        )?;
    }
    Ok(())
}
