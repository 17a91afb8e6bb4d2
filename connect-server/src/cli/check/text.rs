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
const PROBLEMS: usize = 8;

/// The most lines of a report, whatever the damage.
const LINES: usize = 100;

/// The least lines for repairs, if there are so many.
const REPAIRS: usize = 20;

/// Writes a report of at most [`LINES`] lines.
/// The findings and the advice are written whole. The repairs and the families share the other lines.
pub(super) fn write(
    output: &mut dyn Write,
    choice: &StorageChoice,
    findings: &Findings,
) -> io::Result<()> {
    let (records, repairs) = (&findings.records, &findings.repairs);
    let place = one_line(&match choice.path() {
        Some(path) => path.display().to_string(),
        None => choice.to_string(),
    });
    let mut rest = Vec::new();
    write_findings(&mut rest, choice, &place, findings)?;
    let families = records.families.iter();
    let mut families: Vec<_> = families
        .map(|(family, count)| format!("{count:>12} {family}"))
        .collect();
    families.extend(
        records.newer_kinds.iter().map(|(kind, count)| {
            format!("{count:>12} of a kind of row of a newer program ({kind})")
        }),
    );
    let heads = 1 + usize::from(repairs.is_some());
    let rest_lines = rest.iter().filter(|byte| **byte == b'\n').count();
    let left = LINES.saturating_sub(heads + rest_lines);
    let repaired = repairs
        .as_ref()
        .map_or(0, |repairs| repairs.lines.len() + 1);
    let for_families = left - left.min(repaired.min(REPAIRS));
    if let Some(repairs) = repairs {
        writeln!(output, "Repairs: {}", repairs.count)?;
        let lines = repairs.lines.iter().map(|line| format!("  {line}"));
        let room = left - families.len().min(for_families);
        write_first(output, &lines.collect::<Vec<_>>(), repairs.count, room)?;
    }
    writeln!(output, "{place}: {} rows", records.rows)?;
    write_first(output, &families, families.len() as u64, for_families)?;
    output.write_all(&rest)
}

/// Writes the first of `count` lines, and the number left.
fn write_first(
    output: &mut dyn Write,
    lines: &[String],
    count: u64,
    room: usize,
) -> io::Result<()> {
    let is_all = lines.len() as u64 == count && lines.len() <= room;
    let shown = if is_all {
        lines.len()
    } else {
        lines.len().min(room.saturating_sub(1))
    };
    for line in &lines[..shown] {
        writeln!(output, "{}", one_line(line))?;
    }
    if !is_all {
        writeln!(output, "  and {} more", count - shown as u64)?;
    }
    Ok(())
}

/// Replaces line breaks and other control characters.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Writes the findings and the advice.
fn write_findings(
    output: &mut dyn Write,
    choice: &StorageChoice,
    place: &str,
    findings: &Findings,
) -> io::Result<()> {
    let Findings {
        store,
        records,
        repairs,
    } = findings;
    if findings.is_clean() {
        return writeln!(output, "No problems.");
    }
    writeln!(output)?;
    match store {
        Ok(report) => write_store(output, report)?,
        Err(error) => {
            let error = one_line(&error.to_string());
            writeln!(output, "The check of the database has failed: {error}")?;
        }
    }
    if records.problem_count > 0 {
        let count = records.problem_count;
        let problems = if count == 1 { "problem" } else { "problems" };
        writeln!(output, "{count} {problems} in records:")?;
    }
    for problem in records.problems.iter().take(PROBLEMS) {
        let kind = serde_json::to_value(problem.kind)?;
        let kind = kind.as_str().unwrap_or_default();
        write!(output, "  {kind}: {}", one_line(&problem.message))?;
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
