//! Findings about rows, as they are noted.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Problem, ProblemKind, claim::Claim, partition::Partition};
use crate::{
    storage::{Key, Value},
    wire::Timestamp,
};

/// Findings in some rows of a partition, before anything else was read.
pub(super) struct Findings {
    /// The key of the row that is looked at.
    key: Key,
    /// The facts about the partition as a whole, as far as it was seen.
    pub(super) partition: Partition,
    pub(super) problems: Vec<Problem>,
    pub(super) claims: Vec<Claim>,
}

impl Findings {
    /// No findings yet. `partition` is what was found in the rows before these.
    pub(super) fn new(partition: Partition) -> Self {
        Self {
            key: Key::default(),
            partition,
            problems: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Goes on to the row at `key`: what is noted from here on is about it.
    pub(super) fn next_row(&mut self, key: &Key) {
        self.key = key.clone();
    }

    /// The key of the row that is looked at.
    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    /// Notes a problem of this row.
    pub(super) fn problem(&mut self, kind: ProblemKind, message: String) {
        self.problems.push(Problem::new(kind, &self.key, message));
    }

    /// Notes that the row is not what its family holds.
    pub(super) fn bad(&mut self, message: String) {
        self.problem(ProblemKind::BadRow, message);
    }

    /// Notes a claim of this row.
    pub(super) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Notes that this row refers to the one at `on`.
    pub(super) fn refers(&mut self, on: Key, message: String) {
        let claim = Claim::there(on, ProblemKind::MissingReference, message);
        self.claims.push(claim.reported_as(&self.key));
    }

    /// Notes that the partition has a record of this time.
    pub(super) fn changed(&mut self, time: Timestamp) {
        self.partition.changed(time, &self.key);
    }

    /// The row as JSON.
    pub(super) fn parse<T: DeserializeOwned>(&mut self, row: &Value) -> Option<T> {
        match serde_json::from_slice(row) {
            Ok(parsed) => Some(parsed),
            Err(reason) => {
                self.bad(format!("the row cannot be parsed: {reason}"));
                None
            }
        }
    }

    /// The id that the row holds.
    pub(super) fn id(&mut self, row: &Value) -> Option<Uuid> {
        let id = Uuid::from_slice(row).ok();
        if id.is_none() {
            self.bad("the row holds no id".to_owned());
        }
        id
    }

    /// Checks that the row holds nothing.
    pub(super) fn is_empty(&mut self, row: &Value) {
        if !row.is_empty() {
            self.bad("the row holds something, and should be empty".to_owned());
        }
    }
}
