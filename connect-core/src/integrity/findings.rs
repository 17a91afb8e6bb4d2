//! Findings about rows, recorded during the check.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    Problem, ProblemKind,
    claim::{Claim, Mend},
    partition::Partition,
};
use crate::{
    storage::{Entry, Key, Value},
    transaction::keys::{Family, KeyPart, key},
    wire::Timestamp,
};

/// Findings in some rows of a partition, before any other row is read.
pub(super) struct Findings {
    /// The current row.
    row: Entry,
    /// The time of the check.
    pub(super) now: Timestamp,
    /// The facts about the whole partition, from the rows so far.
    pub(super) partition: Partition,
    pub(super) problems: Vec<Problem>,
    pub(super) claims: Vec<Claim>,
}

impl Findings {
    /// No findings yet. `partition` has the facts from the rows before these.
    pub(super) fn new(partition: Partition, now: Timestamp) -> Self {
        Self {
            now,
            row: Entry::default(),
            partition,
            problems: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Moves on to the next row. All further findings are about it.
    pub(super) fn next_row(&mut self, row: &Entry) {
        self.row = row.clone();
    }

    /// The key of the current row.
    pub(super) fn key(&self) -> &Key {
        &self.row.0
    }

    /// Records a problem of this row.
    pub(super) fn problem(&mut self, kind: ProblemKind, message: String) {
        self.problems.push(Problem::new(kind, &self.row.0, message));
    }

    /// Records a row with wrong content.
    pub(super) fn bad(&mut self, message: String) {
        self.problem(ProblemKind::BadRow, message);
    }

    /// Records a claim of this row.
    pub(super) fn claim(&mut self, mut claim: Claim) {
        claim.source = self.row.clone();
        self.claims.push(claim);
    }

    /// Records a claim of this row, reported under its key.
    pub(super) fn claim_here(&mut self, claim: Claim) {
        self.claim(claim.reported_as(&self.row.0.clone()));
    }

    /// Sets the repair of the last claim.
    pub(super) fn mended_by(&mut self, mend: Option<Mend>) {
        if let Some(claim) = self.claims.last_mut() {
            claim.mend = mend;
        }
    }

    /// Sets the record of the last claim.
    /// It has a loss if the row is missing.
    pub(super) fn concerning(&mut self, rows: Family, id: Uuid) {
        if let Some(claim) = self.claims.last_mut() {
            claim.concerns = Some((rows, id));
        }
    }

    /// Claims: the row at `on` exists. This row refers to it.
    pub(super) fn refers(&mut self, on: Key, message: String) {
        self.claim_here(Claim::there(on, ProblemKind::MissingReference, message));
    }

    /// Claims: the row with this id exists in the partition. This row refers to it.
    pub(super) fn refers_to(&mut self, rows: Family, id: Uuid, message: String) {
        let on = key(self.partition.id, rows, &[KeyPart::Id(id)]);
        self.refers(on, message);
    }

    /// Records the time of a change in the partition.
    pub(super) fn changed(&mut self, time: Timestamp) {
        self.partition.changed(time, &self.row.0);
    }

    /// Parses the row as JSON.
    pub(super) fn parse<T: DeserializeOwned>(&mut self, row: &Value) -> Option<T> {
        match serde_json::from_slice(row) {
            Ok(parsed) => Some(parsed),
            Err(reason) => {
                self.unparsable(&reason);
                None
            }
        }
    }

    /// Records an unparsable row.
    pub(super) fn unparsable(&mut self, reason: &serde_json::Error) {
        self.bad(format!("the row cannot be parsed: {reason}"));
    }

    /// Checks for an empty row.
    pub(super) fn is_empty(&mut self, row: &Value) {
        if !row.is_empty() {
            self.bad("the row holds something, and should be empty".to_owned());
        }
    }
}
