//! The report of a check, for each kind of finding.

use std::{collections::BTreeMap, fmt::Write as _};

use connect_core::{
    CheckReport, Error, Problem, ProblemKind,
    storage::{StorageError, disk::Report},
};
use uuid::Uuid;

use super::{Use, findings::*, not_checked, outcome, text};
use crate::{cli::StorageChoice, commands::transcripts};

/// The records of a store with so many problems, of these kinds in turn.
fn records(count: u64, kinds: &[ProblemKind]) -> CheckReport {
    let problem = |number: usize| Problem {
        kind: kinds[number % kinds.len()],
        location: (number % 2 == 1).then_some(Uuid::from_u128(7)),
        key: format!("0x{number:02x}"),
        message: format!("problem {number}"),
    };
    CheckReport {
        rows: 1234,
        families: BTreeMap::from([("Account", 1), ("Product", 1233)]),
        problem_count: count,
        problems: (0..count.min(1000) as usize).map(problem).collect(),
        ..CheckReport::default()
    }
}

#[test]
fn a_report_says_what_to_do() {
    use ProblemKind::*;
    const LEFT: &[ProblemKind] = &[
        Unreadable,
        BadRow,
        StrayEntry,
        MissingReference,
        BrokenEvents,
        Count,
        NoOwner,
        UnknownKey,
    ];
    let clean = || Ok(Report::default());
    let keys = |count: usize| (0..count).map(|key| format!("0x{key:02x}")).collect();
    let damaged = Report {
        damaged: 1,
        missing_parts: 2,
        unreachable: 4,
        damaged_pages: 3,
        keys: keys(7),
        leftover: 9,
        complete: Some(false),
        rows: 1234,
    };
    let five = Report {
        damaged: 5,
        keys: keys(5),
        complete: Some(true),
        ..Report::default()
    };
    let mut repaired = Repairs::default();
    for number in 0..102 {
        repaired.add(&format!("problem {number}"), "mended");
    }
    let mut one_repaired = Repairs::default();
    one_repaired.add("a problem", "mended");
    let newer = CheckReport {
        newer_kinds: BTreeMap::from([("0xD0".to_owned(), 3)]),
        ..records(1, &[UnknownKey])
    };
    let failed = || Err(StorageError::new("the disk is gone"));
    let redb = StorageChoice::Redb("/data/store".into());
    let postgres = StorageChoice::Postgres("postgres://db/shop".parse().unwrap());
    let rows = [
        ("clean", &redb, clean(), records(0, &[BadRow]), None),
        ("one problem", &redb, clean(), records(1, &[BadRow]), None),
        ("8 problems", &redb, clean(), records(8, &[BadRow]), None),
        (
            "1002 problems, on PostgreSQL",
            &postgres,
            clean(),
            records(1002, &[Count]),
            None,
        ),
        ("damaged", &redb, Ok(damaged), records(0, &[BadRow]), None),
        (
            "five unreadable rows",
            &redb,
            Ok(five),
            records(0, &[BadRow]),
            None,
        ),
        (
            "the store's check fails",
            &redb,
            failed(),
            records(0, &[BadRow]),
            None,
        ),
        ("of a newer program", &redb, clean(), newer.clone(), None),
        (
            "of a newer program, and failed",
            &redb,
            failed(),
            newer,
            None,
        ),
        (
            "an unfinished import",
            &redb,
            clean(),
            records(1, &[UnfinishedImport]),
            None,
        ),
        (
            "repaired",
            &redb,
            clean(),
            records(0, &[BadRow]),
            Some(one_repaired),
        ),
        (
            "repaired in part",
            &redb,
            clean(),
            records(8, LEFT),
            Some(repaired),
        ),
    ];
    let mut all = String::new();
    for (name, choice, store, records, repairs) in rows {
        let findings = Findings {
            store,
            records,
            repairs,
        };
        let mut report = Vec::new();
        text::write(&mut report, choice, &findings).unwrap();
        let report = String::from_utf8(report).unwrap();
        let mut json = findings.to_json();
        json["records"].take();
        let (code, status) = outcome(&findings);
        let _ = write!(
            all,
            "# {name}\n\n{report}\n{json}\n\nexit code {code}, audit {status}\n\n"
        );
    }
    let unreadable = || {
        Ok(Report {
            damaged_pages: 1,
            ..Report::default()
        })
    };
    let failure = Error::from(StorageError::new("no room"));
    all += "# not checked\n\n";
    for purpose in [Use::Check, Use::Repair] {
        for store in [clean(), unreadable(), failed()] {
            let reason = not_checked(purpose, &store, &failure);
            let _ = writeln!(all, "{}: {reason}", purpose.command());
        }
    }
    transcripts::assert_is(&all, "src/cli/check/reports.txt");
}

/// Whatever is found, the findings and the advice are whole, and the rest is cut to a hundred lines.
#[test]
fn a_report_is_short() {
    use ProblemKind::*;
    const KINDS: &[ProblemKind] = &[
        Unreadable,
        UnknownKey,
        BadRow,
        MissingEntry,
        StrayEntry,
        MissingReference,
        DeletedAndThere,
        BrokenEvents,
        ClockBehind,
        Count,
        NoOwner,
    ];
    let choices = [
        StorageChoice::Redb("/data/a\nstore".into()),
        StorageChoice::Postgres("postgres://db/shop".parse().unwrap()),
    ];
    let report = |found: u64| Report {
        damaged: found,
        damaged_pages: found,
        keys: (0..found.min(1000)).map(|key| format!("0x{key}")).collect(),
        complete: Some(found == 0),
        ..Report::default()
    };
    let stores = [
        Ok(report(0)),
        Ok(report(1_000_000)),
        Err(StorageError::new("a\nb\n".repeat(500))),
    ];
    for store in stores {
        for (families, newer) in [(1, 0), (71, 0), (71, 185)] {
            for problems in [0, 7, 8, 9, 1_000_000] {
                for repaired in [None, Some(0), Some(1), Some(25), Some(5000)] {
                    let mut records = records(problems, KINDS);
                    records.families = (0..families)
                        .map(|number| (&*format!("Family{number}").leak(), number))
                        .collect();
                    records.newer_kinds = (0..newer).map(|kind| (kind.to_string(), 1)).collect();
                    for problem in &mut records.problems {
                        problem.message += "\n and more\r\n";
                    }
                    let repairs = repaired.map(|count: u64| {
                        let mut repairs = Repairs::default();
                        (0..count).for_each(|_| repairs.add("a\nproblem", "mended"));
                        repairs
                    });
                    let findings = Findings {
                        store: store.clone(),
                        records,
                        repairs,
                    };
                    for choice in &choices {
                        let mut report = Vec::new();
                        text::write(&mut report, choice, &findings).unwrap();
                        let report = String::from_utf8(report).unwrap();
                        assert!(report.lines().count() <= 100, "{report}");
                        let end = report.lines().last().unwrap();
                        let advice = [
                            "No problems.",
                            "A newer",
                            "Restore",
                            "restore",
                            "Keep this report",
                        ];
                        assert!(advice.iter().any(|text| end.contains(text)), "{report}");
                        let is_cut = report
                            .lines()
                            .any(|line| line.starts_with("  and ") && line.ends_with(" more"));
                        let is_long = families + newer + repaired.unwrap_or(0) > 60;
                        assert!(!is_cut || is_long, "{report}");
                    }
                }
            }
        }
    }
}
