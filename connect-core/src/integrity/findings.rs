//! Findings about rows, as they are noted.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    Problem, ProblemKind,
    claim::{Claim, Mend},
    partition::Partition,
};
use crate::{
    storage::{Entry, Key, Value},
    transaction::keys::Family,
    wire::Timestamp,
};

/// Findings in some rows of a partition, before anything else was read.
pub(super) struct Findings {
    /// The row that is looked at.
    row: Entry,
    /// The facts about the partition as a whole, as far as it was seen.
    pub(super) partition: Partition,
    pub(super) problems: Vec<Problem>,
    pub(super) claims: Vec<Claim>,
}

impl Findings {
    /// No findings yet. `partition` is what was found in the rows before these.
    pub(super) fn new(partition: Partition) -> Self {
        Self {
            row: Entry::default(),
            partition,
            problems: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Goes on to another row, the subject of all further notes.
    pub(super) fn next_row(&mut self, row: &Entry) {
        self.row = row.clone();
    }

    /// The key of the row that is looked at.
    pub(super) fn key(&self) -> &Key {
        &self.row.0
    }

    /// Notes a problem of this row.
    pub(super) fn problem(&mut self, kind: ProblemKind, message: String) {
        self.problems.push(Problem::new(kind, &self.row.0, message));
    }

    /// Notes that the row is not what its family holds.
    pub(super) fn bad(&mut self, message: String) {
        self.problem(ProblemKind::BadRow, message);
    }

    /// Notes a claim of this row.
    pub(super) fn claim(&mut self, mut claim: Claim) {
        claim.source = self.row.clone();
        self.claims.push(claim);
    }

    /// Sets the mend of the last claim.
    pub(super) fn mended_by(&mut self, mend: Option<Mend>) {
        if let Some(claim) = self.claims.last_mut() {
            claim.mend = mend;
        }
    }

    /// Sets the record of the last claim: it has a loss when the row is not there.
    pub(super) fn concerning(&mut self, rows: Family, id: Uuid) {
        if let Some(claim) = self.claims.last_mut() {
            claim.concerns = Some((rows, id));
        }
    }

    /// Notes that this row refers to the one at `on`.
    pub(super) fn refers(&mut self, on: Key, message: String) {
        let claim = Claim::there(on, ProblemKind::MissingReference, message);
        self.claim(claim.reported_as(&self.row.0));
    }

    /// Notes that the partition has a record of this time.
    pub(super) fn changed(&mut self, time: Timestamp) {
        self.partition.changed(time, &self.row.0);
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
