//! The result of a check.

use std::collections::BTreeMap;

use serde::Serialize;
use uuid::Uuid;

use crate::transaction::{
    ReadKey,
    keys::{GLOBAL, PartitionOwner},
};

/// The most problems in the list; further ones are only counted.
const LISTED: usize = 1000;

/// The progress of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckProgress {
    /// The number of rows checked so far.
    pub rows: u64,
    /// The number of problems found so far.
    pub problems: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The number of checked rows, including unreadable ones.
    pub rows: u64,
    /// The same per family of rows, such as `Product` or `ProductByBarcode`.
    pub families: BTreeMap<&'static str, u64>,
    /// The same per row kind of a newer program, such as `0xD0`.
    /// These rows are not checked, and problems may be listed only because of them: check the store with
    /// that program.
    pub newer_kinds: BTreeMap<String, u64>,
    /// The number of problems.
    pub problem_count: u64,
    /// The first 1000 of them, in the order of their rows.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// Returns whether all rows were checked, without a problem.
    pub fn is_clean(&self) -> bool {
        self.problem_count == 0 && self.newer_kinds.is_empty()
    }

    pub(super) fn add(&mut self, problems: Vec<Problem>) {
        self.problem_count += problems.len() as u64;
        let room = LISTED.saturating_sub(self.problems.len());
        self.problems.extend(problems.into_iter().take(room));
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The location of the row; `None` for account and global rows.
    pub location: Option<Uuid>,
    /// The key of the wrong or missing row, in hexadecimal digits.
    pub key: String,
    /// The problem in a sentence, with the names of the records.
    pub message: String,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, key: &[u8], message: impl Into<String>) -> Self {
        let of_location = |key: &ReadKey| {
            let owner = key.family.owner();
            key.partition != GLOBAL
                && matches!(owner, PartitionOwner::Location | PartitionOwner::Any)
        };
        Self {
            kind,
            location: ReadKey::of(key)
                .filter(of_location)
                .map(|key| key.partition),
            key: hex::encode(key),
            message: message.into(),
        }
    }
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemKind {
    /// The storage cannot return the row. Its checksum may be wrong.
    Unreadable,
    /// The key does not have the form of its family.
    UnknownKey,
    /// The content of the row is wrong for its family or its key.
    BadRow,
    /// A row has no entry in an index.
    MissingEntry,
    /// An index entry leads to no row, or to a wrong one.
    StrayEntry,
    /// A row refers to a missing row.
    MissingReference,
    /// A record exists and has a tombstone.
    DeletedAndThere,
    /// An event is missing, or earlier than the previous one.
    BrokenEvents,
    /// The clock of a location or account is missing, or behind its records.
    ClockBehind,
    /// A count of rows, index entries or bytes is wrong.
    Count,
    /// The rows belong to a location without an account.
    NoOwner,
    /// The store holds a part of a file: an import did not finish.
    UnfinishedImport,
}
