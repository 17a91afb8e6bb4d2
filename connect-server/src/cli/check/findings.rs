//! The findings of a check, and their JSON report.

use connect_core::{
    CheckReport,
    storage::{StorageError, disk::Report},
};
use serde::Serialize;
use serde_json::{Value, json};

/// The most listed repairs; further ones are only counted.
const LISTED: usize = 100;

/// The repairs.
#[derive(Default, Serialize)]
pub(super) struct Repairs {
    pub(super) count: u64,
    /// The first of them, each with its former problem.
    pub(super) lines: Vec<String>,
}

impl Repairs {
    /// Adds a repair.
    pub(super) fn add(&mut self, problem: &str, done: &str) {
        self.count += 1;
        if self.lines.len() < LISTED {
            self.lines.push(format!("{problem}: {done}"));
        }
    }
}

/// The findings of both checks.
pub(super) struct Findings {
    /// The store's own check, or the reason why it did not finish.
    pub(super) store: Result<Report, StorageError>,
    /// The core's check.
    pub(super) records: CheckReport,
    /// The repairs before it; `None` when none were asked for.
    pub(super) repairs: Option<Repairs>,
}

impl Findings {
    /// Returns whether both checks are clean.
    pub(super) fn is_clean(&self) -> bool {
        self.store.as_ref().is_ok_and(Report::is_clean) && self.records.is_clean()
    }

    /// Returns whether only a newer program can judge the rows.
    /// The store holds everything written, and some of it is unknown here.
    pub(super) fn needs_newer_program(&self) -> bool {
        !self.records.newer_kinds.is_empty() && self.store.as_ref().is_ok_and(Report::is_clean)
    }

    /// Returns the report as JSON.
    pub(super) fn to_json(&self) -> Value {
        let store = match &self.store {
            Ok(report) => of_store(report),
            Err(error) => json!({ "error": error.to_string() }),
        };
        let mut report = json!({
            "clean": self.is_clean(),
            "store": store,
            "records": self.records,
        });
        if let Some(repairs) = &self.repairs {
            report["repairs"] = json!(repairs);
        }
        report
    }
}

fn of_store(report: &Report) -> Value {
    let Report {
        rows,
        damaged,
        missing_parts,
        damaged_pages,
        keys,
        leftover,
        complete,
        unreachable,
    } = report;
    json!({
        "rows": rows,
        "damaged": damaged,
        "missingParts": missing_parts,
        "damagedPages": damaged_pages,
        "keys": keys,
        "leftover": leftover,
        "complete": complete,
        "unreachable": unreachable,
    })
}
