//! The result of a check.

use std::collections::BTreeMap;

use serde::Serialize;
use uuid::Uuid;

use crate::transaction::{ReadKey, keys::Owner};

/// The most problems that are listed; further ones are only counted.
const LISTED: usize = 1000;

/// The progress of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckProgress {
    /// Rows that were checked so far.
    pub rows: u64,
    /// Problems that were found so far.
    pub problems: u64,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Rows that were checked, the unreadable ones included.
    pub rows: u64,
    /// The same per family of rows, such as `Product` or `ProductByBarcode`.
    pub families: BTreeMap<&'static str, u64>,
    /// The same per kind of row of a newer program, such as `0xD0`. Of these rows nothing is known, and what
    /// they would explain in others may be among the problems: check the store with that program.
    pub newer_kinds: BTreeMap<String, u64>,
    /// The number of problems.
    pub problem_count: u64,
    /// The first 1000 of them, in the order of their rows.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// Returns whether everything was checked, and nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problem_count == 0 && self.newer_kinds.is_empty()
    }

    pub(super) fn add(&mut self, problems: Vec<Problem>) {
        self.problem_count += problems.len() as u64;
        let room = LISTED.saturating_sub(self.problems.len());
        self.problems.extend(problems.into_iter().take(room));
    }
}

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The location whose row it is; `None` for rows of accounts and of nobody.
    pub location: Option<Uuid>,
    /// The key of the row that is wrong or missing, in hexadecimal digits.
    pub key: String,
    /// The problem in a sentence that names the records.
    pub message: String,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, key: &[u8], message: impl Into<String>) -> Self {
        let of_location = |key: &ReadKey| {
            let owner = key.family.owner();
            matches!(owner, Owner::Location | Owner::Any)
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
    /// The storage cannot return the row: its checksum does not hold, say.
    Unreadable,
    /// No row has such a key: it has another shape than those of its family.
    UnknownKey,
    /// The row is not what its family holds, or contradicts its own key.
    BadRow,
    /// A row has no entry in an index.
    MissingEntry,
    /// An index entry leads to no row, or to one that does not have it.
    StrayEntry,
    /// A row refers to another that is not there.
    MissingReference,
    /// A record is both there and deleted.
    DeletedAndThere,
    /// An event is missing, or is not later than the one before.
    BrokenEvents,
    /// The clock of a location is missing, or behind its records.
    ClockBehind,
    /// An index has another number of entries than there are rows.
    Count,
    /// The rows belong to a location that no account has.
    NoOwner,
    /// The store holds a part of a file: an import did not finish.
    UnfinishedImport,
}
